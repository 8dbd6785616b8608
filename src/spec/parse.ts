import type { Diagnostic } from '../model/diagnostic.ts';
import type { Resource } from '../model/resource.ts';
import { FilePlaces } from './parse/document-origin.ts';
import { type KnownDocuments, knownDocuments, readChanged } from './parse/known-documents.ts';
import { diagnosticOf, type Problem } from './parse/problem.ts';
import { readDocument } from './parse/read-document.ts';
import { SourceText } from './parse/source-text.ts';
import { unparsedDocuments, unreadDocument, type UnreadDocument } from './parse/unread-document.ts';
import { yamlChunks } from './parse/yaml-stream.ts';
import { yamlDocuments } from './parse/yaml-tree.ts';

/** What one file says, and what is wrong with it. */
export interface ParsedFile {
  readonly file: string;
  readonly resources: readonly Resource[];
  /** Documents that are no resources for what is wrong with them. */
  readonly unread: readonly UnreadDocument[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Characters; a lock file of 100,000 ports fits. */
const MAX_LENGTH = 4 * 1024 * 1024;
/** A file with more problems than this has one problem. */
const MAX_DIAGNOSTICS = 200;

/**
 * Reads the documents of a file: YAML 1.2 core, then the schema of each kind. All problems at once, in the order of
 * the text. Depends on nothing but path and text, so the outcome may be kept for as long as both are the same. Of an
 * earlier version of the file those resources are taken over that stand where they stood, as the same objects.
 */
export function parseFile(file: string, text: string, before?: ParsedFile): ParsedFile {
  const source = new SourceText(file, text.replace(/^\uFEFF/, ''));
  const known = before?.file === file && text.length <= MAX_LENGTH ? documentsOf(before) : undefined;
  const changed = known === undefined ? undefined : readChanged(source, known);
  if (changed === undefined) return parseWhole(source);
  const resources = [...changed.values()].flatMap((document) => document.resources);
  const parsed: ParsedFile = { file, resources, unread: [], diagnostics: [] };
  documents.set(parsed, changed);
  return parsed;
}

/** What is known of files with which nothing is wrong: the text, until the documents are asked for. */
const documents = new WeakMap<ParsedFile, SourceText | KnownDocuments>();

function documentsOf(parsed: ParsedFile): KnownDocuments | undefined {
  const known = documents.get(parsed);
  return known instanceof SourceText ? knownDocuments(known, parsed.resources) : known;
}

function parseWhole(source: SourceText): ParsedFile {
  const problems: Problem[] = [];
  const read = source.text.length > MAX_LENGTH ? tooLarge(source, problems) : readAll(source, problems);
  const parsed: ParsedFile = { file: source.file, ...read, diagnostics: capped(problems, source) };
  if (problems.length === 0) documents.set(parsed, source);
  return parsed;
}

type Documents = Pick<ParsedFile, 'resources' | 'unread'>;

function readAll(source: SourceText, problems: Problem[]): Documents {
  const places = new FilePlaces(source);
  const [resources, unread]: [Resource[], UnreadDocument[]] = [[], []];
  for (const chunk of yamlChunks(source.text, problems)) {
    if (chunk.events === undefined) {
      unread.push(...unparsedDocuments(chunk.text));
      continue;
    }
    for (const document of yamlDocuments(chunk, problems)) {
      const resource = readDocument(document, places, problems);
      if (resource === undefined) unread.push(unreadDocument(document.root, source.text));
      else resources.push(resource);
    }
  }
  return { resources, unread };
}

function tooLarge(source: SourceText, problems: Problem[]): Documents {
  problems.push({
    code: 'YAM110',
    message: `the file has ${source.text.length} characters, more than ${MAX_LENGTH}`,
    hint: 'Split it into several files.',
    span: { start: 0, end: 1 },
  });
  return { resources: [], unread: unparsedDocuments(source.text) };
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
