import { parseEvents, YAMLException, type Event } from 'js-yaml';
import type { Problem } from './problem.ts';

/** Collections may be nested this deeply; no kind needs half of it. */
const MAX_DEPTH = 32;

/** A part of a file that was parsed by itself. */
export interface EventChunk {
  readonly text: string;
  /** Where the chunk starts in the file. */
  readonly offset: number;
  readonly events: readonly Event[];
}

/** A document that is no YAML. */
export interface UnparsedChunk {
  readonly text: string;
  readonly events?: undefined;
}

/**
 * The parser events of all documents. When the file as a whole does not parse, every document is tried by itself, so
 * that one broken document does not hide what is wrong with the others.
 */
export function yamlChunks(text: string, problems: Problem[]): readonly (EventChunk | UnparsedChunk)[] {
  const whole = eventsOf({ text, offset: 0 });
  if (Array.isArray(whole)) return [{ text, offset: 0, events: whole }];
  return documentTexts(text).map((document) => {
    const events = eventsOf(document);
    if (Array.isArray(events)) return { ...document, events };
    problems.push(events);
    return { text: document.text };
  });
}

/** A part of a file that may hold a document. */
export interface DocumentText {
  readonly text: string;
  /** Where it starts in the file. */
  readonly offset: number;
}

/** The parser events of one document by itself; nothing when it is no YAML. */
export function documentEvents(document: DocumentText): EventChunk | undefined {
  const events = eventsOf(document);
  return Array.isArray(events) ? { ...document, events } : undefined;
}

/** The file cut at its document markers, which cannot be part of a document (YAML 1.2.2 9.1.2). */
export function documentTexts(text: string): readonly DocumentText[] {
  const starts = [0, ...Array.from(text.matchAll(/^---(?=[ \t\r\n]|$)/gm), (match) => match.index)];
  const cuts = [...new Set(starts)];
  return cuts.map((offset, index) => ({ text: text.slice(offset, cuts[index + 1]), offset }));
}

function eventsOf({ text, offset }: DocumentText): Event[] | Problem {
  try {
    return parseEvents(text, { maxDepth: MAX_DEPTH });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const start = offset + Math.min(error.mark?.position ?? 0, text.length);
    return { ...explain(error.reason), span: { start, end: start + 1 } };
  }
}

function explain(reason: string): Pick<Problem, 'code' | 'message' | 'hint'> {
  if (reason.includes('nest') || reason.includes('maxDepth')) {
    return {
      code: 'YAM110',
      message: `collections are nested more than ${MAX_DEPTH} deep`,
      hint: 'Write it flatter.',
    };
  }
  return { code: 'YAM101', message: `not YAML: ${reason}`, hint: hintFor(reason) };
}

function hintFor(reason: string): string {
  if (reason.includes('tab')) return 'Indent with spaces.';
  if (reason.includes('implicit key'))
    return 'Look for a key without its ":" on this line or the one before.';
  if (reason.includes('indentation'))
    return 'Align the line with its neighbours, or quote a value that has ": " inside.';
  if (reason.includes('escape')) return "Use single quotes for text with backslashes: 'a\\b'.";
  return 'Mend the text here or just before; quote values with special characters.';
}
