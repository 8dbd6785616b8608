import type { Diagnostic } from '../model/diagnostic.ts';
import type { ResourceSet } from '../model/resource-set.ts';
import type { Part } from './parts.ts';
import type { Unread } from './unread.ts';

/**
 * What no document shows by itself. A rule looks at the resources of one part and says what is wrong with them, or with
 * what they meet in the rest of the revision (`set`); it is asked again when anything that it has read there changes.
 * So it reads the set by name or relation, never as a whole to find a few. It skips what does not resolve or does not
 * parse, and misses nothing that an unread document seems to declare, so that one mistake gives one diagnostic.
 */
export type Rule = (part: Part, set: ResourceSet, unread: Unread) => Iterable<Diagnostic>;
