import { DerivedRoots } from '../lib/derived-maps.ts';
import { compareText } from '../lib/order.ts';
import { VersionedMap } from '../lib/versioned-map.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { NbRow, UnitName } from '../model/nb.ts';
import { GLOBAL_UNIT, peeringUnit, vpcUnit } from '../model/nb.ts';
import type { ResourceChange } from '../model/relation-index.ts';
import type { ResourceSet } from '../model/resource-set.ts';
import type { Kind } from '../model/specs.ts';
import type { Allocation, PortAddresses, SubnetPool } from './addresses.ts';
import { Topology } from './topology.ts';
import { UnitRows } from './unit-rows.ts';

/** What has become of a set of resources since it was compiled last. */
export interface CompiledChange {
  /** The rows of the units that are not as before, in canonical order; none for a unit that is gone. */
  readonly units: ReadonlyMap<UnitName, readonly NbRow[]>;
  /** The addresses of every Port, by scoped name. */
  readonly addresses: VersionedMap<string, PortAddresses>;
  /** What only shows when addresses are given out, e.g. an exhausted pool; all of it. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Compiles one revision after the other; what a change does not reach is not compiled again. */
export class Compiler {
  readonly #rows: UnitRows;
  readonly #units: DerivedRoots<readonly NbRow[]>;
  readonly #subnets: DerivedRoots<Allocation | undefined>;
  readonly #known = new Map<UnitName, readonly NbRow[]>();
  readonly #allocations = new Map<string, Allocation>();
  /** Those with which something is wrong. */
  readonly #faulty = new Map<string, Allocation>();
  #addresses = new VersionedMap<string, PortAddresses>();

  constructor(set: ResourceSet) {
    this.#rows = new UnitRows(new Topology(set));
    this.#units = new DerivedRoots((unit, before) => this.#rows.ofUnit(unit as UnitName, before));
    this.#subnets = new DerivedRoots((name) =>
      set.get('Subnet', name) === undefined ? undefined : this.#rows.allocation(name),
    );
    this.#units.keep(GLOBAL_UNIT);
    for (const kind of ['Vpc', 'Subnet', 'Peering'] as const) {
      for (const { name } of set.all(kind)) this.#keep(kind, name);
    }
  }

  /** Learns which resources there are from now on. */
  follow(changes: readonly ResourceChange[]): void {
    for (const { after } of changes) if (after !== undefined) this.#keep(after.kind, after.name);
  }

  /** Compiles what has changed since the last time; the set must be one that validation accepts. */
  compile(): CompiledChange {
    this.#allocate();
    const units = new Map<UnitName, readonly NbRow[]>();
    for (const [key, rows] of this.#units.changes()) {
      const unit = key as UnitName;
      const before = this.#known.get(unit) ?? [];
      if (rows.length === 0) {
        this.#known.delete(unit);
        if (unit !== GLOBAL_UNIT) this.#units.drop(unit);
      } else this.#known.set(unit, rows);
      if (rows !== before && rows.length + before.length > 0) units.set(unit, rows);
    }
    return { units, addresses: this.#addresses, diagnostics: this.#diagnostics() };
  }

  /** How full each subnet is, per family, in canonical order of the subnets. */
  pools(): readonly SubnetPool[] {
    return inOrder(this.#allocations).flatMap(({ pools }) => pools);
  }

  #keep(kind: Kind, name: string): void {
    if (kind === 'Vpc') this.#units.keep(vpcUnit(name));
    if (kind === 'Peering') this.#units.keep(peeringUnit(name));
    if (kind === 'Subnet') this.#subnets.keep(name);
  }

  #allocate(): void {
    const changed = new Map<string, PortAddresses | undefined>();
    const next = this.#subnets.changes();
    for (const name of next.keys()) {
      for (const port of this.#allocations.get(name)?.addresses.keys() ?? []) changed.set(port, undefined);
    }
    for (const [name, allocation] of next) {
      this.#allocations.delete(name);
      this.#faulty.delete(name);
      if (allocation === undefined) {
        this.#subnets.drop(name);
        continue;
      }
      this.#allocations.set(name, allocation);
      if (allocation.exhausted.length + allocation.collisions.length > 0) this.#faulty.set(name, allocation);
      for (const [port, addresses] of allocation.addresses) changed.set(port, addresses);
    }
    this.#addresses = this.#addresses.with(changed);
  }

  #diagnostics(): readonly Diagnostic[] {
    const faulty = inOrder(this.#faulty);
    return [
      ...faulty.flatMap(({ exhausted }) => exhausted),
      ...faulty.flatMap(({ collisions }) => collisions),
    ];
  }
}

/** By name of the subnet. */
function inOrder(allocations: ReadonlyMap<string, Allocation>): readonly Allocation[] {
  return [...allocations].toSorted(([a], [b]) => compareText(a, b)).map(([, allocation]) => allocation);
}
