import { parseFile, type ParsedFile } from '../../src/spec/parse.ts';
import { type RandomDocument, RandomDocuments } from './random-documents.ts';

const API_VERSIONS: Readonly<Record<string, string>> = {
  NetworkPolicy: 'networking.k8s.io/v1',
  Namespace: 'v1',
};
const FILES = ['a.yaml', 'b.yaml', 'c/d.yaml', 'c/e.yaml', 'f.yaml'];
/** Ends a document in a way that is no YAML, or none that its schema admits. */
const BROKEN = ['\n{', '\nspec: twice: {}', '\nunknown: field'];

type Entry = RandomDocument | { readonly document: RandomDocument; readonly broken: string };
type Files = ReadonlyMap<string, readonly Entry[]>;

/** A repository that is edited at random, in every way that people do. */
export class RandomRepository {
  readonly #random: () => number;
  readonly #documents: RandomDocuments;
  readonly #parsed = new Map<string, { readonly text: string; readonly file: ParsedFile }>();
  #files: Files = new Map();

  constructor(random: () => number) {
    this.#random = random;
    this.#documents = new RandomDocuments(random);
  }

  /** The files as parsed one after the other: a file that is unchanged is the same object. */
  parsed(): readonly ParsedFile[] {
    return [...this.#texts()].map(([path, text]) => {
      const before = this.#parsed.get(path);
      const next = before?.text === text ? before : { text, file: parseFile(path, text, before?.file) };
      this.#parsed.set(path, next);
      return next.file;
    });
  }

  /** The files parsed each by itself. */
  parsedAfresh(): readonly ParsedFile[] {
    return [...this.#texts()].map(([path, text]) => parseFile(path, text));
  }

  /** The state as it is, to come back to. */
  get files(): Files {
    return this.#files;
  }

  restore(files: Files): void {
    this.#files = files;
  }

  /** Declares one thing after the other, and takes back what is not accepted. */
  grow(tries: number, isAccepted: () => boolean): void {
    for (let count = 0; count < tries; count += 1) {
      const before = this.#files;
      this.#add();
      if (!isAccepted()) this.#files = before;
    }
  }

  /** One change, of one or a few documents. */
  edit(): void {
    const edits = [
      () => this.#add(),
      () => this.#add(),
      () => this.#respecify(),
      () => this.#respecify(),
      () => this.#respecify(),
      () => this.#remove(),
      () => this.#rename(),
      () => this.#relabel(),
      () => this.#move(),
      () => this.#shuffle(),
      () => this.#repeat(),
      () => this.#breakOne(),
      () => this.#breakOne(),
      () => this.#removeFile(),
    ];
    const times = this.#random() < 0.7 ? 1 : 3;
    for (let count = 0; count < times; count += 1) this.#choose(edits)?.();
  }

  /** An identity is declared once, as a rule. */
  #add(): void {
    const document = this.#documents.any();
    const known = this.#all().find(({ entry }) => idOf(entry) === idOf(document));
    if (known === undefined) this.#put(this.#choose(FILES) ?? '', (entries) => [...entries, document]);
    else this.#replace(known, [document]);
  }

  #respecify(): void {
    const at = this.#any();
    if (at === undefined) return;
    const { kind, metadata } = documentOf(at.entry);
    // The same kind has another shape only if it is about the same name.
    const drawn = Array.from({ length: 30 }, () => this.#documents.of(kind));
    const { spec } = drawn.find((one) => one.metadata.name === metadata.name) ?? documentOf(at.entry);
    this.#replace(at, [{ kind, metadata, spec }]);
  }

  #remove(): void {
    const at = this.#any();
    if (at !== undefined) this.#replace(at, []);
  }

  #rename(): void {
    const at = this.#any();
    if (at === undefined) return;
    const document = documentOf(at.entry);
    const { metadata } = this.#documents.of(document.kind);
    this.#replace(at, [{ ...document, metadata: { ...document.metadata, name: metadata.name } }]);
  }

  #relabel(): void {
    const at = this.#choose(this.#all().filter(({ entry }) => documentOf(entry).kind === 'Port'));
    if (at === undefined) return;
    const document = documentOf(at.entry);
    const { labels } = this.#documents.of('Port').metadata;
    this.#replace(at, [{ ...document, metadata: { ...document.metadata, labels: labels ?? {} } }]);
  }

  #move(): void {
    const at = this.#any();
    if (at === undefined) return;
    this.#replace(at, []);
    this.#put(this.#choose(FILES) ?? '', (entries) => [at.entry, ...entries]);
  }

  #shuffle(): void {
    const path = this.#choose(FILES) ?? '';
    this.#put(path, (entries) =>
      entries
        .map((entry) => ({ entry, at: this.#random() }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ entry }) => entry),
    );
  }

  #repeat(): void {
    const at = this.#any();
    if (at === undefined || this.#random() < 0.5) return;
    this.#put(this.#choose(FILES) ?? '', (entries) => [...entries, at.entry]);
  }

  /** Breaks a document or adds one that is broken; or mends or removes those that are. */
  #breakOne(): void {
    const wrong = this.#all().filter(({ entry }) => 'broken' in entry);
    for (const at of wrong) this.#replace(at, this.#random() < 0.5 ? [] : [documentOf(at.entry)]);
    const at = this.#any();
    if (wrong.length > 0 || at === undefined) return;
    const broken = this.#choose(BROKEN) ?? '';
    if (this.#random() < 0.5) this.#replace(at, [{ document: documentOf(at.entry), broken }]);
    else this.#put(at.path, (entries) => [...entries, { document: this.#documents.any(), broken }]);
  }

  #removeFile(): void {
    if (this.#random() < 0.8) return;
    const path = this.#choose(FILES);
    this.#files = new Map([...this.#files].filter(([name]) => name !== path));
  }

  #texts(): Iterable<readonly [path: string, text: string]> {
    return [...this.#files].map(([path, entries]) => [path, entries.map(textOf).join('---\n')]);
  }

  #all(): readonly Found[] {
    return [...this.#files].flatMap(([path, entries]) =>
      entries.map((entry, index) => ({ path, index, entry })),
    );
  }

  #any(): Found | undefined {
    return this.#choose(this.#all());
  }

  #replace({ path, entry }: Found, next: readonly Entry[]): void {
    this.#put(path, (entries) => entries.flatMap((one) => (one === entry ? next : [one])));
  }

  #put(path: string, change: (entries: readonly Entry[]) => readonly Entry[]): void {
    this.#files = new Map(this.#files).set(path, change(this.#files.get(path) ?? []));
  }

  #choose<T>(choices: readonly T[]): T | undefined {
    return choices[Math.floor(this.#random() * choices.length)];
  }
}

interface Found {
  readonly path: string;
  readonly index: number;
  readonly entry: Entry;
}

function documentOf(entry: Entry): RandomDocument {
  return 'document' in entry ? entry.document : entry;
}

function idOf(entry: Entry): string {
  const { kind, metadata } = documentOf(entry);
  return `${kind}/${metadata.namespace ?? ''}/${metadata.name}`;
}

function textOf(entry: Entry): string {
  const { kind, ...rest } = documentOf(entry);
  const document = { apiVersion: API_VERSIONS[kind] ?? 'ovn-gitops.io/v1', kind, ...rest };
  const body = Object.entries(document).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  return `${body.join('')}${'broken' in entry ? `${entry.broken}\n` : ''}`;
}
