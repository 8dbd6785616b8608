import type { AcceptedRevision } from '../model/revision.ts';
import type { Operation, WireValue } from '../ovsdb/index.ts';
import { acceptedKey, printAccepted } from '../plan/fence.ts';
import { encodeMap, encodeUuid } from '../plan/wire.ts';

/** Puts a revision in force in place of `previous`; fails as a whole when another one is in force by now. */
export function acceptOperations(
  owner: string,
  globalUuid: string,
  next: AcceptedRevision,
  previous: AcceptedRevision | undefined,
): readonly Operation[] {
  const key = acceptedKey(owner);
  const uuid = encodeUuid(globalUuid);
  const mutations: (readonly [string, string, WireValue])[] = [];
  if (previous !== undefined)
    mutations.push(['external_ids', 'delete', encodeMap({ [key]: printAccepted(previous) })]);
  // `insert` does not overwrite (RFC 7047 5.1): the new pair is there only if the old one was what we read.
  mutations.push(['external_ids', 'insert', encodeMap({ [key]: printAccepted(next) })]);
  return [
    { op: 'mutate', table: 'NB_Global', where: [['_uuid', '==', uuid]], mutations },
    {
      op: 'wait',
      timeout: 0,
      table: 'NB_Global',
      where: [
        ['_uuid', '==', uuid],
        ['external_ids', 'includes', encodeMap({ [key]: printAccepted(next) })],
      ],
      columns: ['_uuid'],
      until: '==',
      rows: [{ _uuid: uuid }],
    },
    {
      op: 'comment',
      comment: `ovn-gitops ${owner}: revision ${next.sequence} accepted, commit ${next.commit}`,
    },
  ];
}

/** Makes the one row of NB_Global if there is none. */
export function initOperations(): readonly Operation[] {
  return [
    { op: 'wait', timeout: 0, table: 'NB_Global', where: [], columns: ['nb_cfg'], until: '==', rows: [] },
    { op: 'insert', table: 'NB_Global', row: {} },
    { op: 'comment', comment: 'ovn-gitops: first row of NB_Global' },
  ];
}
