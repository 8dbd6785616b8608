import { Input } from '../lib/derived.ts';
import type { ResourceOf } from '../model/resource.ts';
import type { Kind } from '../model/specs.ts';
import type { UnreadDocument } from './parse/unread-document.ts';

/**
 * What the documents that could not be used seem to say. A rule asks before it reports something as missing: what is
 * wrong with the document is reported already, and that its content is missing only follows from it.
 */
export class Unread {
  #documents: readonly UnreadDocument[] = [];
  readonly #read = new Input();
  readonly #words = new Map<UnreadDocument, ReadonlySet<string>>();

  /** Takes other documents; those that are the same as before change nothing. */
  replace(documents: readonly UnreadDocument[]): void {
    const known = new Set(this.#documents);
    if (documents.length === known.size && documents.every((document) => known.has(document))) return;
    this.#documents = documents;
    this.#words.clear();
    this.#read.change();
  }

  /** True when one of them seems to be the resource of that kind and (scoped) name. */
  declares(kind: Kind, name: string): boolean {
    this.#read.read();
    return this.#documents.some((document) => isOfKind(document, kind) && isNamed(document, name));
  }

  /** True when one that seems to be of one of the kinds has the word anywhere, such as the name of a VPC. */
  mentions(kinds: readonly Kind[], word: string): boolean {
    this.#read.read();
    return this.#documents.some(
      (document) => kinds.some((kind) => isOfKind(document, kind)) && this.#wordsOf(document).has(word),
    );
  }

  /** True when one of them seems to connect the VPC's router to a further network. */
  connects({ name, spec }: ResourceOf<'Vpc'>): boolean {
    return (
      this.mentions(['Subnet', 'Peering'], name) ||
      (spec.external ?? []).some(({ subnet }) => this.declares('Subnet', subnet))
    );
  }

  #wordsOf(document: UnreadDocument): ReadonlySet<string> {
    const words = this.#words.get(document) ?? new Set(document.text.split(/[^A-Za-z0-9._/-]+/));
    this.#words.set(document, words);
    return words;
  }
}

function isOfKind(document: UnreadDocument, kind: Kind): boolean {
  return document.kind === undefined || document.kind === kind;
}

/** Without a namespace that can be read, the name alone decides. */
function isNamed({ name, namespace }: UnreadDocument, scoped: string): boolean {
  if (name === undefined) return false;
  if (namespace !== undefined) return scoped === `${namespace}/${name}`;
  return scoped === name || scoped.endsWith(`/${name}`);
}
