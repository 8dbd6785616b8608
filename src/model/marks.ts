/** Every external_ids key of ours starts with this; all others belong to somebody else. */
export const MARK_PREFIX = 'ovn-gitops:';

/** external_ids keys by which a row is ours. */
export const MARK = {
  owner: 'ovn-gitops:owner',
  key: 'ovn-gitops:key',
  unit: 'ovn-gitops:unit',
  hash: 'ovn-gitops:hash',
  source: 'ovn-gitops:source',
  commit: 'ovn-gitops:commit',
} as const;
