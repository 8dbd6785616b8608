import { sha256Hex } from '../lib/hash.ts';
import type { Family } from '../lib/ip.ts';
import { sortedSet } from '../lib/order.ts';
import { rowKey } from '../model/nb.ts';
import type { Resource } from '../model/resource.ts';
import type { Labels } from '../model/specs.ts';
import type { Compilation } from './compilation.ts';
import { documentName } from './document-name.ts';
import { setName } from './names.ts';
import type { NamedPort } from './named-port.ts';
import { portsByNumber } from './named-port.ts';
import type { PeerSelection, PolicyScope } from './policy-scope.ts';
import type { PortNode } from './topology.ts';

/** Names of address sets per family; empty where the scope does not have the family. */
export type SetNames = Readonly<Record<Family, readonly string[]>>;

/**
 * The address sets of ports that policies mean by their labels. Policies that mean the same ports in the same scope
 * share a set, so that a thousand policies for one application cost one set.
 */
export class PeerSets {
  readonly #compilation: Compilation;
  readonly #namespaceLabels: (namespace: string) => Labels;

  constructor(compilation: Compilation, namespaceLabels: (namespace: string) => Labels) {
    this.#compilation = compilation;
    this.#namespaceLabels = namespaceLabels;
  }

  /** The sets with the addresses of the selected ports. */
  ofSelection(scope: PolicyScope, selection: PeerSelection, from: Resource): SetNames {
    return this.#named(scope, selection, scope.peers(selection, this.#namespaceLabels), from);
  }

  /** By number of the named port, the sets with the addresses of those selected ports that have it there. */
  ofNamedPort(
    scope: PolicyScope,
    selection: PeerSelection,
    named: NamedPort,
    from: Resource,
  ): ReadonlyMap<number, SetNames> {
    const byNumber = portsByNumber(scope.peers(selection, this.#namespaceLabels), named);
    return new Map(
      [...byNumber].map(([number, ports]) => [
        number,
        this.#named(scope, { ...selection, ...named, number }, ports, from),
      ]),
    );
  }

  #named(scope: PolicyScope, meaning: object, ports: readonly PortNode[], from: Resource): SetNames {
    const text = JSON.stringify(meaning);
    const digest = sha256Hex(text).slice(0, 24);
    const name = (family: Family): readonly string[] => {
      if (!scope.families.has(family)) return [];
      const set = setName('as', ...scope.path, digest, `ip${family}`);
      this.#add(set, [...scope.path, digest, `ip${family}`], scope, family, { text, ports, from });
      return [set];
    };
    return { 4: name(4), 6: name(6) };
  }

  #add(
    name: string,
    path: readonly string[],
    scope: PolicyScope,
    family: Family,
    meant: { readonly text: string; readonly ports: readonly PortNode[]; readonly from: Resource },
  ): void {
    const { rows, addressesOf } = this.#compilation;
    const key = rowKey('Address_Set', ...path);
    if (rows.has(key)) return;
    rows.add({
      table: 'Address_Set',
      key,
      unit: scope.unit,
      columns: {
        name,
        addresses: sortedSet(
          meant.ports.flatMap((port) =>
            addressesOf(port)
              .addresses.filter((each) => each.family === family)
              .map(({ address }) => address),
          ),
        ),
        external_ids: documentName(meant.text),
      },
      from: meant.from,
    });
  }
}
