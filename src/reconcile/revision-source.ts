import type { Result } from '../lib/result.ts';

/** A commit as the use cases see it. */
export interface SourceRevision {
  readonly commit: string;
  /** `at` in ms since 1970. */
  readonly author: { readonly name: string; readonly email: string; readonly at: number };
  readonly subject: string;
}

/** A spec file of a revision; equal oid means equal text. */
export interface SpecFile {
  readonly path: string;
  readonly oid: string;
  text(): Promise<string>;
}

/** Why the repository could not be read. transient: asking again may help; permanent: a person has to act. */
export interface SourceProblem {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly kind: 'transient' | 'permanent';
}

/** The repository. A problem never means that something was deleted: the last accepted revision stays in force. */
export interface RevisionSource {
  /** The tip of the followed branch, with every object of it proven to be readable. */
  fetch(signal?: AbortSignal): Promise<Result<SourceRevision, SourceProblem>>;
  revision(commit: string, signal?: AbortSignal): Promise<Result<SourceRevision, SourceProblem>>;
  files(commit: string, signal?: AbortSignal): Promise<Result<readonly SpecFile[], SourceProblem>>;
  relation(older: string, newer: string): Promise<'same' | 'descendant' | 'rewound' | 'unknown'>;
  /** Keeps an accepted revision readable for ever. */
  accept(commit: string, sequence: number): Promise<void>;
  accepted(): Promise<readonly { readonly sequence: number; readonly commit: string }[]>;
}
