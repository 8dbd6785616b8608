import type { Rule } from '../rule.ts';
import { referencesResolve } from './references-resolve.ts';
import { uniqueIdentity } from './unique-identity.ts';

/** All rules, in the order in which a reader wants to hear from them. */
export const RULES: readonly Rule[] = [uniqueIdentity, referencesResolve];
