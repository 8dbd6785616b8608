import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { cutConnections, heapMb, startGauge, withStall } from './gauge.ts';
import type { Job, Measurement } from './job.ts';
import type { Subject } from './subject.ts';
import { addPort, generateWorkload, removePort } from './workload.ts';

/** Changes before the timed ones: V8 compiles what is used often. */
const MOST_WARM_UP = 50;
/** A connection that lived shorter counts as a failure, after which clients wait. */
const STABLE_MS = 1500;

/** The job of this process, done by a subject; prints the measurement. */
export async function runJob(makeSubject: (job: Job) => Subject): Promise<void> {
  const job = JSON.parse(process.argv[2] ?? '') as Job;
  const subject = makeSubject(job);
  const measurement = await measure(subject, job);
  await subject.close();
  console.log(JSON.stringify(measurement));
}

async function measure(subject: Subject, job: Job): Promise<Measurement> {
  const { task } = job;
  switch (task.kind) {
    case 'load':
      return load(subject, job, task.in);
    case 'open':
      return open(subject, job);
    case 'change':
      return change(subject, job, task.count);
    case 'follow':
      return follow(subject, job, task.count);
    case 'reconnect':
      return reconnect(subject, job, task.count);
    case 'compare':
      return compare(subject, job, task.rows, task.count);
  }
}

async function load(subject: Subject, job: Job, form: 'one-transaction' | 'units'): Promise<Measurement> {
  const { units, rows } = generateWorkload(job.ports);
  await subject.open();
  const wanted = (subject.rowCount() ?? 0) + rows;
  const transactions = form === 'units' ? units : [units.flat()];
  const stop = startGauge(job.serverPids);
  await Promise.all(transactions.map((operations) => subject.transact(operations)));
  while ((subject.rowCount() ?? wanted) < wanted) await nextTurn();
  return { ...stop(), ...replicaOf(subject) };
}

async function open(subject: Subject, job: Job): Promise<Measurement> {
  const before = await heapMb();
  const [measurement, stallMs] = await withStall(async () => {
    const stop = startGauge(job.serverPids);
    await subject.open();
    return stop();
  });
  const replica = replicaOf(subject);
  return { ...measurement, ...replica, heapMb: (await heapMb()) - before, stallMs };
}

async function change(subject: Subject, job: Job, count: number): Promise<Measurement> {
  const warmUp = Math.min(MOST_WARM_UP, count);
  await subject.open();
  const latenciesMs: number[] = [];
  let stop = startGauge(job.serverPids);
  for (let nth = 0; nth < warmUp + count; nth += 1) {
    if (nth === warmUp) stop = startGauge(job.serverPids);
    const uuid = randomUUID();
    const operations = addPort(uuid, `new-${nth}`);
    const start = performance.now();
    await subject.transact(operations);
    if (nth >= warmUp) latenciesMs.push(performance.now() - start);
    await subject.transact(removePort(uuid));
  }
  return { ...stop(), ...replicaOf(subject), latenciesMs };
}

async function follow(subject: Subject, job: Job, count: number): Promise<Measurement> {
  const warmUp = Math.min(MOST_WARM_UP, count);
  await subject.open();
  const latenciesMs: number[] = [];
  let stop = startGauge(job.serverPids);
  await new Promise<void>((resolve) => {
    let seen = 0;
    subject.onPortSent((sent) => {
      const latencyMs = Number(process.hrtime.bigint() - BigInt(sent)) / 1e6;
      seen += 1;
      if (seen > warmUp) latenciesMs.push(latencyMs);
      if (seen === warmUp) stop = startGauge(job.serverPids);
      if (seen === warmUp + count) resolve();
      else requestPort();
    });
    requestPort();
  });
  return { ...stop(), ...replicaOf(subject), latenciesMs };
}

function requestPort(): void {
  console.log('"next"');
}

async function reconnect(subject: Subject, job: Job, count: number): Promise<Measurement> {
  await subject.open();
  const each: Measurement[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    // Some clients learn only by a change which transaction they are at.
    const uuid = randomUUID();
    await subject.transact(addPort(uuid, `new-${nth}`));
    await subject.transact(removePort(uuid));
    await sleep(STABLE_MS);
    const stop = startGauge(job.serverPids);
    cutConnections();
    await subject.recover();
    each.push(stop());
  }
  return { ...each.reduce(sum), ...replicaOf(subject), latenciesMs: each.map(({ wallMs }) => wallMs) };
}

function sum(a: Measurement, b: Measurement): Measurement {
  return {
    wallMs: a.wallMs + b.wallMs,
    cpuMs: a.cpuMs + b.cpuMs,
    serverCpuMs: a.serverCpuMs + b.serverCpuMs,
    bytesIn: (a.bytesIn ?? 0) + (b.bytesIn ?? 0),
    bytesOut: (a.bytesOut ?? 0) + (b.bytesOut ?? 0),
    peakRssMb: Math.max(a.peakRssMb, b.peakRssMb),
  };
}

async function compare(
  subject: Subject,
  job: Job,
  rows: number | 'all',
  count: number,
): Promise<Measurement> {
  const warmUp = Math.min(MOST_WARM_UP, count);
  await subject.open();
  const comparison = subject.comparison();
  const latenciesMs: number[] = [];
  const length = rows === 'all' ? comparison.count : rows;
  let stop = startGauge(job.serverPids);
  for (let nth = 0; nth < warmUp + count; nth += 1) {
    if (nth === warmUp) stop = startGauge(job.serverPids);
    // Other rows every time: none of them may be in the processor's cache.
    const from = (nth * length) % Math.max(1, comparison.count - length + 1);
    const start = performance.now();
    const differing = comparison.differing(from, from + length);
    if (nth >= warmUp) latenciesMs.push(performance.now() - start);
    if (differing > 0) throw new Error(`${differing} rows differ from themselves`);
  }
  return { ...stop(), rows: comparison.count, latenciesMs };
}

function replicaOf(subject: Subject): { readonly rows?: number } {
  const rows = subject.rowCount();
  return rows === undefined ? {} : { rows };
}
