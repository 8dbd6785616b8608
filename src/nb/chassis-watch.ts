import { compareText } from '../lib/order.ts';
import type { Database, DatabaseOptions } from '../ovsdb/index.ts';
import { openDatabase } from '../ovsdb/index.ts';
import type { ChassisProgress } from './confirm.ts';

/**
 * Follows what each chassis has installed (Chassis_Private.nb_cfg, ovn-sb(5)). The Southbound only proves; a
 * Southbound that is away keeps nobody from writing the Northbound, so it is connected to in the background.
 */
export class ChassisWatch {
  readonly #stop = new AbortController();
  readonly #opened: Promise<void>;
  readonly #listeners = new Set<() => void>();
  #database: Database | undefined;
  /** Made at the first question after a change. */
  #chassis: readonly ChassisProgress[] | undefined;

  constructor(
    options: Pick<DatabaseOptions, 'remotes' | 'tls' | 'log'>,
    onUnusable: (reason: string) => void,
  ) {
    this.#opened = this.#open(options, onUnusable);
  }

  /** The chassis by name; undefined while the Southbound can't be asked. */
  chassis(): readonly ChassisProgress[] | undefined {
    if (this.#database?.state !== 'live') return undefined;
    this.#chassis ??= [...this.#database.rows('Chassis_Private').values()]
      .map((row) => ({ name: row['name'] as string, nbCfg: Number(row['nb_cfg']) }))
      .toSorted((a, b) => compareText(a.name, b.name));
    return this.#chassis;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#opened;
    await this.#database?.close();
  }

  async #open(
    options: Pick<DatabaseOptions, 'remotes' | 'tls' | 'log'>,
    onUnusable: (reason: string) => void,
  ): Promise<void> {
    const wanted = {
      ...options,
      database: 'OVN_Southbound',
      tables: { Chassis_Private: ['name', 'nb_cfg'] },
    };
    try {
      this.#database = await openDatabase(wanted, this.#stop.signal);
    } catch (error) {
      if (!this.#stop.signal.aborted) onUnusable(error instanceof Error ? error.message : String(error));
      return;
    }
    this.#database.onChange(() => this.#tell());
    this.#database.onState(() => this.#tell());
    this.#tell();
  }

  #tell(): void {
    this.#chassis = undefined;
    for (const listener of this.#listeners) listener();
  }
}
