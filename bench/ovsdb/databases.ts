import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Operation } from '../../src/ovsdb/index.ts';
import { startOvsdbServer } from '../../test/support/ovsdb-server.ts';
import { RawClient } from '../raw-client.ts';
import { generateWorkload, largeSwitch } from './workload.ts';

const SCHEMA = '/usr/share/ovn/ovn-nb.ovsschema';
/** Ports of the switch that small changes go to. */
const LARGE = 1000;

/** What a server holds: nothing, the workload, or the workload and a switch with 1,000 ports. */
export type Content = 'empty' | 'full' | 'large';

/** A running server, or the leader of a cluster. */
export interface Served {
  readonly socketPath: string;
  /** The server's, or those of all members. */
  readonly pids: readonly number[];
}

/** Database files in a temporary directory. Every subject meets a server of its own on a copy of one. */
export class Databases {
  readonly dir: string = mkdtempSync(path.join(tmpdir(), 'ovn-gitops-bench-'));

  /** Starts a server with that content of that size, and stops it after `work`. */
  async serve<T>(content: Content, ports: number, work: (served: Served) => Promise<T>): Promise<T> {
    const source = content === 'empty' ? undefined : await this.#file(content, ports);
    return this.#serveCopy(source, (served) => work(served));
  }

  /** The units of a workload as JSON. */
  workloadFile(ports: number): string {
    const file = path.join(this.dir, `workload-${ports}.json`);
    if (!existsSync(file)) writeFileSync(file, JSON.stringify(generateWorkload(ports).units));
    return file;
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }

  async #file(content: 'full' | 'large', ports: number): Promise<string> {
    const file = path.join(this.dir, `${content}-${ports}.db`);
    if (!existsSync(file)) {
      await this.#serveCopy(undefined, async ({ socketPath }, served) => {
        await fill(socketPath, content, ports);
        copyFileSync(served, file);
      });
    }
    return file;
  }

  async #serveCopy<T>(
    source: string | undefined,
    work: (served: Served, file: string) => Promise<T>,
  ): Promise<T> {
    const dir = mkdtempSync(path.join(this.dir, 'server-'));
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

/** Writes a content to an empty database. */
export async function fill(socketPath: string, content: Content, ports: number): Promise<void> {
  if (content === 'empty') return;
  const transactions: (readonly Operation[])[] = [...generateWorkload(ports).units];
  if (content === 'large') transactions.push(largeSwitch(LARGE));
  const client = await RawClient.open(socketPath);
  for (const operations of transactions) await client.transact(operations);
  client.close();
}
