import type { Condition, RevisionRecord, SourceStatus, UnitStatus } from '../model/status.ts';
import { COMMIT_BOUNDS_MS, type Totals } from '../model/totals.ts';
import { writtenAt } from '../model/written-at.ts';
import type { ApiParts } from './api-parts.ts';
import { histogramSamples, type Metric, type Sample } from './metric-text.ts';
import { readiness } from './readiness.ts';

const CONDITIONS: readonly Condition[] = ['Ready', 'Reconciling', 'Stalled'];

/**
 * Everything that is measured. Names and labels are fixed and few: no label is a unit, a commit or a node. While the
 * status store is away only what the Northbound says is there, and ovn_gitops_status_readable is 0.
 */
export async function collectMetrics(parts: ApiParts): Promise<readonly Metric[]> {
  const { northbound } = parts;
  const stored = await readStored(parts);
  return [
    gauge('ovn_gitops_ready', 'Whether the Northbound is followed and a revision is in force.', [
      flag(readiness(parts).ready),
    ]),
    gauge('ovn_gitops_northbound_live', 'Whether the replica follows the Northbound.', [
      flag(northbound.isLive),
    ]),
    gauge('ovn_gitops_status_readable', 'Whether the status store (Redis) answers.', [
      flag(stored !== undefined),
    ]),
    ...(stored === undefined ? [] : storedMetrics(parts, stored)),
  ];
}

interface Stored {
  readonly source: SourceStatus | undefined;
  readonly units: readonly UnitStatus[];
  readonly newest: RevisionRecord | undefined;
  readonly totals: Totals;
  readonly depth: Awaited<ReturnType<ApiParts['queue']['depth']>>;
}

async function readStored({ store, queue, log }: ApiParts): Promise<Stored | undefined> {
  try {
    const [source, units, [newest], totals, depth] = await Promise.all([
      store.source(),
      store.units(),
      store.history(1),
      store.totals(),
      queue.depth(),
    ]);
    return { source, units, newest, totals, depth };
  } catch (error) {
    log('status not read', { error: String(error) });
    return undefined;
  }
}

function storedMetrics(parts: ApiParts, stored: Stored): readonly Metric[] {
  const { source, units, newest, totals, depth } = stored;
  return [
    ...sourceMetrics(source, parts.clock()),
    gauge('ovn_gitops_revision_written_seconds', WRITTEN_HELP, writtenSeconds(newest)),
    gauge(
      'ovn_gitops_units',
      'Units by condition.',
      CONDITIONS.map((condition) => ({
        labels: { condition },
        value: units.filter((unit) => unit.condition === condition).length,
      })),
    ),
    ...proofMetrics(parts, units),
    ...totalMetrics(totals),
    gauge(
      'ovn_gitops_queue_jobs',
      'Jobs of units in the queue by state.',
      Object.entries(depth).map(([state, value]) => ({ labels: { state }, value })),
    ),
  ];
}

function sourceMetrics(source: SourceStatus | undefined, now: number): readonly Metric[] {
  const { serving, seen, fetchedAt } = source ?? {};
  return [
    gauge(
      'ovn_gitops_source_condition',
      'The condition of the source: 1 for the one it is in.',
      CONDITIONS.map((condition) => ({
        labels: { condition },
        value: Number(source?.condition === condition),
      })),
    ),
    gauge(
      'ovn_gitops_source_fetch_age_seconds',
      'Time since the last complete fetch.',
      fetchedAt === undefined ? [] : [{ value: Math.max(0, now - fetchedAt) / 1000 }],
    ),
    gauge('ovn_gitops_source_behind', 'Whether Git is at another commit than the network serves.', [
      flag(seen !== undefined && seen !== serving?.commit),
    ]),
    gauge(
      'ovn_gitops_revision_sequence',
      'Number of the revision in force; grows by one with every acceptance.',
      serving === undefined ? [] : [{ value: serving.sequence }],
    ),
  ];
}

const WRITTEN_HELP =
  'From the acceptance of the newest revision to the first transaction of the last of its units.';

function writtenSeconds(newest: RevisionRecord | undefined): readonly Sample[] {
  const at = newest === undefined ? undefined : writtenAt(newest);
  if (newest === undefined || at === undefined) return [];
  return [{ value: Math.max(0, at - newest.acceptedAt) / 1000 }];
}

/** How far the newest commit has got: nb_cfg only grows, so whoever has installed it has installed all. */
function proofMetrics({ northbound }: ApiParts, units: readonly UnitStatus[]): readonly Metric[] {
  const committed = units.flatMap(({ convergence }) =>
    convergence === undefined ? [] : [convergence.nbCfg],
  );
  const newest = committed.length === 0 ? undefined : northbound.convergence(Math.max(...committed));
  const chassis = newest?.chassis;
  return [
    gauge(
      'ovn_gitops_northd_caught_up',
      'Whether ovn-northd has translated the newest commit.',
      newest === undefined ? [] : [flag(newest.translatedAt !== undefined)],
    ),
    gauge(
      'ovn_gitops_chassis',
      'Chassis that exist.',
      chassis === undefined ? [] : [{ value: chassis.total }],
    ),
    gauge(
      'ovn_gitops_chassis_caught_up',
      'Chassis that have installed the newest commit.',
      chassis === undefined ? [] : [{ value: chassis.caughtUp }],
    ),
  ];
}

function totalMetrics({ rows, drift, commits, commitMs }: Totals): readonly Metric[] {
  return [
    counter(
      'ovn_gitops_rows_total',
      'Rows of the Northbound that were written, by what was done and why.',
      Object.entries(rows).flatMap(([cause, changes]) =>
        Object.entries(changes).map(([change, value]) => ({ labels: { cause, change }, value })),
      ),
    ),
    counter(
      'ovn_gitops_drift_total',
      'Changes by others that were seen, by what became of them.',
      Object.entries(drift).map(([outcome, value]) => ({ labels: { outcome }, value })),
    ),
    {
      name: 'ovn_gitops_commit_seconds',
      help: 'From taking the job of a unit to the reply of the Northbound, per transaction.',
      type: 'histogram',
      samples: histogramSamples(
        COMMIT_BOUNDS_MS.map((bound) => bound / 1000),
        commits,
        commitMs / 1000,
      ),
    },
  ];
}

function gauge(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, help, type: 'gauge', samples };
}

function counter(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, help, type: 'counter', samples };
}

function flag(value: boolean): Sample {
  return { value: Number(value) };
}
