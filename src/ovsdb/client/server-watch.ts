import type { TableUpdates } from '../protocol/update-reader.ts';

/** How far a cluster was seen to be, so that no member that is behind it is taken. */
export interface Watermark {
  cluster: string | undefined;
  index: number | bigint;
  /** Since when no server was as far as that, by `performance.now()`; undefined while one is. */
  behindSince: number | undefined;
}

/** What ovsdb-server says of its databases in its own database `_Server` (ovsdb-server(5)). */
export class ServerWatch {
  readonly #database: string;
  readonly #rows = new Map<string, Readonly<Record<string, unknown>>>();
  #schemaText: string | undefined;

  constructor(database: string) {
    this.#database = database;
  }

  /** Takes in RFC 7047 4.1.6 updates: they repeat all columns of a row. */
  apply(updates: TableUpdates): void {
    for (const [uuid, update] of Object.entries(updates['Database'] ?? {})) {
      const row = update['new'];
      if (row === undefined || row === null) this.#rows.delete(uuid);
      else this.#rows.set(uuid, row);
    }
  }

  /** Takes in updates of `SCHEMA_COLUMNS`. Returns the database's schema as JSON text when it became another one. */
  applySchema(updates: TableUpdates): string | undefined {
    for (const update of Object.values(updates['Database'] ?? {})) {
      const { name, schema } = update['new'] ?? {};
      if (name !== this.#database || typeof schema !== 'string' || schema === this.#schemaText) continue;
      const isFirst = this.#schemaText === undefined;
      this.#schemaText = schema;
      return isFirst ? undefined : schema;
    }
    return undefined;
  }

  get isServed(): boolean {
    return this.#row() !== undefined;
  }

  /** Why this server must not be used now, or undefined when it may; raises the watermark when it may. */
  objection(leaderOnly: boolean, watermark: Watermark): string | undefined {
    const row = this.#row();
    if (row === undefined) return 'the server no longer serves the database';
    if (row['connected'] === false) return 'the server has lost its cluster';
    if (leaderOnly && row['leader'] === false) return 'the server is not the leader';
    const index = row['index'];
    if (typeof index !== 'number' && typeof index !== 'bigint') return undefined;
    const cluster = String(row['cid']);
    if (cluster === watermark.cluster && index < watermark.index) {
      const now = performance.now();
      watermark.behindSince ??= now;
      if (now - watermark.behindSince < PUT_BACK_MS) return 'the server is behind what was seen before';
    }
    watermark.cluster = cluster;
    watermark.index = index;
    watermark.behindSince = undefined;
    return undefined;
  }

  #row(): Readonly<Record<string, unknown>> | undefined {
    return [...this.#rows.values()].find((row) => row['name'] === this.#database);
  }
}

/**
 * A member that lags, or one that doesn't know yet that it leads no more, is behind for a moment. If nobody is as far for
 * this long, the whole cluster was put back to an older state, and its past is what counts.
 */
const PUT_BACK_MS = 20_000;

/** The columns of `_Server` that are watched. */
export const WATCHED_COLUMNS: readonly string[] = ['name', 'connected', 'leader', 'cid', 'index'];

/** Watched by a monitor of their own: an update repeats all columns, and `index` grows with every transaction. */
export const SCHEMA_COLUMNS: readonly string[] = ['name', 'schema'];
