import type { Database } from '../../src/ovsdb/index.ts';
import { acceptedRevision } from '../../src/reconcile/revision-record.ts';
import { reconcileUnit } from '../../src/reconcile/reconcile-unit.ts';
import { variantOf, UNITS } from './network-revisions.ts';
import { closeWriter, type NetworkLoad, openWriter } from './network-load.ts';
import { readTruth, unitFault, type Truth, type UnitRows } from './network-truth.ts';
import { connectRaw, type RawConnection } from './raw-connection.ts';
import type { UnitStream } from './unit-stream.ts';
import { differences, rawRowTexts, replicaRowTexts } from './wire-text.ts';

/** What a round of faults is checked with. */
export interface NetworkUnderTest {
  readonly load: NetworkLoad;
  readonly streams: readonly UnitStream[];
  /** A client of the whole database that went through the same faults. */
  readonly replica: Database;
  /** The same, but it follows any member. */
  readonly anyReplica: Database;
  readonly expected: readonly UnitRows[];
  /** Where the truth is read, that is the leader. */
  readonly leader: () => Promise<string>;
  /** Where a program that is started now connects. */
  readonly remotes: readonly string[];
}

/**
 * Lets the load settle, then compares everything that was promised with what the leader holds: no row twice, every unit
 * exactly as the newest accepted revision has it, foreign rows as they were left, replicas equal to the leader, and a
 * program that starts now writes nothing. Returns what is wrong.
 */
export async function brokenPromises(network: NetworkUnderTest): Promise<readonly string[]> {
  const { load, streams, expected } = network;
  await load.settle();
  const endpoint = await network.leader();
  const raw = await connectRaw(endpoint);
  try {
    const truth = await readTruth(raw);
    const broken = [
      ...load.faults,
      ...streams.flatMap((stream) => stream.faults),
      ...truth.doubles.map((name) => `${name} exists twice`),
      ...UNITS.flatMap((unit) => unitFault(unit, truth, expected) ?? []),
      ...newestFaults(truth, load, expected),
      ...load.foreign.faults(truth.foreign),
    ];
    await writeNothing(network, broken);
    broken.push(...(await replicaFaults(network.replica, raw)));
    // A follower may be behind the leader, but not for ever.
    const deadline = Date.now() + LAG_MS;
    let lagging: readonly string[] = [''];
    while (lagging.length > 0 && Date.now() < deadline)
      lagging = await replicaFaults(network.anyReplica, raw);
    broken.push(...lagging);
    for (const { northbound } of load.writers) {
      await northbound.resynced(AbortSignal.timeout(60_000));
      const rows = UNITS.flatMap((unit) => [...northbound.live.keysOf(unit)]).flatMap((key) =>
        northbound.live.withKey(key),
      );
      const found = rows.map((row) => `${row.table}/${row.uuid}`).toSorted();
      const wanted = [...truth.rows].filter(([, text]) => text.includes('"ovn-gitops:owner": "test"'));
      if (
        found.join() !==
        wanted
          .map(([key]) => key)
          .toSorted()
          .join()
      )
        broken.push('a writer finds other rows of ours than there are');
    }
    if ((await readTruth(raw)).versions !== truth.versions)
      broken.push('something was written while all was idle');
    return broken;
  } finally {
    raw.close();
  }
}

const LAG_MS = 30_000;

async function replicaFaults(replica: Database, raw: RawConnection): Promise<readonly string[]> {
  await replica.resynced(AbortSignal.timeout(60_000));
  const tables = await raw.select('OVN_Northbound', [...replica.schema.tables.keys()]);
  return differences(replicaRowTexts(replica), rawRowTexts(tables)).map((line) => `replica: ${line}`);
}

/** A unit that isn't as the newest accepted revision has it, or one that was accepted and is forgotten. */
function newestFaults(truth: Truth, load: NetworkLoad, expected: readonly UnitRows[]): readonly string[] {
  const { accepted } = truth;
  if (accepted === undefined)
    return load.acceptedSequence() === 0 ? [] : ['the record of the accepted revision is gone'];
  const faults = UNITS.filter(
    (unit) => (truth.units.get(unit) ?? '') !== (expected[variantOf(accepted.commit)]?.get(unit) ?? ''),
  ).map((unit) => `${unit} is not as revision ${accepted.sequence} ${accepted.commit} has it`);
  return accepted.sequence < load.acceptedSequence()
    ? [...faults, `revision ${load.acceptedSequence()} was accepted, and ${accepted.sequence} is in force`]
    : faults;
}

/** A program that starts now finds everything done. */
async function writeNothing(network: NetworkUnderTest, broken: string[]): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  const writer = await openWriter(network.remotes, () => broken.push('a restarted program wrote'), signal);
  try {
    if (acceptedRevision(writer.northbound, 'test') === undefined) return;
    for (const unit of UNITS) {
      const outcome = await reconcileUnit(writer.parts, { unit, cause: 'resume', seenAt: 0 }, signal);
      if (outcome.kind !== 'done')
        broken.push(`a restarted program is not done with ${unit}: ${outcome.message}`);
    }
  } finally {
    await closeWriter(writer);
  }
}
