import type { Place } from '../../model/diagnostic.ts';
import type { Origin } from '../../model/resource.ts';
import { fieldSegments } from '../field-path.ts';
import type { SourceText, Span } from './source-text.ts';
import { childOf, type YamlNode } from './yaml-node.ts';

/** Finds the fields of one document in its text. */
export class DocumentOrigin implements Origin {
  readonly place: Place;
  readonly #source: SourceText;
  readonly #root: YamlNode;

  constructor(source: SourceText, root: YamlNode) {
    this.place = source.placeAt(root.start);
    this.#source = source;
    this.#root = root;
  }

  placeOf(field: string): Place {
    return this.#source.placeAt(this.#spanOf(field).start);
  }

  excerptOf(field: string): { readonly text: string; readonly length: number } {
    return this.#source.excerptOf(this.#spanOf(field));
  }

  #spanOf(field: string): Span {
    let node: YamlNode = this.#root;
    for (const segment of fieldSegments(field)) {
      const child = childOf(node, segment);
      if (child === undefined) break;
      node = child;
    }
    return node;
  }
}
