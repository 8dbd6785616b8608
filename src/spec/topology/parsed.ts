import type { Result } from '../../lib/result.ts';

/** The value of a result in a list, for `flatMap`: what does not parse was reported when the file was read. */
export function parsed<T>(result: Result<T, string>): readonly T[] {
  return result.ok ? [result.value] : [];
}

/** Pairs up texts with what they parse to and their index. */
export function parsedList<T>(
  texts: readonly string[],
  parse: (text: string) => Result<T, string>,
): readonly { readonly text: string; readonly index: number; readonly value: T }[] {
  return texts.flatMap((text, index) => parsed(parse(text)).map((value) => ({ text, index, value })));
}
