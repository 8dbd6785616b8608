import type { StatusOverview } from '../model/status.ts';
import type { Northbound } from '../reconcile/northbound.ts';
import type { StatusStore } from '../reconcile/status-store.ts';

/** What serving the status needs; src/main puts the real parts in. */
export interface ApiParts {
  readonly owner: string;
  readonly store: Pick<StatusStore, 'source' | 'units' | 'history' | 'drift' | 'totals'>;
  readonly northbound: Pick<Northbound, 'isLive' | 'record' | 'convergence'>;
  readonly queue: { depth(): Promise<Readonly<Record<'waiting' | 'delayed' | 'active', number>>> };
  readonly page: Page;
  readonly clock: () => number;
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** How the page is written (src/page). */
export interface Page {
  render(overview: StatusOverview, options: { readonly refreshSeconds: number | undefined }): string;
  renderUnavailable(
    owner: string,
    reason: string,
    options: { readonly refreshSeconds: number | undefined },
  ): string;
  /** The content of its one style element. */
  readonly style: string;
}
