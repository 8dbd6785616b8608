import type { Resource } from '../../model/resource.ts';
import type { Kind, Labels } from '../../model/specs.ts';
import { DocumentOrigin, type FilePlaces } from './document-origin.ts';
import { isKubernetesKind, kindOf } from './kinds.ts';
import type { Problem } from './problem.ts';
import { schemaErrors } from './schema-check.ts';
import { schemaProblem } from './schema-problems.ts';
import { entryOf, type YamlNode } from './yaml-node.ts';
import type { YamlDocument } from './yaml-tree.ts';
import { yamlValue, type YamlValue } from './yaml-value.ts';

/** The resource that a document is, if its schema admits it. */
export function readDocument(
  { root, sound }: YamlDocument,
  places: FilePlaces,
  problems: Problem[],
): Resource | undefined {
  if (root.kind !== 'mapping') {
    const message = `the document is a ${root.kind}, not a mapping`;
    const hint = 'Write one mapping with apiVersion, kind, metadata and spec; separate documents with "---".';
    problems.push({ code: 'YAM111', message, hint, span: root });
    return undefined;
  }
  const found = kindOf(root);
  if ('problem' in found) {
    problems.push(found.problem);
    return undefined;
  }
  if (!sound) return undefined;
  const objections: Problem[] = [];
  const read = yamlValue(root, objections);
  const document = isKubernetesKind(found.kind) ? withoutNulls(read) : read;
  const violations = schemaViolations(found.kind, document, root);
  problems.push(...oncePerField(violations, objections));
  if (violations.length > 0) return undefined;
  problems.push(...ignoredStatus(root));
  return resourceOf(found.kind, document as unknown as ValidDocument, new DocumentOrigin(places, root.start));
}

/** A document that its schema admitted. */
interface ValidDocument {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Labels;
    readonly annotations?: Labels;
  };
  readonly spec?: Resource['spec'];
}

function resourceOf(kind: Kind, { metadata, spec }: ValidDocument, origin: DocumentOrigin): Resource {
  return {
    kind,
    name: metadata.name,
    namespace: metadata.namespace,
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    spec: spec ?? {},
    origin,
  } as Resource;
}

/** A number that is not meant as one needs quotes; one that is must be written well before its size matters. */
function oncePerField(violations: readonly Problem[], objections: readonly Problem[]): readonly Problem[] {
  const mistyped = new Set(
    violations.filter((problem) => problem.code === 'SCH204').map((problem) => problem.field),
  );
  const objected = new Set(objections.map((problem) => problem.field));
  return [
    ...violations.filter((problem) => problem.code === 'SCH204' || !objected.has(problem.field)),
    ...objections.filter((problem) => !mistyped.has(problem.field)),
  ];
}

/** Violations in the order of the text. */
function schemaViolations(kind: Kind, document: YamlValue, root: YamlNode): readonly Problem[] {
  return schemaErrors(kind, document)
    .map((error) => schemaProblem(error, root))
    .filter((problem) => problem !== undefined)
    .toSorted((a, b) => a.span.start - b.span.start);
}

/** In the Kubernetes API a field that is null is a field that is absent. */
function withoutNulls(value: YamlValue): YamlValue {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(withoutNulls);
  const kept = Object.entries(value).filter(([, field]) => field !== null);
  return Object.assign(
    Object.create(null) as object,
    Object.fromEntries(kept.map(([key, field]) => [key, withoutNulls(field)])),
  ) as YamlValue;
}

function ignoredStatus(root: YamlNode): readonly Problem[] {
  const status = entryOf(root, 'status');
  if (status === undefined) return [];
  const hint = 'Remove it: status is never read from a file.';
  return [
    {
      code: 'SCH208',
      severity: 'warning',
      message: 'status is ignored',
      hint,
      span: status.keySpan,
      field: 'status',
    },
  ];
}
