import type { RowKey } from '../model/nb.ts';
import type { RepositorySpec } from '../model/specs.ts';

/** What to do about a row that was changed behind our back. */
export type DriftPolicy = (key: RowKey) => 'correct' | 'report' | 'ignore';

/** Puts every row right: what holds where the repository says nothing. */
export const CORRECT_ALL: DriftPolicy = () => 'correct';

/**
 * The policy of a repository: patterns over row keys, where `*` stands for any text without a slash and `**` for any
 * text; the first that matches wins.
 */
export function driftPolicy(rules: RepositorySpec['drift']): DriftPolicy {
  if (rules === undefined || rules.length === 0) return CORRECT_ALL;
  const compiled = rules.map((rule) => ({ pattern: globPattern(rule.rows), policy: rule.policy }));
  return (key) => compiled.find((rule) => rule.pattern.test(key))?.policy ?? 'correct';
}

function globPattern(glob: string): RegExp {
  const source = glob.split(/(\*\*?)/).map((part) => {
    if (part === '**') return '.*';
    if (part === '*') return '[^/]*';
    return part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  });
  return new RegExp(`^${source.join('')}$`);
}
