import type { UnitStatus } from '../../src/model/status.ts';
import type { StatusStore } from '../../src/reconcile/status-store.ts';

/** A store that keeps the units' statuses only, and tells of each transaction that was reported as committed. */
export function countingStore(onCommit: () => void): StatusStore {
  const units = new Map<string, UnitStatus>();
  return {
    writeSource: async () => {},
    source: async () => undefined,
    writeUnit: async (status) => units.set(status.unit, status).size > 0,
    removeUnits: async (gone) => {
      for (const unit of gone) units.delete(unit);
      return true;
    },
    unit: async (unit) => units.get(unit),
    units: async () => [...units.values()],
    addRevision: async () => {},
    addReceipt: async () => onCommit(),
    history: async () => [],
    addDrift: async () => {},
    drift: async () => [],
    totals: async () => ({
      rows: { revision: NOTHING, drift: NOTHING },
      drift: { corrected: 0, reported: 0, contested: 0 },
      commits: [],
      commitMs: 0,
    }),
    allow: async () => {},
    isAllowed: async () => false,
  };
}

const NOTHING = { created: 0, updated: 0, deleted: 0 };
