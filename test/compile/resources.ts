import { loadAll } from 'js-yaml';
import type { Resource } from '../../src/model/resource.ts';
import { ResourceSet } from '../../src/model/resource-set.ts';

interface Document {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
  };
  readonly spec?: object;
}

/** Resources from YAML documents that are known to be right; nothing is validated. */
export function resourcesOf(yaml: string, file = 'test.yaml'): readonly Resource[] {
  const documents = loadAll(yaml) as (Document | null)[];
  return documents.filter((document) => document !== null).map((document) => resourceOf(document, file));
}

/** The same as a set. */
export function setOf(yaml: string): ResourceSet {
  return new ResourceSet(resourcesOf(yaml));
}

/** One resource from its parts. */
export function resourceOf({ kind, metadata, spec }: Document, file = 'test.yaml'): Resource {
  const place = { file, line: 1, column: 1 };
  return {
    kind,
    name: metadata.name,
    namespace: metadata.namespace,
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    spec: spec ?? {},
    origin: { place, placeOf: () => place, excerptOf: () => ({ text: '', length: 0 }) },
  } as unknown as Resource;
}
