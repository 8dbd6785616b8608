/**
 * Values that are worked out from others and kept until something that they were worked out from changes. What a
 * computation reads is recorded while it runs, so that nobody has to state it, and a computation can't depend on
 * something without being told. A value that is worked out again and comes out as the same object stops there: what was
 * made from it stays as it is.
 */
export class Derived<T> implements Reader, Readable {
  readonly #compute: (before: T | undefined) => T;
  readonly #hooks: DerivedHooks;
  readonly #readers = new Set<Reader>();
  #reads = new Set<Readable>();
  #state: State = STALE;
  #value: T | undefined;

  /** `compute` gets its last result, and may return it again to say that nothing has changed. */
  constructor(compute: (before: T | undefined) => T, hooks: DerivedHooks = {}) {
    this.#compute = compute;
    this.#hooks = hooks;
  }

  /** The value as things stand; the computation that is running now depends on it. */
  get(): T {
    if (running !== undefined) link(running, this, this.#readers);
    this.refresh();
    return this.#value as T;
  }

  /** Lets go of everything that it has read; for a value that nobody will ask for again. */
  drop(): void {
    const reads = this.#reads;
    this.#reads = new Set();
    this.#state = STALE;
    for (const read of reads) read.leave(this);
  }

  /** Works the value out again if anything that it depends on has changed. */
  refresh(): void {
    if (this.#state === SUSPECT) {
      for (const read of this.#reads) {
        read.refresh?.();
        if (this.#isStale()) break;
      }
    }
    if (this.#state === STALE) this.#recompute();
    this.#state = FRESH;
  }

  /** Something that it depends on has changed (STALE), or may have (SUSPECT). */
  suspect(state: State): void {
    const before = this.#state;
    if (before >= state) return;
    this.#state = state;
    if (before !== FRESH) return;
    this.#hooks.suspected?.();
    for (const reader of this.#readers) reader.suspect(SUSPECT);
  }

  recordRead(read: Readable): void {
    this.#reads.add(read);
  }

  leave(reader: Reader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0 || this.#hooks.unread === undefined) return;
    this.#hooks.unread();
    this.drop();
  }

  /** A read that came out otherwise has made it so meanwhile. */
  #isStale(): boolean {
    return this.#state === STALE;
  }

  #recompute(): void {
    const before = this.#reads;
    this.#reads = new Set();
    let value;
    try {
      value = runFor(this, () => this.#compute(this.#value));
    } finally {
      for (const read of before) if (!this.#reads.has(read)) read.leave(this);
    }
    if (value === this.#value) return;
    this.#value = value;
    for (const reader of this.#readers) reader.suspect(STALE);
  }
}

/** Who is told when a derived value may have changed, and when its last reader is gone. */
export interface DerivedHooks {
  readonly suspected?: () => void;
  readonly unread?: () => void;
}

/** Something that is set from outside and that computations read, such as a table. */
export class Input implements Readable {
  readonly #readers = new Set<Reader>();
  readonly #unread: (() => void) | undefined;

  constructor(unread?: () => void) {
    this.#unread = unread;
  }

  /** The computation that is running now depends on it. */
  read(): void {
    if (running !== undefined) link(running, this, this.#readers);
  }

  /** It has changed. */
  change(): void {
    for (const reader of this.#readers) reader.suspect(STALE);
  }

  leave(reader: Reader): void {
    this.#readers.delete(reader);
    if (this.#readers.size === 0) this.#unread?.();
  }
}

/** True while something is being worked out, so that it matters what is read. */
export function isDeriving(): boolean {
  return running !== undefined;
}

/** What can be read: it knows its readers. */
interface Readable {
  leave(reader: Reader): void;
  refresh?(): void;
}

/** What reads: it is told of changes. */
interface Reader {
  suspect(state: State): void;
  recordRead(read: Readable): void;
}

const FRESH = 0;
const SUSPECT = 1;
const STALE = 2;
type State = typeof FRESH | typeof SUSPECT | typeof STALE;

/** The computation that is running: what is read now, it depends on. There is no waiting in a computation. */
let running: Reader | undefined;

function link(reader: Reader, read: Readable, readers: Set<Reader>): void {
  readers.add(reader);
  reader.recordRead(read);
}

function runFor<T>(reader: Reader, work: () => T): T {
  const outer = running;
  running = reader;
  try {
    return work();
  } finally {
    running = outer;
  }
}
