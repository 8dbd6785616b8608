import type { ErrorObject } from 'ajv/dist/2020.js';
import { fieldPath } from '../field-path.ts';
import type { Span } from './source-text.ts';
import { childOf, entryOf, type YamlEntry, type YamlNode } from './yaml-node.ts';

/** Where a schema error is. */
export interface Location {
  readonly segments: readonly string[];
  readonly field: string;
  readonly node: YamlNode | undefined;
  /** The key of the innermost mapping entry around the place, for what is missing. */
  readonly entry: YamlEntry | undefined;
  readonly span: Span;
}

/** Follows an error's path into the document. */
export function locate(error: ErrorObject, root: YamlNode): Location {
  const segments = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  let node: YamlNode | undefined = root;
  let entry: YamlEntry | undefined;
  for (const segment of segments) {
    entry = entryOf(node, segment) ?? entry;
    node = childOf(node, segment);
  }
  return { segments, field: fieldPath(segments), node, entry, span: spanOf(node, entry, root) };
}

function spanOf(node: YamlNode | undefined, entry: YamlEntry | undefined, root: YamlNode): Span {
  if (node === undefined || (node.start === node.end && entry !== undefined)) return entry?.keySpan ?? root;
  return { start: node.start, end: node.end };
}
