import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import readline from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { RawClient } from '../raw-client.ts';
import type { Job, Measurement, SubjectName } from './job.ts';
import { addPort, removePort } from './workload.ts';

/** A subject that takes longer is ended, and the bench with it. */
const LIMIT_MS = 15 * 60_000;
/** Between two ports of the writer: long enough for everybody to rest, as in a network where little happens. */
const WRITER_PAUSE_MS = 2;

/** Runs a subject in a process of its own, and the writer when it asks for one. */
export async function startSubject(job: Job): Promise<Measurement> {
  const [command, ...words] = commandOf(job.subject);
  const child = spawn(command, [...words, JSON.stringify(job)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  try {
    let measurement: Measurement | undefined;
    let writer: Promise<void> | undefined;
    const stop = new AbortController();
    for await (const line of readline.createInterface({ input: child.stdout })) {
      const message = JSON.parse(line) as 'ready' | Measurement;
      if (message !== 'ready') measurement = message;
      else writer = writePorts(job.socketPath, stop.signal);
    }
    stop.abort();
    await writer;
    const status = await ended;
    if (status !== 0 || measurement === undefined) {
      throw new Error(`${job.subject} failed at ${JSON.stringify(job.task)}`);
    }
    return measurement;
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
}

function commandOf(subject: SubjectName): readonly [string, ...string[]] {
  const entry = subject === 'ours' ? 'ours.mjs' : 'raw.mjs';
  return [process.execPath, '--expose-gc', path.join(import.meta.dirname, entry)];
}

/** Adds ports that carry the time at which they were sent (CLOCK_MONOTONIC, ns), until nobody listens any more. */
async function writePorts(socketPath: string, signal: AbortSignal): Promise<void> {
  const client = await RawClient.open(socketPath);
  for (let nth = 0; !signal.aborted; nth += 1) {
    const uuid = randomUUID();
    await client.transact(addPort(uuid, `sent-${nth}`, { sent: String(process.hrtime.bigint()) }));
    await client.transact(removePort(uuid));
    await sleep(WRITER_PAUSE_MS);
  }
  client.close();
}
