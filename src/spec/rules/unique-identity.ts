import type { Diagnostic } from '../../model/diagnostic.ts';
import { resourceId, type Resource } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';

/** Kinds of which a repository has at most one. */
const SINGLE = ['Repository'] as const;

/** One identity (kind and name) is declared in one place: never the last one wins, never a union. */
export function* uniqueIdentity(set: ResourceSet, all: readonly Resource[]): Iterable<Diagnostic> {
  const first = new Map<string, Resource>();
  for (const resource of all) {
    const id = resourceId(resource);
    const other = first.get(id);
    if (other === undefined) {
      first.set(id, resource);
      continue;
    }
    const message = `${id} is declared twice`;
    const hint = 'Keep one of the documents, or give one of them another name.';
    for (const [one, two] of [
      [resource, other],
      [other, resource],
    ] as const) {
      yield diagnose(one, {
        code: 'REF301',
        field: 'metadata.name',
        message,
        hint,
        related: [{ resource: two, field: 'metadata.name' }],
      });
    }
  }
  for (const kind of SINGLE) {
    const [only, ...more] = set.all(kind);
    for (const resource of only === undefined ? [] : more) {
      const hint = 'Keep one of them.';
      const related = only === undefined ? [] : [{ resource: only, field: 'kind' }];
      yield diagnose(resource, {
        code: 'REF304',
        field: 'kind',
        message: `there is more than one ${kind}`,
        hint,
        related,
      });
    }
  }
}
