import {
  EVENT_ID,
  getScalarValue,
  SCALAR_STYLE,
  type DocumentEvent,
  type Event,
  type ScalarEvent,
} from 'js-yaml';
import { invariant } from '../../lib/invariant.ts';
import { buildMapping } from './yaml-mapping.ts';
import type { Problem } from './problem.ts';
import type { Span } from './source-text.ts';
import type { YamlNode, YamlScalar } from './yaml-node.ts';
import type { EventChunk } from './yaml-stream.ts';

/** One document; unsound when what it says is not known, so that nothing further can be concluded from it. */
export interface YamlDocument {
  readonly root: YamlNode;
  readonly sound: boolean;
}

/**
 * Builds the documents of a chunk. Documents without content do not count. What only some YAML readers understand, or
 * understand alike, is a problem: anchors, aliases, merge keys, tags, other YAML versions, keys that are no strings.
 */
export function* yamlDocuments(chunk: EventChunk, problems: Problem[]): Iterable<YamlDocument> {
  const reader = new TreeReader(chunk, problems);
  for (let document = reader.nextDocument(); document !== undefined; document = reader.nextDocument()) {
    const { root } = document;
    if (root.kind !== 'scalar' || !root.plain || root.text !== '') yield document;
  }
}

class TreeReader {
  readonly #chunk: EventChunk;
  readonly #problems: Problem[];
  #next = 0;
  /** The end of what was read last: where an absent value is said to be. */
  #end: number;
  #sound = true;

  constructor(chunk: EventChunk, problems: Problem[]) {
    this.#chunk = chunk;
    this.#problems = problems;
    this.#end = chunk.offset;
  }

  nextDocument(): YamlDocument | undefined {
    const event = this.#take();
    if (event === undefined) return undefined;
    invariant(event.type === EVENT_ID.DOCUMENT, 'a document starts with its event');
    this.#refuseDirectives(event);
    this.#sound = true;
    const root = this.#node();
    const close = this.#take();
    invariant(close?.type === EVENT_ID.POP, 'a document has one root');
    return { root, sound: this.#sound };
  }

  #take(): Event | undefined {
    return this.#chunk.events[this.#next++];
  }

  #node(): YamlNode {
    const event = this.#take();
    invariant(event !== undefined, 'every node has an event');
    if (event.type === EVENT_ID.ALIAS) {
      return this.#alias({ start: this.#at(event.anchorStart) - 1, end: this.#at(event.anchorEnd) });
    }
    invariant(
      event.type !== EVENT_ID.POP && event.type !== EVENT_ID.DOCUMENT,
      'a node starts with its own event',
    );
    this.#refuseProperties(event);
    if (event.type === EVENT_ID.SCALAR) return this.#scalar(event);
    const start = this.#at(event.start);
    const children = this.#children();
    if (event.type === EVENT_ID.SEQUENCE) return { kind: 'sequence', start, end: this.#end, items: children };
    const mapping = buildMapping(children, this.#problems);
    this.#sound &&= mapping.sound;
    return { kind: 'mapping', start, end: this.#end, entries: mapping.entries };
  }

  #children(): readonly YamlNode[] {
    const children: YamlNode[] = [];
    while (this.#chunk.events[this.#next]?.type !== EVENT_ID.POP) children.push(this.#node());
    this.#next += 1;
    return children;
  }

  #scalar(event: ScalarEvent): YamlScalar {
    const plain = event.style === SCALAR_STYLE.PLAIN;
    if (event.valueStart < 0) return { kind: 'scalar', start: this.#end, end: this.#end, text: '', plain };
    const quoted =
      event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED ? 1 : 0;
    // A block scalar starts with the indentation of its first line.
    const blanks = /[ \n\r]*/y;
    blanks.lastIndex = event.valueStart;
    const indent = plain || quoted === 1 ? 0 : (blanks.exec(this.#chunk.text)?.[0].length ?? 0);
    const start = this.#at(event.valueStart) + indent - quoted;
    this.#end = this.#at(event.valueEnd) + quoted;
    return { kind: 'scalar', start, end: this.#end, text: getScalarValue(this.#chunk.text, event), plain };
  }

  #alias(span: Span): YamlScalar {
    this.#end = span.end;
    this.#sound = false;
    this.#problems.push({ code: 'YAM105', message: 'an alias is used', hint: 'Write the value out.', span });
    return { kind: 'scalar', ...span, text: '', plain: true };
  }

  #refuseProperties(event: Pick<ScalarEvent, 'anchorStart' | 'anchorEnd' | 'tagStart' | 'tagEnd'>): void {
    if (event.anchorStart >= 0) {
      const span = { start: this.#at(event.anchorStart) - 1, end: this.#at(event.anchorEnd) };
      this.#problems.push({
        code: 'YAM105',
        message: 'an anchor is used',
        hint: 'Remove it and write repeated values out.',
        span,
      });
    }
    if (event.tagStart >= 0) {
      const span = { start: this.#at(event.tagStart), end: this.#at(event.tagEnd) };
      const tag = this.#chunk.text.slice(event.tagStart, event.tagEnd);
      this.#problems.push({
        code: 'YAM106',
        message: `the tag ${tag} is used`,
        hint: 'Remove it; quote a value that is a text.',
        span,
      });
    }
  }

  #refuseDirectives(event: DocumentEvent): void {
    for (const directive of event.directives) {
      if (directive.kind === 'yaml' && directive.version === '1.2') continue;
      const start = this.#chunk.text.indexOf('%', this.#end - this.#chunk.offset);
      const text = /^[^\r\n]*/.exec(this.#chunk.text.slice(start))?.[0] ?? '';
      const span = { start: this.#at(start), end: this.#at(start + text.length) };
      this.#end = span.end;
      const hint = 'Remove the directive; files are YAML 1.2.';
      this.#problems.push({ code: 'YAM107', message: `the directive "${text}" is not accepted`, hint, span });
    }
  }

  #at(offset: number): number {
    return this.#chunk.offset + offset;
  }
}
