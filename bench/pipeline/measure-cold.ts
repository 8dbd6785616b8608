import { DesiredRevisions } from '../../src/reconcile/desired-revisions.ts';
import { isOpen, planUnits } from '../../src/reconcile/plan-units.ts';
import { OWNER } from '../revision.ts';
import { desiredAt, listing } from './follow-commit.ts';
import { openSceneNorthbound, openSceneSource, type SceneAddress } from './scene.ts';
import { type Stage, StageTimes, watchStages } from './stages.ts';

/** The stages of a start, in this order. */
export const COLD_STAGES: readonly Stage[] = [
  'fetch',
  'list',
  'parse',
  'check',
  'compile',
  'index',
  'open the Northbound',
  'plan all units',
];

/** A start of one process over a store and a Northbound that are there already: times by stage, and what they leave behind. */
export interface ColdFigures {
  readonly stages: Readonly<Record<string, { readonly wall: number; readonly cpu: number }>>;
  /** MB on the heap when everything stands, garbage collected where that can be asked for. */
  readonly heapMb: number;
  /** MB, the largest resident set of the process; of it, before the Northbound was opened. */
  readonly peakRssMb: number;
  readonly compiledRssMb: number;
}

/** Starts as controller and workers do: everything is read, and compared with everything. */
export async function measureCold(address: SceneAddress): Promise<ColdFigures> {
  const signal = AbortSignal.timeout(600_000);
  const times = new StageTimes();
  watchStages(() => times);
  const source = await openSceneSource(address);
  const revisions = new DesiredRevisions(listing(source, () => times));
  const tip = await times.time('fetch', () => source.fetch(signal));
  if (!tip.ok) throw new Error(tip.error.message);
  const { desired, policy } = await times.time('parse', () => desiredAt(revisions, tip.value.commit, signal));
  const compiledRssMb = peakRss();
  const northbound = await times.time('open the Northbound', () => openSceneNorthbound(address));
  const open = times
    .timeNow('plan all units', () => planUnits(desired, northbound, OWNER, policy))
    .filter(isOpen);
  if (open.length > 0) throw new Error(`${open.length} units are open after everything was applied`);
  globalThis.gc?.();
  const heapMb = process.memoryUsage().heapUsed / 2 ** 20;
  await northbound.close();
  await source.close();
  const stages = Object.fromEntries(COLD_STAGES.map((stage) => [stage, times.get(stage)]));
  return { stages, heapMb, peakRssMb: peakRss(), compiledRssMb };
}

function peakRss(): number {
  return process.resourceUsage().maxRSS / 1024;
}
