import { SourceFault } from './source-error.ts';

/** How much a repository may cost us. Bytes are bytes, times are milliseconds. */
export interface Limits {
  /** Largest pack that is accepted in one fetch, and all packs of a local repository together. */
  readonly packBytes: number;
  /** Most YAML files under the managed path. */
  readonly files: number;
  /** Largest YAML file. */
  readonly fileBytes: number;
  /** All YAML files of a revision together. */
  readonly totalBytes: number;
  /** Our own store is cloned anew when it holds more packs than this ... */
  readonly packs: number;
  /** ... or more bytes in packs than this. */
  readonly storeBytes: number;
  /** Until the connection stands, TLS included. */
  readonly connectMs: number;
  /** Between two pieces of an answer, the first one included. */
  readonly idleMs: number;
  /** For one request, and for waiting on another fetch into the same store. */
  readonly totalMs: number;
}

/** Generous for a repository of network specs, far below what would hurt a small machine. */
export const DEFAULT_LIMITS: Limits = {
  packBytes: 256 * 1024 * 1024,
  files: 20_000,
  fileBytes: 1024 * 1024,
  totalBytes: 64 * 1024 * 1024,
  packs: 50,
  storeBytes: 512 * 1024 * 1024,
  connectMs: 10_000,
  idleMs: 30_000,
  totalMs: 300_000,
};

/** What to follow. Typed, so that a branch and a tag of the same name are never confused. */
export type SourceRef = { readonly branch: string } | { readonly tag: string } | { readonly commit: string };

/** User name and password or token for basic authentication, or headers such as `Authorization: Bearer ...`. */
export interface Credentials {
  readonly username?: string;
  readonly password?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Receives events for the log: a static name and fields, never a secret. */
export type SourceLog = (event: string, fields: Readonly<Record<string, unknown>>) => void;

/** Where the specs are. */
export interface SourceOptions {
  /** https://, http://, file:// or the path of a work tree or bare repository. */
  readonly url: string;
  readonly ref: SourceRef;
  /** Folder with the managed files; '' is the root. */
  readonly path: string;
  /** Directory of our own bare repositories. One store belongs to one source. */
  readonly store: string;
  readonly credentials?: Credentials;
  /** PEM of the certificate authorities to trust instead of the built-in ones. */
  readonly ca?: string;
  readonly limits?: Partial<Limits>;
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
  readonly log?: SourceLog;
}

/** The fully qualified name of a branch or tag, or undefined for a commit. Throws BAD_OPTION for names that Git refuses. */
export function qualifiedRef(ref: SourceRef): string | undefined {
  if ('commit' in ref) {
    if (FULL_OID.test(ref.commit)) return undefined;
    throw new SourceFault('BAD_OPTION', `commit "${ref.commit}" is not 40 hexadecimal digits`);
  }
  const name = 'branch' in ref ? ref.branch : ref.tag;
  const bad = name === '' || name.startsWith('-') || BAD_REF.test(name);
  if (bad) throw new SourceFault('BAD_OPTION', `"${name}" is not a valid branch or tag name`);
  return 'branch' in ref ? `refs/heads/${name}` : `refs/tags/${name}`;
}

/** The managed path without leading or trailing slashes. Throws BAD_OPTION when it leads out of the repository. */
export function managedPath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw new SourceFault('BAD_OPTION', `path "${path}" leads out of the repository`);
  return parts.join('/');
}

/** A full SHA-1 object name. */
export const FULL_OID: RegExp = /^[0-9a-f]{40}$/u;

// git-check-ref-format(1): no control characters, no space ~ ^ : ? * [ \, no "..", no "@{", no "//", no component that starts with
// a dot or ends with ".lock", no dot or slash at the ends.
const BAD_REF = /[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\/|(^|\/)\.|\.lock(\/|$)|^\/|[/.]$|^@$/u;
