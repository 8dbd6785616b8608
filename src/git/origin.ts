import type { SourceRef } from './source-options.ts';
import type { Store } from './store.ts';

/** Where revisions come from: a server or a repository on this machine. Both throw SourceFault. */
export interface Origin {
  /** What may be shown of its address. */
  readonly label: string;
  /** The commit that the ref points to now. Missing refs are looked up twice before they are believed missing. */
  find(ref: SourceRef, signal: AbortSignal): Promise<string>;
  /** Brings a commit with what it refers to into `gitdir`, which may be empty; returns the commit that was brought. */
  bring(order: Order, signal: AbortSignal): Promise<string>;
  close(): Promise<void>;
}

/** What to bring where. */
export interface Order {
  readonly store: Store;
  readonly gitdir: string;
  readonly ref: SourceRef;
  readonly commit: string;
  readonly path: string;
  /** Objects that are known to be readable in `gitdir`, with all that they refer to under the managed path. */
  readonly proven: ReadonlySet<string>;
}
