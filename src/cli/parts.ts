import type { Result } from '../lib/result.ts';
import type { CanonicalDump } from '../plan/canonical-dump.ts';
import type { Northbound } from '../reconcile/northbound.ts';
import type { SourceProblem, SourceRevision, SpecFile } from '../reconcile/revision-source.ts';
import type { StatusStore } from '../reconcile/status-store.ts';
import type { Command } from './command.ts';
import type { Fault } from './fault.ts';

/** What commands need of the world; src/main puts the real parts in. */
export interface CliParts {
  /** Prints data. */
  readonly out: (text: string) => void;
  /** Prints what a person should know beside the data. */
  readonly err: (text: string) => void;
  /** Fires when the user wants to stop. */
  readonly signal: AbortSignal;
  readonly clock: () => number;
  /** The spec files under a path: as they lie there, or of a commit of the repository around it. */
  readFiles(path: string, revision: string | undefined): Promise<Result<FilesOf, SourceProblem>>;
  writeFile(path: string, text: string): Promise<void>;
  /** Opens a Northbound; a failure is a sentence that says what to do. */
  openNorthbound(
    endpoint: string,
    options: { readonly owner: string; readonly tls: TlsFiles | undefined; readonly timeoutMs: number },
  ): Promise<Result<Northbound, string>>;
  /** The whole content of a Northbound in canonical form. */
  dumpNorthbound(
    endpoint: string,
    options: { readonly tls: TlsFiles | undefined; readonly timeoutMs: number },
  ): Promise<Result<CanonicalDump, string>>;
  /** Opens the status of a running installation, by Redis address or state directory. */
  openStore(options: StoreAddress): Promise<Result<OpenStore, Fault>>;
  /** The commands that run for a long time; they need many parts and are put together in src/main. */
  readonly services: readonly Command[];
}

/** Spec files and the commit that they are of. */
export interface FilesOf {
  readonly revision: SourceRevision;
  readonly files: readonly SpecFile[];
}

/** PEM files for ssl: endpoints. */
export interface TlsFiles {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Where the status of an installation is kept. */
export interface StoreAddress {
  readonly redis: string | undefined;
  readonly state: string;
  readonly owner: string;
}

/** An open status store. */
export interface OpenStore {
  readonly store: StatusStore;
  /** Why reading failed; undefined for an error that is not the store's. */
  explain(error: unknown): Fault | undefined;
  close(): Promise<void>;
}
