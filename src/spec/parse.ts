import type { Diagnostic } from '../model/diagnostic.ts';
import type { Resource } from '../model/resource.ts';
import { diagnosticOf, type Problem } from './parse/problem.ts';
import { readDocument } from './parse/read-document.ts';
import { SourceText } from './parse/source-text.ts';
import { yamlChunks } from './parse/yaml-stream.ts';
import { yamlDocuments } from './parse/yaml-tree.ts';

/** What one file says, and what is wrong with it. */
export interface ParsedFile {
  readonly file: string;
  readonly resources: readonly Resource[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Characters; a lock file of 100,000 ports fits. */
const MAX_LENGTH = 4 * 1024 * 1024;
/** A file with more problems than this has one problem. */
const MAX_DIAGNOSTICS = 200;

/**
 * Reads the documents of a file: YAML 1.2 core, then the schema of each kind. All problems at once, in the order of
 * the text. Depends on nothing but its arguments, so the outcome may be kept for as long as both are the same.
 */
export function parseFile(file: string, text: string): ParsedFile {
  const source = new SourceText(file, text.replace(/^\uFEFF/, ''));
  const problems: Problem[] = [];
  const resources = text.length > MAX_LENGTH ? tooLarge(source, problems) : readAll(source, problems);
  return { file, resources, diagnostics: capped(problems, source) };
}

function readAll(source: SourceText, problems: Problem[]): readonly Resource[] {
  const documents = yamlChunks(source.text, problems).flatMap((chunk) => yamlDocuments(chunk, problems));
  return documents
    .map((document) => readDocument(document, source, problems))
    .filter((resource) => resource !== undefined);
}

function tooLarge(source: SourceText, problems: Problem[]): readonly Resource[] {
  problems.push({
    code: 'YAM110',
    message: `the file has ${source.text.length} characters, more than ${MAX_LENGTH}`,
    hint: 'Split it into several files.',
    span: { start: 0, end: 1 },
  });
  return [];
}

function capped(problems: readonly Problem[], source: SourceText): readonly Diagnostic[] {
  const ordered = problems.toSorted((a, b) => a.span.start - b.span.start);
  const shown = ordered.slice(0, MAX_DIAGNOSTICS);
  const next = ordered[MAX_DIAGNOSTICS];
  if (next !== undefined) {
    const message = `${ordered.length - MAX_DIAGNOSTICS} more problems in this file are not shown`;
    shown.push({ code: 'SCH209', message, hint: 'Mend the ones above first.', span: next.span });
  }
  return shown.map((problem) => diagnosticOf(problem, source));
}
