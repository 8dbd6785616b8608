import { compile } from '../src/compile/compile.ts';
import type { NbState, NbValue, UnitName } from '../src/model/nb.ts';
import type { Plan } from '../src/model/plan.ts';
import type { NorthboundDatabase } from '../src/nb/northbound.ts';
import type { Operation } from '../src/ovsdb/index.ts';
import { MANAGED_TABLES } from '../src/plan/managed-tables.ts';
import { buildTransaction } from '../src/plan/transaction.ts';
import { appliedKey } from '../src/model/fence.ts';
import { applyOnce } from '../src/reconcile/apply-once.ts';
import type { DesiredRevision } from '../src/reconcile/desired-revisions.ts';
import { isOpen, planUnit, planUnits } from '../src/reconcile/plan-units.ts';
import type { Validated } from '../src/spec/validate.ts';
import { openTestNorthbound } from '../test/support/apply-harness.ts';
import type { OvsdbServer } from '../test/support/ovsdb-server.ts';
import { type GeneratedFile, MOVED_UNIT, withMovedPort } from './generate.ts';
import { cpuOf, NbFixture } from './nb-fixture.ts';
import { RawClient } from './raw-client.ts';
import { compiledRevision, OWNER, revisionOf, withFreshRows, withFreshUnit } from './revision.ts';
import { type Elapsed, type Stopwatch, timed, timedAsync } from './stopwatch.ts';

const COMMIT_A = 'a'.repeat(40);
const COMMIT_B = 'b'.repeat(40);
/** One-port changes in each run; the first ones warm up and only move the tail. */
const CHANGES = 100;

const STAGE = {
  planEmpty: 'diff against an empty Northbound',
  build: 'build the transactions',
  commit: 'commit, one transaction a unit',
  apply: 'plan, build and commit everything',
  planSame: 'diff when nothing is to do, first look',
  planAgain: 'diff when nothing is to do, again',
  planMoved: 'diff of everything when one port moved',
  open: 'open the full Northbound',
  onePlan: 'one port: diff of its unit',
  oneBuild: 'one port: build the transaction',
  oneCommit: 'one port: commit',
} as const;

/** From rows to a real ovsdb-server and back, and the same operations sent without us. */
export async function measureCommits(
  files: readonly GeneratedFile[],
  validated: Validated,
  runs: number,
  stopwatch: Stopwatch,
): Promise<{ readonly rows: number; readonly units: number }> {
  const moved = revisionOf(withMovedPort(files), COMMIT_B);
  const fixture = new NbFixture({ sequence: 1, commit: COMMIT_A });
  try {
    await fixture.prepare();
    let size = { rows: 0, units: 0 };
    for (let run = 0; run < runs; run += 1) {
      const revision = compiledRevision(validated, compile(validated.set), COMMIT_A);
      size = { rows: revision.desired.state.rows.size, units: revision.desired.units.length };
      await measureRun({ fixture, revision, moved, stopwatch, oursFirst: run % 2 === 0 });
    }
    return size;
  } finally {
    fixture.remove();
  }
}

interface Run {
  readonly fixture: NbFixture;
  readonly revision: DesiredRevision;
  readonly moved: DesiredRevision;
  readonly stopwatch: Stopwatch;
  /** Who goes first alternates, so that neither always meets the warmer machine. */
  readonly oursFirst: boolean;
}

/** The operations of the last run, one list a transaction: the same in every run. */
let bulk: readonly (readonly Operation[])[] = [];
let single: readonly (readonly Operation[])[] = [];

async function measureRun(run: Run): Promise<void> {
  if (run.oursFirst) {
    bulk = await applyOurs(run);
    await applyRaw(run);
    await openBoth(run);
    single = await changeOurs(run);
    await changeRaw(run);
  } else {
    await applyRaw(run);
    bulk = await applyOurs(run);
    await openBoth(run);
    await changeRaw(run);
    single = await changeOurs(run);
  }
}

/** Everything into an empty database, then looks at what is there. */
async function applyOurs({ fixture, revision, moved, stopwatch }: Run): Promise<readonly Operation[][]> {
  return fixture.open(
    'empty',
    async (northbound, server) => {
      const { desired, policy } = revision;
      // As a preview, since units that hang on rows of others have no changes yet while those are not there.
      const plans = stopwatch.time(STAGE.planEmpty, () =>
        planUnits(desired, northbound, OWNER, policy, true),
      );
      stopwatch.weigh(STAGE.planEmpty);
      stopwatch.time(STAGE.build, () => plans.map((plan) => buildFor(northbound, revision, plan, fixture)));
      const recorded = recordTransactions(northbound);
      const before = cpuOf(server.pid);
      const result = await stopwatch.timeAsync(STAGE.apply, () =>
        applyOnce(northbound, revision, OWNER, { now: 0, passHolds: true }, AbortSignal.timeout(120_000)),
      );
      if (result.failed.length > 0) throw new Error(JSON.stringify(result.failed[0]));
      stopwatch.record(STAGE.commit, sum(recorded.elapsed));
      stopwatch.note(STAGE.commit, commitNote(recorded.operations, cpuOf(server.pid) - before));
      stopwatch.weigh(STAGE.commit);
      measureSettled(northbound, revision, moved, stopwatch);
      return recorded.operations;
    },
    'full',
  );
}

function commitNote(operations: readonly (readonly Operation[])[], serverCpu: number): string {
  const bytes = operations.reduce((total, list) => total + JSON.stringify(list).length, 0);
  const count = operations.reduce((total, list) => total + list.length, 0);
  return `${operations.length} transactions, ${count} operations, ${(bytes / 2 ** 20).toFixed(1)} MB; server CPU ${serverCpu} ms`;
}

/** Diffs against a database that is as it should be, with rows as a new compilation gives them. */
function measureSettled(
  northbound: NorthboundDatabase,
  { policy, desired: seen }: DesiredRevision,
  moved: DesiredRevision,
  stopwatch: Stopwatch,
): void {
  const desired = withFreshRows(seen);
  for (const stage of [STAGE.planSame, STAGE.planAgain]) {
    const plans = stopwatch.time(stage, () => planUnits(desired, northbound, OWNER, policy));
    if (plans.some(isOpen)) throw new Error('something is to do after everything was applied');
    const [, raw] = timed(() => sameRows(seen.state, desired.state));
    stopwatch.recordRaw(stage, raw);
  }
  const again = withFreshRows(moved.desired);
  const plans = stopwatch.time(STAGE.planMoved, () => planUnits(again, northbound, OWNER, policy));
  const open = plans.filter(isOpen);
  if (open.length !== 1) throw new Error(`${open.length} units are open after moving one port`);
  stopwatch.weigh(STAGE.planMoved);
}

/** The least that comparing can be: every column of every row with its like, both in memory and in one form. */
function sameRows(a: NbState, b: NbState): boolean {
  for (const [key, row] of a.rows) {
    const other = b.rows.get(key);
    if (other === undefined) return false;
    for (const column of Object.keys(row.columns)) {
      if (!sameShape(row.columns[column], other.columns[column])) return false;
    }
  }
  return true;
}

function sameShape(a: NbValue | undefined, b: NbValue | undefined): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return a === b;
  const [left, right] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
  const names = Object.keys(left);
  return names.every((name) => {
    const [x, y] = [left[name], right[name]];
    return typeof x === 'object' ? sameShape(x as NbValue, y as NbValue) : x === y;
  });
}

async function applyRaw({ fixture, stopwatch }: Run): Promise<void> {
  await fixture.serve('empty', async (server) => {
    const client = await RawClient.open(server.socketPath);
    const [, elapsed] = await timedAsync(async () => {
      for (const operations of bulk) await client.transact(operations);
    });
    client.close();
    if (bulk.length === 0) return;
    stopwatch.recordRaw(STAGE.commit, elapsed);
    stopwatch.recordRaw(STAGE.apply, elapsed);
  });
}

/** The first replica: everything that we compare, in one reply. */
async function openBoth({ fixture, stopwatch }: Run): Promise<void> {
  await fixture.serve('full', async (server) => {
    await openRaw(server, stopwatch);
    const northbound = await stopwatch.timeAsync(STAGE.open, () => openTestNorthbound(server.endpoint));
    stopwatch.weigh(STAGE.open);
    await northbound.close();
  });
}

async function openRaw(server: OvsdbServer, stopwatch: Stopwatch): Promise<void> {
  const client = await RawClient.open(server.socketPath);
  const requests = Object.fromEntries(
    Object.entries(MANAGED_TABLES).map(([table, columns]) => [table, [{ columns }]]),
  );
  const nothing = '00000000-0000-0000-0000-000000000000';
  const [, elapsed] = await timedAsync(() =>
    client.call('monitor_cond_since', ['OVN_Northbound', 'bench', requests, nothing]),
  );
  stopwatch.recordRaw(STAGE.open, elapsed);
  client.close();
}

/** One port to and fro, each time as a revision of its own. */
async function changeOurs(run: Run): Promise<readonly Operation[][]> {
  const { fixture, revision, moved, stopwatch } = run;
  const unit = MOVED_UNIT as UnitName;
  return fixture.open('full', async (northbound, server) => {
    const recorded = recordTransactions(northbound);
    const steps: Record<'plan' | 'build', Elapsed[]> = { plan: [], build: [] };
    const before = cpuOf(server.pid);
    for (let change = 0; change < CHANGES; change += 1) {
      const goal = change % 2 === 0 ? moved : revision;
      const desired = withFreshUnit(goal.desired, unit);
      const [plan, planned] = timed(() => planUnit(unit, desired, northbound, OWNER, goal.policy));
      // The port itself, and the address set of its group.
      if (plan.changes.length !== 2) throw new Error(`${plan.changes.length} changes for one port`);
      const [transaction, built] = timed(() => buildFor(northbound, { ...goal, desired }, plan, fixture));
      steps.plan.push(planned);
      steps.build.push(built);
      const outcome = await northbound.transact(transaction, AbortSignal.timeout(10_000));
      if (outcome.kind !== 'committed') throw new Error(outcome.reason);
    }
    const serverCpu = (cpuOf(server.pid) - before) / CHANGES;
    recordEach(stopwatch, STAGE.onePlan, steps.plan);
    recordEach(stopwatch, STAGE.oneBuild, steps.build);
    recordEach(stopwatch, STAGE.oneCommit, recorded.elapsed);
    const bytes = JSON.stringify(recorded.operations[0]).length;
    stopwatch.note(
      STAGE.oneCommit,
      `${recorded.operations[0]?.length} operations, ${bytes} B; server CPU ${serverCpu.toFixed(2)} ms`,
    );
    return recorded.operations;
  });
}

async function changeRaw({ fixture, stopwatch }: Run): Promise<void> {
  if (single.length === 0) return;
  await fixture.serve('full', async (server) => {
    const client = await RawClient.open(server.socketPath);
    for (const operations of single) {
      const [, elapsed] = await timedAsync(() => client.transact(operations));
      stopwatch.recordRaw(STAGE.oneCommit, elapsed);
    }
    client.close();
  });
}

function buildFor(
  northbound: NorthboundDatabase,
  revision: DesiredRevision,
  plan: Plan,
  { accepted }: NbFixture,
): ReturnType<typeof buildTransaction> {
  return buildTransaction({
    plan,
    desired: revision.desired,
    live: northbound.live,
    schema: northbound.schema,
    owner: OWNER,
    accepted,
    appliedText: northbound.record(appliedKey(OWNER, plan.unit)),
    globalUuid: northbound.globalUuid ?? '',
    now: 0,
    author: revision.revision.author.name,
  });
}

/** Notes the operations and the time of every transaction that goes through. */
function recordTransactions(northbound: NorthboundDatabase): {
  readonly operations: Operation[][];
  readonly elapsed: Elapsed[];
} {
  const recorded = { operations: [] as Operation[][], elapsed: [] as Elapsed[] };
  const transact = northbound.transact.bind(northbound);
  northbound.transact = async (transaction, signal) => {
    recorded.operations.push([...transaction.operations]);
    const [outcome, elapsed] = await timedAsync(() => transact(transaction, signal));
    recorded.elapsed.push(elapsed);
    return outcome;
  };
  return recorded;
}

function recordEach(stopwatch: Stopwatch, stage: string, elapsed: readonly Elapsed[]): void {
  for (const one of elapsed) stopwatch.record(stage, one);
}

function sum(elapsed: readonly Elapsed[]): Elapsed {
  return elapsed.reduce((a, b) => ({ wall: a.wall + b.wall, cpu: a.cpu + b.cpu }), { wall: 0, cpu: 0 });
}
