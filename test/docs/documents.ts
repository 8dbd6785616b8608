import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT: string = path.dirname(path.dirname(import.meta.dirname));

/** A page of the documentation; `file` is relative to the root. */
export interface Page {
  readonly file: string;
  readonly text: string;
}

/** A fenced block: its language, its text, and the line that opens it. */
export interface Block {
  readonly language: string;
  readonly text: string;
  readonly line: number;
}

/** Every page that users and operators read. */
export function pages(): readonly Page[] {
  const docs = readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join('docs', name));
  const others = ['README.md', 'CHANGELOG.md', 'examples-repo/README.md', 'specs-schema/README.md'];
  return [...others, ...docs.toSorted()].map((file) => ({ file, text: read(file) }));
}

/** The fenced blocks of a page, in order. */
export function blocksOf({ text }: Page): readonly Block[] {
  const blocks: Block[] = [];
  let open: { readonly language: string; readonly line: number; readonly lines: string[] } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^```(\w*)\s*$/.exec(line);
    if (fence === null) open?.lines.push(line);
    else if (open === undefined) open = { language: fence[1] ?? '', line: index + 1, lines: [] };
    else {
      blocks.push({ language: open.language, line: open.line, text: `${open.lines.join('\n')}\n` });
      open = undefined;
    }
  }
  return blocks;
}

/** The text of a page without its fenced blocks. */
export function proseOf({ text }: Page): string {
  return text.replaceAll(/^```[\s\S]*?^```\s*$/gm, '');
}

/** A file of the repository. */
export function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}
