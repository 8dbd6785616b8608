import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DIRECTIONS } from './directions.ts';

export const ROOT: string = path.resolve(import.meta.dirname, '../..');

/** A file of src with what it imports. */
export interface SourceFile {
  /** Relative to src. */
  readonly file: string;
  readonly folder: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

export interface Import {
  readonly kind: 'folder' | 'package' | 'node';
  /** A folder of src, an npm package, or a node built-in. */
  readonly target: string;
  readonly typesOnly: boolean;
}

/** Every TypeScript file under src. */
export function sourceFiles(): readonly SourceFile[] {
  return readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .toSorted()
    .map((file) => {
      const text = readFileSync(path.join(ROOT, 'src', file), 'utf8');
      return { file, folder: folderOf(file), text, imports: importsOf(file, text) };
    });
}

/** `import ... from 'x'`, `export ... from 'x'`, `import 'x'` and `import('x')`, also over several lines. */
export function importsOf(file: string, text: string): readonly Import[] {
  const statements = text.matchAll(
    /(?:^|\n)\s*(?<verb>import|export)\s(?<clause>[^;'"]*?)\bfrom\s*['"](?<from>[^'"]+)['"]|\bimport\s*\(?\s*['"](?<bare>[^'"]+)['"]/g,
  );
  return [...statements].map(({ groups = {} }) => {
    const typesOnly =
      /^type\s/.test(groups['clause'] ?? '') ||
      /^\{(\s*type\s[^,}]+,?)+\s*\}\s*$/.test(groups['clause'] ?? '');
    return { ...targetOf(file, groups['from'] ?? groups['bare'] ?? ''), typesOnly };
  });
}

function targetOf(file: string, specifier: string): Pick<Import, 'kind' | 'target'> {
  if (specifier.startsWith('.')) {
    return { kind: 'folder', target: folderOf(path.posix.join(path.dirname(file), specifier)) };
  }
  if (specifier.startsWith('node:')) return { kind: 'node', target: specifier };
  const parts = specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1);
  return { kind: 'package', target: parts.join('/') };
}

/** The folder under src that rules speak of: the first part of the path, or the first two where they have a rule. */
function folderOf(file: string): string {
  const [first = '', second = ''] = file.split('/');
  const nested = `${first}/${second}`;
  return nested in DIRECTIONS ? nested : first;
}

/** The text without comments, strings and template literals, so that words in them don't count as code. */
export function codeOf(text: string): string {
  return text.replaceAll(
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g,
    '',
  );
}
