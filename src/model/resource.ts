import type { Place } from './diagnostic.ts';
import type { Kind, Labels, SpecByKind } from './specs.ts';

/** One document of the repository that passed its schema. */
export interface ResourceOf<K extends Kind> {
  readonly kind: K;
  readonly name: string;
  /** Only Port and NetworkPolicy have one; a Port may do without. */
  readonly namespace: string | undefined;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly spec: SpecByKind[K];
  readonly origin: Origin;
}

/** Where a resource was written. */
export interface Origin {
  /** The place of the document's first key. */
  readonly place: Place;
  /** The place of a field's value by its path (`spec.exclude[2]`); falls back to the nearest enclosing field. */
  placeOf(field: string): Place;
  /** The line of text around a place and the length of the value there, for the caret. */
  excerptOf(field: string): { readonly text: string; readonly length: number };
}

/** Any resource; narrow by `kind`. */
export type Resource = { readonly [K in Kind]: ResourceOf<K> }[Kind];

/** Names a resource in messages and identities: `Kind/name` or `Kind/namespace/name`. */
export function resourceId(resource: Pick<Resource, 'kind' | 'name' | 'namespace'>): string {
  return `${resource.kind}/${scopedName(resource)}`;
}

/** `namespace/name`, or `name` alone without a namespace: how Ports are referred to. */
export function scopedName(resource: Pick<Resource, 'name' | 'namespace'>): string {
  return resource.namespace === undefined ? resource.name : `${resource.namespace}/${resource.name}`;
}
