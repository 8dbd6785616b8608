import { readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from '../../src/cli/command.ts';
import { SERVICES } from '../../src/main/services.ts';
import { blocksOf, type Page, proseOf, ROOT } from './documents.ts';

/** Every command of the program by name. */
export async function allCommands(): Promise<ReadonlyMap<string, Command>> {
  const folder = path.join(ROOT, 'src', 'cli', 'commands');
  const modules = await Promise.all(
    readdirSync(folder).map(
      async (file) => (await import(pathToFileURL(path.join(folder, file)).href)) as object,
    ),
  );
  const found = modules.flatMap((module) => Object.values(module) as unknown[]).filter(isCommand);
  return new Map([...found, ...SERVICES({})].map((command) => [command.name, command]));
}

/** The words after `ovn-gitops` of every command line that a page shows, in blocks and in the text. */
export function commandLines(page: Page): readonly (readonly string[])[] {
  const lines = blocksOf(page)
    .filter(({ language }) => language === 'sh' || language === 'text' || language === 'ini')
    .flatMap(({ text }) => text.split('\n'));
  // Indented blocks and code in the text: from the program's name to the end of the line or of the code.
  const prose = proseOf(page);
  const indented = prose.split('\n').filter((line) => line.startsWith('    '));
  const code = [...prose.matchAll(/`([^`]+)`/g)].map(([, inside = '']) => inside.replaceAll(/\s+/g, ' '));
  return [...lines, ...indented, ...code].flatMap(wordsOfCommand);
}

function wordsOfCommand(line: string): readonly (readonly string[])[] {
  const starts = /^\s*(?:\$ |ExecStart=\/usr\/bin\/)?(?:bin\/)?ovn-gitops (\S.*)$/.exec(line);
  // What a shell makes of the rest of the line is not the command's.
  const words = starts?.[1]?.split(/ [|>#&]/)[0]?.trim();
  return words === undefined || words === '' ? [] : [words.split(/\s+/)];
}

function isCommand(value: unknown): value is Command {
  return typeof value === 'object' && value !== null && 'exitCodes' in value && 'run' in value;
}
