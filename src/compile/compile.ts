import type { Diagnostic } from '../model/diagnostic.ts';
import type { NbRow, NbState, RowKey } from '../model/nb.ts';
import type { ResourceSet } from '../model/resource-set.ts';
import { compareText } from '../lib/order.ts';
import type { PortAddresses, SubnetPool } from './addresses.ts';
import { Compiler } from './compiler.ts';

/** What a revision means. */
export interface Compiled {
  /** The exact rows that should exist. */
  readonly nb: NbState;
  /** The addresses of every Port, by scoped name. */
  readonly addresses: ReadonlyMap<string, PortAddresses>;
  /** How full each subnet is, per family. */
  readonly pools: readonly SubnetPool[];
  /** What only shows when addresses are given out, e.g. an exhausted pool. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Compiles resources that validation has accepted into Northbound rows, once. A pure function: the order of the resources
 * does not matter, and equal resources give equal rows, addresses and MACs on every machine.
 */
export function compile(set: ResourceSet): Compiled {
  const compiler = new Compiler(set);
  const { units, addresses, diagnostics } = compiler.compile();
  const rows = [...units.values()].flat().toSorted((a, b) => compareText(a.key, b.key));
  return {
    nb: { rows: new Map(rows.map((row): [RowKey, NbRow] => [row.key, row])) },
    addresses: new Map([...addresses].toSorted(([a], [b]) => compareText(a, b))),
    pools: compiler.pools(),
    diagnostics,
  };
}
