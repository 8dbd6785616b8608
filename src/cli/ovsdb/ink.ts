import { printable } from '../../lib/printable.ts';

type Paint = (text: string) => string;

/** Colours text, and makes every text printable first: what comes from a database must not steer the terminal. */
export interface Ink {
  readonly plain: Paint;
  readonly strong: Paint;
  readonly faint: Paint;
  readonly added: Paint;
  readonly removed: Paint;
  readonly changed: Paint;
}

/** Ink for a terminal, or for anything else, where colours would be noise. */
export function inkFor(hasColor: boolean): Ink {
  const style = (code: number) => (text: string) =>
    hasColor ? `\u001B[${code}m${printable(text)}\u001B[0m` : printable(text);
  return {
    plain: printable,
    strong: style(1),
    faint: style(2),
    added: style(32),
    removed: style(31),
    changed: style(33),
  };
}
