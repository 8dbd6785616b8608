import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Resource } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';
import type { Part } from '../parts.ts';

/** Kinds of which a repository has at most one. */
const SINGLE = ['Repository'] as const;

/** One identity (kind and name) is declared in one place: never the last one wins, never a union. */
export function* repeatedIdentities(set: ResourceSet): Iterable<Diagnostic> {
  for (const [id, [first, ...more]] of set.repeated()) {
    if (first === undefined) continue;
    for (const other of more) {
      yield declaredTwice(id, other, first);
      yield declaredTwice(id, first, other);
    }
  }
}

function declaredTwice(id: string, resource: Resource, other: Resource): Diagnostic {
  return diagnose(resource, {
    code: 'REF301',
    field: 'metadata.name',
    message: `${id} is declared twice`,
    hint: 'Keep one of the documents, or give one of them another name.',
    related: [{ resource: other, field: 'metadata.name' }],
  });
}

/** A repository has one document of settings at most. */
export function* singleKinds(part: Part, set: ResourceSet): Iterable<Diagnostic> {
  for (const kind of SINGLE) {
    for (const resource of part.all(kind)) {
      const [only] = set.all(kind);
      if (only === undefined || only === resource) continue;
      yield diagnose(resource, {
        code: 'REF304',
        field: 'kind',
        message: `there is more than one ${kind}`,
        hint: 'Keep one of them.',
        related: [{ resource: only, field: 'kind' }],
      });
    }
  }
}
