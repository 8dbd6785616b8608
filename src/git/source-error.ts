/** Every way in which reading a repository can fail. */
export type SourceErrorCode =
  | 'UNREACHABLE'
  | 'TIMED_OUT'
  | 'BAD_RESPONSE'
  | 'REDIRECTED'
  | 'CERTIFICATE_REFUSED'
  | 'AUTH_FAILED'
  | 'REPOSITORY_MISSING'
  | 'REF_MISSING'
  | 'REF_LIST_INCOMPLETE'
  | 'PACK_INCOMPLETE'
  | 'COMMIT_MISSING'
  | 'AMBIGUOUS_REVISION'
  | 'OBJECT_MISSING'
  | 'OBJECT_DAMAGED'
  | 'PATH_MISSING'
  | 'PATH_NOT_DIRECTORY'
  | 'SYMLINK'
  | 'SUBMODULE'
  | 'BAD_MODE'
  | 'BAD_PATH'
  | 'LFS_POINTER'
  | 'NOT_UTF8'
  | 'TOO_LARGE'
  | 'BAD_OPTION'
  | 'UNSUPPORTED_URL'
  | 'NOT_A_REPOSITORY'
  | 'SHA256_REPOSITORY'
  | 'UNSUPPORTED_REPOSITORY'
  | 'STORE_BUSY'
  | 'STORE_UNUSABLE'
  | 'ABORTED';

/** Why a source could not be read. Whatever it says, the revision that is in force stays in force. */
export interface SourceError {
  readonly code: SourceErrorCode;
  /** One sentence that names the redacted URL or the path; never a secret. */
  readonly message: string;
  /** What to do about it, in the imperative. */
  readonly hint: string;
  /** A transient error may pass by itself and is worth a retry with back-off; a permanent one waits for a person or a new commit. */
  readonly kind: 'transient' | 'permanent';
  /** The commit at fault, where one is known. */
  readonly commit?: string;
  /** The files at fault, in canonical order, relative to the managed path. */
  readonly paths?: readonly string[];
}

/** Carries a SourceError through code that can only throw; the public functions turn it back into a value. */
export class SourceFault extends Error {
  override readonly name = 'SourceFault';
  readonly error: SourceError;

  constructor(
    code: SourceErrorCode,
    message: string,
    where: Partial<Pick<SourceError, 'kind' | 'commit' | 'paths'>> = {},
  ) {
    super(message);
    this.error = { code, message, hint: ADVICE[code].hint, kind: ADVICE[code].kind, ...where };
  }
}

const ADVICE: Readonly<Record<SourceErrorCode, Pick<SourceError, 'hint' | 'kind'>>> = {
  UNREACHABLE: { kind: 'transient', hint: 'Check the network, the name and the port of the Git server.' },
  TIMED_OUT: {
    kind: 'transient',
    hint: 'Check the load of the Git server, or raise the time limits of the source.',
  },
  BAD_RESPONSE: { kind: 'transient', hint: 'Check that the URL is that of a Git repository (smart HTTP).' },
  REDIRECTED: { kind: 'permanent', hint: 'Configure the URL that the server points to.' },
  CERTIFICATE_REFUSED: {
    kind: 'permanent',
    hint: 'Give the CA certificate that signed the server certificate.',
  },
  AUTH_FAILED: {
    kind: 'permanent',
    hint: 'Renew the token or password and check that it may read the repository.',
  },
  REPOSITORY_MISSING: {
    kind: 'permanent',
    hint: 'Check the URL; many servers answer "not found" when the token may not read the repository.',
  },
  REF_MISSING: { kind: 'permanent', hint: 'Restore the branch or tag, or configure another one.' },
  REF_LIST_INCOMPLETE: { kind: 'transient', hint: 'Check proxies between here and the Git server.' },
  PACK_INCOMPLETE: { kind: 'transient', hint: 'Check proxies between here and the Git server.' },
  COMMIT_MISSING: {
    kind: 'permanent',
    hint: 'Name a commit that the repository has, in full if it is remote.',
  },
  AMBIGUOUS_REVISION: { kind: 'permanent', hint: 'Give more digits of the commit.' },
  OBJECT_MISSING: {
    kind: 'transient',
    hint: 'Fetch the source again; run `git fsck` in the repository it comes from.',
  },
  OBJECT_DAMAGED: {
    kind: 'transient',
    hint: 'Fetch the source again; run `git fsck` in the repository it comes from.',
  },
  PATH_MISSING: {
    kind: 'permanent',
    hint: 'Restore the folder or correct the path of the source; to remove everything, keep the folder with a .gitkeep in it.',
  },
  PATH_NOT_DIRECTORY: { kind: 'permanent', hint: 'Name a folder as the path of the source.' },
  SYMLINK: { kind: 'permanent', hint: 'Replace the symbolic link by a file.' },
  SUBMODULE: {
    kind: 'permanent',
    hint: 'Copy the files into the repository, or make it a source of its own.',
  },
  BAD_MODE: { kind: 'permanent', hint: 'Commit the file with mode 100644.' },
  BAD_PATH: { kind: 'permanent', hint: 'Rename the file: names are UTF-8 without control characters.' },
  LFS_POINTER: {
    kind: 'permanent',
    hint: 'Take the file out of Git LFS (`git lfs untrack`, then commit it again).',
  },
  NOT_UTF8: { kind: 'permanent', hint: 'Save the file as UTF-8 text.' },
  TOO_LARGE: {
    kind: 'permanent',
    hint: 'Split or remove what is too large, or raise the limits of the source.',
  },
  BAD_OPTION: { kind: 'permanent', hint: 'Correct the configuration of the source.' },
  UNSUPPORTED_URL: { kind: 'permanent', hint: 'Use https://, http://, file:// or a path.' },
  NOT_A_REPOSITORY: { kind: 'permanent', hint: 'Name the top folder of a work tree or a bare repository.' },
  SHA256_REPOSITORY: { kind: 'permanent', hint: 'Use a repository with SHA-1 object names.' },
  UNSUPPORTED_REPOSITORY: {
    kind: 'permanent',
    hint: 'Clone the repository into an ordinary one and use that.',
  },
  STORE_BUSY: { kind: 'transient', hint: 'Wait for the other fetch to end.' },
  STORE_UNUSABLE: { kind: 'transient', hint: 'Check free space and permissions of the state directory.' },
  ABORTED: { kind: 'transient', hint: 'Nothing: the operation was stopped on request.' },
};
