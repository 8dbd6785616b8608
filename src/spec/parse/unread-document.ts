import type { Kind } from '../../model/specs.ts';
import { likelyKind } from './kinds.ts';
import { entryOf, type YamlNode } from './yaml-node.ts';

/** A document that cannot be used, and what it seems to declare. */
export interface UnreadDocument {
  /** Nothing when it could be any. */
  readonly kind: Kind | undefined;
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  readonly text: string;
}

/** What a document declares that YAML could be made of, although it is not what its kind demands. */
export function unreadDocument(root: YamlNode, text: string): UnreadDocument {
  const metadata = entryOf(root, 'metadata')?.value;
  return {
    kind: likelyKind(scalarText(root, 'kind') ?? ''),
    name: scalarText(metadata, 'name'),
    namespace: scalarText(metadata, 'namespace'),
    text: text.slice(root.start, root.end),
  };
}

/** What a text may declare that is not even YAML: every `name: X` in it may be the name. */
export function unparsedDocuments(text: string): readonly UnreadDocument[] {
  const names = new Set(
    Array.from(text.matchAll(/\bname["']?:\s*["']?([^\s"',[\]{}]+)/g), ([, name]) => name),
  );
  return [...names].map((name) => ({ kind: undefined, name, namespace: undefined, text }));
}

function scalarText(node: YamlNode | undefined, key: string): string | undefined {
  const value = entryOf(node, key)?.value;
  return value?.kind === 'scalar' && value.text !== '' ? value.text : undefined;
}
