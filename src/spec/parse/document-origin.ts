import { invariant } from '../../lib/invariant.ts';
import type { Place } from '../../model/diagnostic.ts';
import type { Origin } from '../../model/resource.ts';
import { fieldSegments } from '../field-path.ts';
import type { SourceText, Span } from './source-text.ts';
import { childOf, type YamlNode } from './yaml-node.ts';
import { yamlChunks } from './yaml-stream.ts';
import { yamlDocuments } from './yaml-tree.ts';

/**
 * The places of a file's documents. Few are ever asked for, so nothing is kept for them: a file about which there is
 * something to say is read again.
 */
export class FilePlaces {
  readonly source: SourceText;
  #roots: ReadonlyMap<number, YamlNode> | undefined;

  constructor(source: SourceText) {
    this.source = source;
  }

  /** The root of the document that starts at an offset. */
  rootAt(start: number): YamlNode {
    this.#roots ??= rootsOf(this.source.text);
    const found = this.#roots.get(start);
    invariant(found !== undefined, 'a document that was read is where it was');
    return found;
  }
}

/** Finds the fields of one document in its text. */
export class DocumentOrigin implements Origin {
  readonly #places: FilePlaces;
  /** Where the document starts in the text of its file. */
  readonly start: number;

  constructor(places: FilePlaces, start: number) {
    this.#places = places;
    this.start = start;
  }

  get place(): Place {
    return this.#places.source.placeAt(this.start);
  }

  placeOf(field: string): Place {
    return this.#places.source.placeAt(this.#spanOf(field).start);
  }

  excerptOf(field: string): { readonly text: string; readonly length: number } {
    return this.#places.source.excerptOf(this.#spanOf(field));
  }

  #spanOf(field: string): Span {
    let node = this.#places.rootAt(this.start);
    for (const segment of fieldSegments(field)) {
      const child = childOf(node, segment);
      if (child === undefined) break;
      node = child;
    }
    return node;
  }
}

function rootsOf(text: string): ReadonlyMap<number, YamlNode> {
  const roots = new Map<number, YamlNode>();
  for (const chunk of yamlChunks(text, [])) {
    if (chunk.events === undefined) continue;
    for (const { root } of yamlDocuments(chunk, [])) roots.set(root.start, root);
  }
  return roots;
}
