import type { Diagnostic } from '../model/diagnostic.ts';
import type { Resource } from '../model/resource.ts';
import type { ResourceSet } from '../model/resource-set.ts';
import type { Unread } from './unread.ts';

/**
 * A check over all resources of a revision: what no document shows by itself. A rule skips what does not resolve or does
 * not parse, and misses nothing that an unread document seems to declare, so that one mistake gives one diagnostic.
 */
export type Rule = (set: ResourceSet, all: readonly Resource[], unread: Unread) => Iterable<Diagnostic>;
