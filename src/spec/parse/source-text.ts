import type { Place } from '../../model/diagnostic.ts';

/** A stretch of a file in UTF-16 offsets, end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A file's text that knows where its lines start. */
export class SourceText {
  readonly file: string;
  readonly text: string;
  #lineStarts: readonly number[] | undefined;

  constructor(file: string, text: string) {
    this.file = file;
    this.text = text;
  }

  /** Line and column of an offset; columns count code points. */
  placeAt(offset: number): Place {
    const line = this.#lineOf(offset);
    return {
      file: this.file,
      line: line + 1,
      column: codePoints(this.text.slice(this.#startOf(line), offset)) + 1,
    };
  }

  /** The line that a span starts on, and how many of its columns the span covers: at least one. */
  excerptOf(span: Span): { readonly text: string; readonly length: number } {
    const line = this.#lineOf(span.start);
    const text = /^[^\r\n]*/.exec(this.text.slice(this.#startOf(line)))?.[0] ?? '';
    const end = Math.min(span.end, this.#startOf(line) + text.length);
    return { text, length: Math.max(1, codePoints(this.text.slice(span.start, end))) };
  }

  #startOf(line: number): number {
    return this.#starts()[line] ?? this.text.length;
  }

  #starts(): readonly number[] {
    this.#lineStarts ??= [0, ...Array.from(this.text.matchAll(/\r\n|\n|\r/g), (m) => m.index + m[0].length)];
    return this.#lineStarts;
  }

  #lineOf(offset: number): number {
    const starts = this.#starts();
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function codePoints(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}
