import { acceptedKey, printAccepted } from '../model/fence.ts';
import type { AcceptedRevision } from '../model/revision.ts';
import type { Mutation } from '../ovsdb/index.ts';
import { guardPairs, whereUuid } from './guards.ts';
import type { Transaction } from './transaction.ts';
import { encodeMap } from './wire.ts';

/**
 * Puts a revision in force in place of what the record says now (`previousText`, readable or not); fails as a whole when
 * the record says something else by then.
 */
export function acceptTransaction(
  owner: string,
  globalUuid: string,
  next: AcceptedRevision,
  previousText: string | undefined,
): Transaction {
  const key = acceptedKey(owner);
  const mutations: Mutation[] = [];
  if (previousText !== undefined) {
    mutations.push(['external_ids', 'delete', encodeMap({ [key]: previousText })]);
  }
  // `insert` does not overwrite (RFC 7047 5.1): the new pair is there only if the old one was what we read.
  mutations.push(['external_ids', 'insert', encodeMap({ [key]: printAccepted(next) })]);
  return {
    operations: [
      { op: 'mutate', table: 'NB_Global', where: [whereUuid(globalUuid)], mutations },
      guardPairs('NB_Global', globalUuid, 'external_ids', { [key]: printAccepted(next) }),
      {
        op: 'comment',
        comment: `ovn-gitops ${owner}: revision ${next.sequence} accepted, commit ${next.commit}`,
      },
    ],
    nbCfgIndex: undefined,
    keyOf: () => undefined,
  };
}

/** Makes the one row of NB_Global if there is none. */
export function firstRowTransaction(): Transaction {
  return {
    operations: [
      { op: 'wait', timeout: 0, table: 'NB_Global', where: [], columns: ['nb_cfg'], until: '==', rows: [] },
      { op: 'insert', table: 'NB_Global', row: {} },
      { op: 'comment', comment: 'ovn-gitops: first row of NB_Global' },
    ],
    nbCfgIndex: undefined,
    keyOf: () => undefined,
  };
}
