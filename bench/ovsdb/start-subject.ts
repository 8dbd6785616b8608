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
/** Between two ports of the writer: long enough for every subject to rest, as in a network where little happens. */
const WRITER_PAUSE_MS = 20;

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
    const writer = new Writer(job.socketPath);
    for await (const line of readline.createInterface({ input: child.stdout })) {
      const message = JSON.parse(line) as 'next' | Measurement;
      if (message === 'next') void writer.next();
      else measurement = message;
    }
    await writer.close();
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
  const peer = PEERS[subject];
  // Debian's own Python: its packages are not seen by any other.
  if (peer !== undefined) return ['/usr/bin/python3', '-B', path.resolve('bench/ovsdb/peers', peer)];
  const entry = subject === 'raw-rows' ? 'raw' : subject;
  return [process.execPath, '--expose-gc', path.join(import.meta.dirname, `${entry}.mjs`)];
}

const PEERS: Partial<Record<SubjectName, string>> = {
  'python-idl': 'idl_peer.py',
  ovsdbapp: 'ovsdbapp_peer.py',
  'ovn-nbctl': 'nbctl_peer.py',
  'ovn-nbctl-daemon': 'nbctl_peer.py',
};

/** Adds ports that carry the time at which they were sent (CLOCK_MONOTONIC, ns). */
class Writer {
  readonly #socketPath: string;
  #client: RawClient | undefined;
  #turn = Promise.resolve();
  #last: string | undefined;

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** Adds a port, and takes the one before out again. */
  next(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#write());
    return this.#turn;
  }

  async close(): Promise<void> {
    await this.#turn;
    this.#client?.close();
  }

  async #write(): Promise<void> {
    this.#client ??= await RawClient.open(this.#socketPath);
    if (this.#last !== undefined) await this.#client.transact(removePort(this.#last));
    this.#last = randomUUID();
    await sleep(WRITER_PAUSE_MS);
    const sent = String(process.hrtime.bigint());
    await this.#client.transact(addPort(this.#last, `sent-${this.#last}`, { sent }));
  }
}
