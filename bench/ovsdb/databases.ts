import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Operation } from '../../src/ovsdb/index.ts';
import {
  type OvsdbCluster,
  startOvsdbCluster,
  startOvsdbServer,
  until,
} from '../../test/support/ovsdb-server.ts';
import { RawClient } from '../raw-client.ts';
import { generateWorkload, largeSwitch } from './workload.ts';

const SCHEMA = '/usr/share/ovn/ovn-nb.ovsschema';
const DATABASE = 'OVN_Northbound';
/** Ports of the switch that small changes go to. */
const LARGE = 1000;
/** A member is silent while it works on a large transaction; nobody may stand for election then. */
const ELECTION_TIMERS_MS = [2000, 4000, 8000, 16_000, 32_000, 64_000];

/** What a server holds: nothing, the workload, or the workload and a switch with 1,000 ports. */
export type Content = 'empty' | 'full' | 'large';

/** A running server, or the leader of a cluster. */
export interface Served {
  readonly socketPath: string;
  /** The server's, or those of all members. */
  readonly pids: readonly number[];
}

/** Databases of a bench: files in a temporary directory, and servers that subjects meet. */
export class Databases {
  readonly #dir: string = mkdtempSync(path.join(tmpdir(), 'databases-'));
  /** A large content takes long to write and is left as it was found: the cluster that holds one is kept. */
  #cluster: { readonly name: string; readonly running: OvsdbCluster } | undefined;

  /** Serves a fresh copy of a content while `work` runs. */
  async serve<T>(content: Content, ports: number, work: (served: Served) => Promise<T>): Promise<T> {
    const source = content === 'empty' ? undefined : await this.#file(content, ports);
    return this.#serveCopy(source, (served) => work(served));
  }

  /** The same by a cluster of three, of which the leader is shown; only an empty one is always fresh. */
  async serveCluster<T>(content: Content, ports: number, work: (served: Served) => Promise<T>): Promise<T> {
    const name = `${content}-${ports}`;
    if (this.#cluster?.name !== name || content === 'empty') {
      await this.#stopCluster();
      const running = await startOvsdbCluster({ schemaFile: SCHEMA, database: DATABASE });
      this.#cluster = { name, running };
      await leaveTime(running);
      await fill((await served(running)).socketPath, content, ports);
    }
    return work(await served(this.#cluster.running));
  }

  /** The units of a workload as JSON. */
  workloadFile(ports: number): string {
    const file = path.join(this.#dir, `workload-${ports}.json`);
    if (!existsSync(file)) writeFileSync(file, JSON.stringify(generateWorkload(ports).units));
    return file;
  }

  async remove(): Promise<void> {
    await this.#stopCluster();
    rmSync(this.#dir, { recursive: true, force: true });
  }

  async #stopCluster(): Promise<void> {
    await this.#cluster?.running.stop();
    this.#cluster = undefined;
  }

  async #file(content: 'full' | 'large', ports: number): Promise<string> {
    const file = path.join(this.#dir, `${content}-${ports}.db`);
    if (!existsSync(file)) {
      await this.#serveCopy(undefined, async ({ socketPath }, written) => {
        await fill(socketPath, content, ports);
        copyFileSync(written, file);
      });
    }
    return file;
  }

  async #serveCopy<T>(
    source: string | undefined,
    work: (served: Served, file: string) => Promise<T>,
  ): Promise<T> {
    const dir = mkdtempSync(path.join(this.#dir, 'server-'));
    const file = path.join(dir, 'db.db');
    if (source !== undefined) copyFileSync(source, file);
    const existing = source === undefined ? {} : { file };
    const server = await startOvsdbServer({ schemaFile: SCHEMA, dir, ...existing });
    try {
      return await work({ socketPath: server.socketPath, pids: [server.pid] }, server.file);
    } finally {
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    }
  }
}

async function served(cluster: OvsdbCluster): Promise<Served> {
  const leader = cluster.members[await cluster.leader()];
  return { socketPath: leader?.socketPath ?? '', pids: cluster.members.map(({ pid }) => pid) };
}

/** Raises the election timer, which at most doubles at a time, and each time by agreement of the members. */
async function leaveTime(cluster: OvsdbCluster): Promise<void> {
  for (const timer of ELECTION_TIMERS_MS) {
    const leader = cluster.members[await cluster.leader()];
    leader?.appctl('cluster/change-election-timer', DATABASE, String(timer));
    await until(
      () => leader?.appctl('cluster/status', DATABASE).includes(`Election timer: ${timer}\n`) ?? true,
    );
  }
}

/** Writes a content to an empty database. */
async function fill(socketPath: string, content: Content, ports: number): Promise<void> {
  if (content === 'empty') return;
  const transactions: (readonly Operation[])[] = [...generateWorkload(ports).units];
  if (content === 'large') transactions.push(largeSwitch(LARGE));
  const client = await RawClient.open(socketPath);
  for (const operations of transactions) await client.transact(operations);
  client.close();
}
