import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from './connection.ts';
import { type TlsIdentity, type TlsOptions, isRenewed } from './tls.ts';

/** Why a connection ends whose certificates were replaced. */
export const RENEWED = 'the TLS files were replaced';

/**
 * Ends the connection once the TLS files are others than those that it was made with, at a moment when `isIdle`. Resolves
 * when the connection is over.
 */
export async function endWhenRenewed(
  connection: Connection,
  tls: TlsOptions,
  identity: TlsIdentity,
  isIdle: () => boolean,
): Promise<void> {
  const { renewalCheckMs = 60_000 } = tls;
  if (renewalCheckMs === 0) return;
  const over = new AbortController();
  const pause = (ms: number): Promise<boolean> => sleep(ms, true, { signal: over.signal }).catch(() => false);
  void connection.ended.finally(() => over.abort());
  while (await pause(renewalCheckMs)) {
    if (!(await isRenewed(tls, identity))) continue;
    while (!isIdle() && (await pause(IDLE_CHECK_MS)));
    connection.end(RENEWED);
  }
}

const IDLE_CHECK_MS = 10;
