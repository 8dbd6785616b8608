import type { Diagnostic } from '../model/diagnostic.ts';
import type { Resource } from '../model/resource.ts';
import { ResourceSet } from '../model/resource-set.ts';
import { Unread } from './unread.ts';
import { RULES } from './rules/index.ts';

/**
 * Everything that is wrong between the resources. Rules skip what does not resolve, and do not miss what an unread
 * document seems to declare: one mistake, one diagnostic.
 */
export function checkResources(
  resources: readonly Resource[],
  set: ResourceSet = new ResourceSet(resources),
  unread: Unread = new Unread([]),
): readonly Diagnostic[] {
  return RULES.flatMap((rule) => [...rule(set, resources, unread)]);
}
