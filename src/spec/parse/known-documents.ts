import type { Resource } from '../../model/resource.ts';
import { DocumentOrigin, FilePlaces } from './document-origin.ts';
import { readDocument } from './read-document.ts';
import type { SourceText } from './source-text.ts';
import type { Problem } from './problem.ts';
import { documentEvents, type DocumentText, documentTexts } from './yaml-stream.ts';
import { yamlDocuments } from './yaml-tree.ts';

/** A document of a file with which nothing is wrong, and what it declares. */
interface KnownDocument {
  readonly text: string;
  readonly resources: readonly Resource[];
}

/** The documents of a file by the line that they start on. */
export type KnownDocuments = ReadonlyMap<number, KnownDocument>;

/** The documents of a file that was read as a whole, with which nothing is wrong. */
export function knownDocuments(source: SourceText, resources: readonly Resource[]): KnownDocuments {
  const known = new Map<number, KnownDocument>();
  let next = 0;
  for (const { text, offset } of documentTexts(source.text)) {
    const first = next;
    while (startOf(resources[next]) < offset + text.length) next += 1;
    known.set(source.placeAt(offset).line, { text, resources: resources.slice(first, next) });
  }
  return known;
}

/**
 * Reads a file of which another version is known: what stands where it stood is the same objects as before. Nothing when
 * anything is wrong, or when a directive could reach over documents: the file has to be read as a whole then.
 */
export function readChanged(source: SourceText, known: KnownDocuments): KnownDocuments | undefined {
  if (/^(?:%|\.\.\.)/m.test(source.text)) return undefined;
  const places = new FilePlaces(source);
  const documents = new Map<number, KnownDocument>();
  for (const document of documentTexts(source.text)) {
    const { line } = source.placeAt(document.offset);
    const before = known.get(line);
    const same = before?.text === document.text ? before : readAlone(document, places);
    if (same === undefined) return undefined;
    documents.set(line, same);
  }
  return documents;
}

function readAlone(document: DocumentText, places: FilePlaces): KnownDocument | undefined {
  const problems: Problem[] = [];
  const chunk = documentEvents(document);
  if (chunk === undefined) return undefined;
  const resources: Resource[] = [];
  for (const each of yamlDocuments(chunk, problems)) {
    const resource = readDocument(each, places, problems);
    if (resource === undefined) return undefined;
    resources.push(resource);
  }
  return problems.length > 0 ? undefined : { text: document.text, resources };
}

/** Beyond every document when there is none. */
function startOf(resource: Resource | undefined): number {
  return resource?.origin instanceof DocumentOrigin ? resource.origin.start : Number.POSITIVE_INFINITY;
}
