import type { Diagnostic } from '../../model/diagnostic.ts';
import { scopedName } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import type { Kind } from '../../model/specs.ts';
import { diagnose } from '../diagnose.ts';
import { nearest } from '../nearest.ts';
import { referencesOf } from '../references.ts';
import type { Unread } from '../unread.ts';
import type { Part } from '../parts.ts';

/** Every name leads to a resource of this revision; so nothing can be removed that is still in use. */
export function* referencesResolve({ every }: Part, set: ResourceSet, unread: Unread): Iterable<Diagnostic> {
  for (const resource of every) {
    for (const { field, kind, name } of referencesOf(resource)) {
      if (set.get(kind, name) !== undefined || unread.declares(kind, name)) continue;
      yield diagnose(resource, {
        code: 'REF302',
        field,
        message: `there is no ${kind} "${name}"`,
        hint: hintFor(set, kind, name),
      });
    }
  }
}

function hintFor(set: ResourceSet, kind: Kind, name: string): string {
  const names = set.all(kind).map(scopedName);
  if (kind === 'Port' && !name.includes('/')) {
    const scoped = names.find((other) => other.endsWith(`/${name}`));
    if (scoped !== undefined) return `Did you mean "${scoped}"? A Port with a namespace is named with it.`;
  }
  const near = names.length <= 10_000 ? nearest(name, names) : undefined;
  return near === undefined ? `Declare the ${kind}, or remove what refers to it.` : `Did you mean "${near}"?`;
}
