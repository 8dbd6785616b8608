import type { UnitName } from '../../src/model/nb.ts';
import type {
  DriftRecord,
  Receipt,
  RevisionRecord,
  SourceStatus,
  StatusOverview,
  UnitStatus,
} from '../../src/model/status.ts';

/** 2026-11-30 20:15:00Z */
export const NOON = 1_796_069_700_000;

const COMMIT = 'c'.repeat(40);

export function sourceStatus(fields: Partial<SourceStatus>): SourceStatus {
  return {
    url: 'https://git.example/net.git',
    condition: 'Ready',
    reason: 'Accepted',
    message: 'Open port 443',
    serving: { sequence: 3, commit: COMMIT },
    seen: COMMIT,
    fetchedAt: NOON,
    diagnostics: '',
    ...fields,
  };
}

export function unitStatus(name: string, fields: Partial<UnitStatus>): UnitStatus {
  return {
    unit: `vpc/${name}` as UnitName,
    condition: 'Ready',
    reason: 'Applied',
    message: '1 created, 2 updated, 3 deleted',
    sequence: 3,
    commit: COMMIT,
    at: NOON,
    convergence: { nbCfg: 7, translatedAt: NOON, chassis: { caughtUp: 1, total: 2, behind: ['node-2'] } },
    ...fields,
  };
}

export function receipt(name: string, fields: Partial<Receipt> = {}): Receipt {
  return {
    unit: `vpc/${name}` as UnitName,
    sequence: 3,
    commit: COMMIT,
    cause: 'revision',
    created: 1,
    updated: 2,
    deleted: 3,
    nbCfg: 7,
    tookMs: 40,
    at: NOON + 1_500,
    ...fields,
  };
}

export function revisionRecord(sequence: number): RevisionRecord {
  return {
    sequence,
    commit: COMMIT,
    subject: 'Open port 443',
    author: 'Ada',
    acceptedAt: NOON,
    receipts: [
      receipt('a'),
      receipt('b', { at: NOON + 900 }),
      receipt('a', { cause: 'drift', at: NOON + 9_000 }),
      receipt('a', { created: 0, updated: 0, deleted: 0, at: NOON + 60_000 }),
    ],
  };
}

export function driftRecord(fields: Partial<DriftRecord>): DriftRecord {
  return {
    unit: 'vpc/a' as UnitName,
    changes: ['~ Logical_Switch_Port/web  addresses: [evil] -> [good]'],
    outcome: 'corrected',
    seenAt: NOON,
    correctedAt: NOON + 120,
    ...fields,
  };
}

export function overview(fields: Partial<StatusOverview>): StatusOverview {
  return {
    owner: 'test',
    source: sourceStatus({}),
    units: [unitStatus('a', {})],
    history: [revisionRecord(3)],
    drift: [driftRecord({})],
    readAt: NOON + 5_000,
    ...fields,
  };
}
