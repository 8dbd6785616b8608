import type { Span } from './source-text.ts';

/** A YAML node with its place in the text. */
export type YamlNode = YamlScalar | YamlSequence | YamlMapping;

export interface YamlScalar extends Span {
  readonly kind: 'scalar';
  readonly text: string;
  /** Written without quotes: YAML decides on its type by its looks. */
  readonly plain: boolean;
}

export interface YamlSequence extends Span {
  readonly kind: 'sequence';
  readonly items: readonly YamlNode[];
}

export interface YamlMapping extends Span {
  readonly kind: 'mapping';
  readonly entries: readonly YamlEntry[];
}

export interface YamlEntry {
  readonly key: string;
  readonly keySpan: Span;
  readonly value: YamlNode;
}

/** The entry of a mapping with that key. */
export function entryOf(node: YamlNode | undefined, key: string): YamlEntry | undefined {
  return node?.kind === 'mapping' ? node.entries.find((entry) => entry.key === key) : undefined;
}

/** The child that a segment of a field path names. */
export function childOf(node: YamlNode | undefined, segment: string): YamlNode | undefined {
  return node?.kind === 'sequence' ? node.items[Number(segment)] : entryOf(node, segment)?.value;
}
