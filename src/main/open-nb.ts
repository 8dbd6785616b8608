import { openNorthbound, type NorthboundDatabase } from '../nb/northbound.ts';
import { MANAGED_TABLES } from '../plan/managed-tables.ts';
import type { Log } from './log.ts';
import type { ServiceConfig } from './service-options.ts';

/** Opens a replica of the Northbound that the configuration names. */
export async function openNb(
  config: Pick<ServiceConfig, 'northbound' | 'southbound' | 'owner' | 'tls'>,
  log: Log,
  signal: AbortSignal,
): Promise<NorthboundDatabase> {
  const { northbound, southbound, owner, tls } = config;
  return openNorthbound(
    { remotes: northbound, southbound, tables: MANAGED_TABLES, owner, tls, clock: Date.now, log },
    signal,
  );
}
