import type { Result } from '../lib/result.ts';
import type { Database, DatabaseOptions, OvsdbErrorCode, WantedTables } from '../ovsdb/index.ts';
import type { CanonicalDump } from '../plan/canonical-dump.ts';
import type { Northbound } from '../reconcile/northbound.ts';
import type { SourceProblem, SourceRevision, SpecFile } from '../reconcile/revision-source.ts';
import type { StatusStore } from '../reconcile/status-store.ts';
import type { Command } from './command.ts';
import type { Fault } from './fault.ts';

/** The reason of `signal` when nobody reads the output any more: the command ends without a word. */
export const READER_LEFT = 'the reader of standard output went away';

/** What commands need of the world; src/main puts the real parts in. */
export interface CliParts {
  /** Prints data. */
  readonly out: (text: string) => void;
  /** Prints what a person should know beside the data. */
  readonly err: (text: string) => void;
  /**
   * Prints data as it is, colours included: the caller has made printable what came from outside. Resolves when the
   * reader has room for more; rejects when it is gone or the user wants to stop.
   */
  readonly write: (text: string) => Promise<void>;
  /** Whether what `write` prints goes to a terminal that shows colours. */
  readonly hasColor: boolean;
  /** From now on a reader that goes away is a normal end, not a failure. */
  readonly allowReaderToLeave: () => void;
  /** Fires when the user wants to stop. */
  readonly signal: AbortSignal;
  readonly clock: () => number;
  /** The spec files under a path: as they lie there, or of a commit of the repository around it. */
  readFiles(path: string, revision: string | undefined): Promise<Result<FilesOf, SourceProblem>>;
  /** The text of a file; `-` is standard input. The error says what is wrong. */
  readText(path: string): Promise<Result<string, string>>;
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
  /** Opens any OVSDB database; rejects when the user wants to stop. */
  openOvsdb(address: OvsdbAddress): Promise<Result<Database, OvsdbFault>>;
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

/** An OVSDB database, with everything that opening it takes. */
export interface OvsdbAddress {
  /** One endpoint, or several of one cluster with commas. */
  readonly endpoint: string;
  readonly database: string;
  readonly tables: WantedTables;
  readonly tls: TlsFiles | undefined;
  readonly timeoutMs: number;
  /** It has answered before: it may take its time over the rows, and `timeoutMs` counts from a lost connection on. */
  readonly isAnswering?: boolean;
  readonly leaderOnly: boolean;
  readonly log?: DatabaseOptions['log'];
}

/** Why a database could not be opened; without a code no server answered. */
export interface OvsdbFault extends Fault {
  readonly code?: OvsdbErrorCode;
}

/** Where the status of an installation is kept. */
export interface StoreAddress {
  readonly redis: string | undefined;
  /** File with the CA certificate of a Redis with TLS. */
  readonly redisCa: string | undefined;
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
