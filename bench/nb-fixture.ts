import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { NorthboundDatabase } from '../src/nb/northbound.ts';
import { acceptRevision } from '../src/reconcile/revision-record.ts';
import type { AcceptedRevision } from '../src/model/revision.ts';
import { openTestNorthbound } from '../test/support/apply-harness.ts';
import { type OvsdbServer, startOvsdbServer } from '../test/support/ovsdb-server.ts';
import { OWNER } from './revision.ts';

const SCHEMA = '/usr/share/ovn/ovn-nb.ovsschema';

/**
 * Database files in a temporary directory. Every run gets a server of its own on a copy of one of them, so that the
 * same operations (they name the UUID of NB_Global) meet the same rows.
 */
export class NbFixture {
  readonly #dir = mkdtempSync(path.join(tmpdir(), 'ovn-gitops-bench-'));
  readonly accepted: AcceptedRevision;

  constructor(accepted: AcceptedRevision) {
    this.accepted = accepted;
  }

  /** Makes the file `empty`: no rows but NB_Global, with the revision in force. */
  async prepare(): Promise<void> {
    const server = await startOvsdbServer({ schemaFile: SCHEMA, dir: this.#dir });
    const northbound = await openTestNorthbound(server.endpoint);
    const signal = AbortSignal.timeout(30_000);
    const outcome = await acceptRevision(northbound, OWNER, this.accepted, undefined, signal);
    if (outcome.kind !== 'committed') throw new Error(outcome.reason);
    await northbound.close();
    await server.stop();
    copyFileSync(server.file, this.#path('empty'));
  }

  /** Serves a copy of a file while `work` runs; keeps what became of it under `keepAs`. */
  async serve<T>(name: string, work: (server: OvsdbServer) => Promise<T>, keepAs?: string): Promise<T> {
    const file = this.#path('served');
    copyFileSync(this.#path(name), file);
    const server = await startOvsdbServer({ schemaFile: SCHEMA, dir: this.#dir, file });
    try {
      return await work(server);
    } finally {
      await server.stop();
      if (keepAs !== undefined) copyFileSync(file, this.#path(keepAs));
    }
  }

  /** Serves a copy with an open replica. */
  async open<T>(
    name: string,
    work: (northbound: NorthboundDatabase, server: OvsdbServer) => Promise<T>,
    keepAs?: string,
  ): Promise<T> {
    return this.serve(
      name,
      async (server) => {
        const northbound = await openTestNorthbound(server.endpoint);
        try {
          return await work(northbound, server);
        } finally {
          await northbound.close();
        }
      },
      keepAs,
    );
  }

  remove(): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }

  #path(name: string): string {
    return path.join(this.#dir, `${name}.db`);
  }
}

/** CPU time that a process has had so far, ms (proc(5)); a clock tick is 10 ms. */
export function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
