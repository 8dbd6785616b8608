import { compareText } from '../lib/order.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { ResourceChange } from '../model/relation-index.ts';
import type { Resource } from '../model/resource.ts';
import { ResourceSet } from '../model/resource-set.ts';
import { Checks } from './check.ts';
import { parseFile, type ParsedFile } from './parse.ts';
import { Unread } from './unread.ts';

/** A revision's resources and all that is wrong with them. */
export interface Validated {
  readonly set: ResourceSet;
  readonly resources: readonly Resource[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads and checks all files of a revision. The order of the files does not matter. */
export function validateFiles(files: readonly { readonly path: string; readonly text: string }[]): Validated {
  return validateParsed(files.map(({ path, text }) => parseFile(path, text)));
}

/** Checks parsed files against each other, once. */
export function validateParsed(files: readonly ParsedFile[]): Validated {
  const validation = new Validation();
  const { diagnostics } = validation.validate(files);
  const ordered = files.toSorted((a, b) => compareText(a.file, b.file));
  return { set: validation.set, resources: ordered.flatMap((file) => file.resources), diagnostics };
}

/**
 * Checks one revision after the other. What a change of files does not reach is not looked at again; the outcome is that
 * of checking everything.
 */
export class Validation {
  /** The resources of the last revision. */
  readonly set: ResourceSet = new ResourceSet();
  readonly #unread = new Unread();
  readonly #checks = new Checks(this.set, this.#unread);
  #files: ReadonlySet<ParsedFile> = new Set();
  /** Files of which not all could be used. */
  readonly #faulty = new Set<ParsedFile>();

  /**
   * Checks parsed files against each other; a file is unchanged when it is the same object as before. Diagnostics come in
   * canonical order: by file, line, column, code. What is missing is not reported when a document that could not be used
   * seems to declare exactly that.
   */
  validate(files: Iterable<ParsedFile>): {
    readonly changes: readonly ResourceChange[];
    readonly diagnostics: readonly Diagnostic[];
  } {
    const changes = this.#replace(new Set(files));
    this.#checks.follow(changes);
    this.#unread.replace([...this.#faulty].flatMap(({ unread }) => unread));
    const diagnostics = [
      ...[...this.#faulty].flatMap((file) => file.diagnostics),
      ...this.#checks.diagnostics(),
    ];
    return { changes, diagnostics: diagnostics.toSorted(compareDiagnostics) };
  }

  #replace(files: ReadonlySet<ParsedFile>): readonly ResourceChange[] {
    const gone = [...this.#files].filter((file) => !files.has(file));
    const come = [...files].filter((file) => !this.#files.has(file));
    this.#files = files;
    for (const file of gone) this.#faulty.delete(file);
    for (const file of come) {
      if (file.diagnostics.length > 0 || file.unread.length > 0) this.#faulty.add(file);
    }
    const before = new Set(gone.flatMap(({ resources }) => resources));
    const after = new Set(come.flatMap(({ resources }) => resources));
    return this.set.replace(
      [...before].filter((resource) => !after.has(resource)),
      [...after].filter((resource) => !before.has(resource)),
    );
  }
}

/** A total order, so that the order does not depend on what was checked first. */
function compareDiagnostics(a: Diagnostic, b: Diagnostic): number {
  return (
    compareText(a.place.file, b.place.file) ||
    a.place.line - b.place.line ||
    a.place.column - b.place.column ||
    compareText(a.code, b.code) ||
    compareText(a.message, b.message) ||
    compareText(a.field, b.field) ||
    compareText(JSON.stringify([a.hint, a.related]), JSON.stringify([b.hint, b.related]))
  );
}
