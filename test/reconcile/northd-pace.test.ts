import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NorthboundDatabase } from '../../src/nb/northbound.ts';
import { NorthdPace } from '../../src/reconcile/northd-pace.ts';
import { applyFiles, openTestNorthbound } from '../support/apply-harness.ts';
import { eventually } from '../support/installation.ts';
import { type OvnCentral, startCentral } from '../support/ovn-central.ts';

let central: OvnCentral;
let northbound: NorthboundDatabase;
let written = 0;

beforeEach(async () => {
  central = await startCentral();
  northbound = await openTestNorthbound(central.nb);
  await write();
  await translated();
});

afterEach(async () => {
  process.kill(central.northdPid, 'SIGCONT');
  await northbound?.close();
  await central?.stop();
});

async function write(): Promise<void> {
  written += 1;
  const vpc = `apiVersion: ovn-gitops.io/v1\nkind: Vpc\nmetadata: {name: v${written}}\nspec: {}\n`;
  const result = await applyFiles(northbound, { 'vpc.yaml': vpc }, String(written).padStart(40, '0'));
  expect(result.failed).toEqual([]);
}

async function translated(): Promise<void> {
  await eventually('ovn-northd has translated everything', () => {
    const { nbCfg, sbCfg } = northbound.progress;
    return sbCfg > 0 && sbCfg === nbCfg;
  });
}

/** Says whether a promise has come to its end by now. */
function isSettled(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), Promise.resolve(false)]);
}

test('nobody waits for an ovn-northd that is done', async () => {
  const pace = new NorthdPace(northbound, 3_600_000);
  expect(pace.isBusy).toBe(false);
  await pace.quiet(AbortSignal.timeout(60_000));
});

test('a wait ends when ovn-northd has translated all, and not before', async () => {
  const pace = new NorthdPace(northbound, 3_600_000);
  process.kill(central.northdPid, 'SIGSTOP');
  await write();
  expect(pace.isBusy).toBe(true);
  const quiet = pace.quiet(AbortSignal.timeout(60_000));
  await write();
  expect(await isSettled(quiet)).toBe(false);
  process.kill(central.northdPid, 'SIGCONT');
  await quiet;
  expect(northbound.progress.sbCfg).toBe(northbound.progress.nbCfg);
  expect(pace.isBusy).toBe(false);
});

test('an ovn-northd that does not move is waited for once, until it moves again', async () => {
  const pace = new NorthdPace(northbound, 200);
  process.kill(central.northdPid, 'SIGSTOP');
  await write();
  await pace.quiet(AbortSignal.timeout(60_000));
  expect(northbound.progress.sbCfg).toBeLessThan(northbound.progress.nbCfg);
  await write();
  expect(pace.isBusy).toBe(false);
  process.kill(central.northdPid, 'SIGCONT');
  await translated();
  process.kill(central.northdPid, 'SIGSTOP');
  await write();
  expect(pace.isBusy).toBe(true);
});

test('a wait ends when whoever waits has to end', async () => {
  const pace = new NorthdPace(northbound, 3_600_000);
  process.kill(central.northdPid, 'SIGSTOP');
  await write();
  const stop = new AbortController();
  const quiet = pace.quiet(stop.signal);
  stop.abort();
  await quiet;
  expect(pace.isBusy).toBe(true);
});

test('without any ovn-northd nobody waits', () => {
  const never = { progress: { nbCfg: 5, sbCfg: 0 }, onProgress: () => () => {} };
  expect(new NorthdPace(never, 1000).isBusy).toBe(false);
  const behind = { ...never, progress: { nbCfg: 5, sbCfg: 4 } };
  expect(new NorthdPace(behind, 1000).isBusy).toBe(true);
  expect(new NorthdPace(behind, 0).isBusy).toBe(false);
});
