import type { PortAddresses } from '../compile/addresses.ts';
import { Compiler } from '../compile/compiler.ts';
import type { Result } from '../lib/result.ts';
import { fail, ok } from '../lib/result.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { hasErrors } from '../model/diagnostic.ts';
import { reached } from '../model/fault-point.ts';
import type { RepositorySpec } from '../model/specs.ts';
import type { DesiredNb } from '../plan/desired.ts';
import { DesiredRows } from '../plan/desired.ts';
import type { DriftPolicy } from '../plan/drift-policy.ts';
import { driftPolicy } from '../plan/drift-policy.ts';
import type { ParsedFile } from '../spec/parse.ts';
import { parseFile } from '../spec/parse.ts';
import { Validation } from '../spec/validate.ts';
import type { RevisionSource, SourceProblem, SourceRevision, SpecFile } from './revision-source.ts';

/** A revision that means something: what should exist, and by which settings it is kept so. */
export interface DesiredRevision {
  readonly revision: SourceRevision;
  readonly desired: DesiredNb;
  readonly compiled: {
    /** The addresses of every Port, by scoped name. */
    readonly addresses: Iterable<readonly [port: string, addresses: PortAddresses]> & {
      get(port: string): PortAddresses | undefined;
    };
  };
  readonly repository: RepositorySpec;
  readonly policy: DriftPolicy;
  readonly warnings: readonly Diagnostic[];
}

/** A revision that can't be used: unreadable, or wrong. */
export type RevisionFault =
  | { readonly kind: 'source'; readonly problem: SourceProblem }
  | {
      readonly kind: 'invalid';
      readonly revision: SourceRevision;
      readonly diagnostics: readonly Diagnostic[];
    };

interface ParsedBlob {
  readonly oid: string;
  readonly file: ParsedFile;
}

type Outcome = Result<DesiredRevision, RevisionFault>;

/** How many revisions are kept: the one in force, the one before it, and one that is being looked at. */
const KEPT = 3;

/** Reads, validates and compiles revisions. Unchanged files are not parsed again; recent revisions are kept whole. */
export class DesiredRevisions {
  readonly #source: RevisionSource;
  /** What a commit means never changes, also when it is that it is not valid. */
  readonly #kept = new Map<string, Outcome>();
  readonly #pending = new Map<string, Promise<Outcome>>();
  /** The files of the last revision by path. */
  #parsed: ReadonlyMap<string, ParsedBlob> = new Map();
  #compiler = new RevisionCompiler();

  constructor(source: RevisionSource) {
    this.#source = source;
  }

  /** The desired state of a commit. A commit that is not in the store yet is fetched. */
  async at(commit: string, signal: AbortSignal): Promise<Outcome> {
    const known = this.#kept.get(commit) ?? this.#pending.get(commit);
    if (known !== undefined) return known;
    // Several units may ask at once; the work is done once for all of them.
    const work = this.#read(commit, signal);
    this.#pending.set(commit, work);
    try {
      const outcome = await work;
      if (outcome.ok || outcome.error.kind === 'invalid') this.#keep(commit, outcome);
      return outcome;
    } finally {
      this.#pending.delete(commit);
    }
  }

  async #read(commit: string, signal: AbortSignal): Promise<Outcome> {
    const files = await this.#files(commit, signal);
    if (!files.ok) return fail({ kind: 'source', problem: files.error });
    const revision = await this.#source.revision(commit, signal);
    if (!revision.ok) return fail({ kind: 'source', problem: revision.error });
    return this.#compile(revision.value, await this.#parse(files.value));
  }

  async #files(commit: string, signal: AbortSignal): Promise<Result<readonly SpecFile[], SourceProblem>> {
    const files = await this.#source.files(commit, signal);
    if (files.ok || files.error.kind === 'permanent') return files;
    const fetched = await this.#source.fetch(signal);
    return fetched.ok ? this.#source.files(commit, signal) : files;
  }

  async #parse(files: readonly SpecFile[]): Promise<readonly ParsedFile[]> {
    const parsed = new Map<string, ParsedBlob>();
    for (const file of files) {
      const { path, oid } = file;
      const before = this.#parsed.get(path);
      const isSame = before?.oid === oid;
      parsed.set(path, isSame ? before : { oid, file: parseFile(path, await file.text(), before?.file) });
    }
    this.#parsed = parsed;
    return Array.from(parsed.values(), ({ file }) => file);
  }

  #compile(revision: SourceRevision, files: readonly ParsedFile[]): Outcome {
    const compiler = this.#compiler;
    // One that has thrown may have done half of its work.
    this.#compiler = new RevisionCompiler();
    const outcome = compiler.compile(revision, files);
    this.#compiler = compiler;
    return outcome;
  }

  #keep(commit: string, outcome: Outcome): void {
    this.#kept.set(commit, outcome);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }
}

/** Validates and compiles the parsed files of a revision: all diagnostics at once, or the desired state. */
export function compileFiles(
  revision: SourceRevision,
  files: Iterable<ParsedFile>,
): Result<DesiredRevision, RevisionFault> {
  return new RevisionCompiler().compile(revision, files);
}

/**
 * Validates and compiles revisions one after the other, in whatever order they come. What differs from the one before is
 * all that costs; the outcome is that of compileFiles, but for rows that are the same objects where they say the same.
 */
export class RevisionCompiler {
  readonly #validation = new Validation();
  readonly #compiler = new Compiler(this.#validation.set);
  #desired = new DesiredRows();

  /** Takes the files of a revision; those that are the same objects as before are known to be unchanged. */
  compile(revision: SourceRevision, files: Iterable<ParsedFile>): Result<DesiredRevision, RevisionFault> {
    reached('files parsed');
    const checked = this.#validation.validate(files);
    reached('specs validated');
    this.#compiler.follow(checked.changes);
    if (hasErrors(checked.diagnostics))
      return fail({ kind: 'invalid', revision, diagnostics: checked.diagnostics });
    const compiled = this.#compiler.compile();
    reached('rows compiled');
    this.#desired = this.#desired.with(compiled.units);
    const diagnostics = [...checked.diagnostics, ...compiled.diagnostics];
    if (hasErrors(diagnostics)) return fail({ kind: 'invalid', revision, diagnostics });
    const [repository] = this.#validation.set.all('Repository');
    const spec = repository?.spec ?? {};
    return ok({
      revision,
      desired: this.#desired,
      compiled: { addresses: compiled.addresses },
      repository: spec,
      policy: driftPolicy(spec.drift),
      warnings: diagnostics,
    });
  }
}
