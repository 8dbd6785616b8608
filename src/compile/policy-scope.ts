import type { Family } from '../lib/ip.ts';
import type { UnitName } from '../model/nb.ts';
import type { Labels } from '../model/specs.ts';
import type { Requirements } from '../model/selector.ts';
import { selects } from '../model/selector.ts';
import { setName } from './names.ts';
import { LabelIndex } from './label-index.ts';
import type { PortNode, SubnetNode, Topology } from './topology.ts';
import { append, familiesOf, found } from './topology.ts';

/**
 * Where a NetworkPolicy is in force and whom its selectors can mean: the ports of a VPC, and for peers also those of the
 * VPCs joined with it. Others are out of reach, and where networks of VPCs are equal their addresses would be wrong ones.
 * A subnet without a VPC is a scope of its own.
 */
export class PolicyScope {
  /** The parts of a key that name the scope. */
  readonly path: readonly [kind: 'vpc' | 'subnet', name: string];
  readonly unit: UnitName;
  readonly families: ReadonlySet<Family>;
  readonly #own: NamespaceIndex;
  readonly #reachable: readonly NamespaceIndex[];
  readonly #selections = new Map<string, readonly PortNode[]>();

  constructor(
    path: PolicyScope['path'],
    unit: UnitName,
    families: ReadonlySet<Family>,
    own: NamespaceIndex,
    peers: readonly NamespaceIndex[],
  ) {
    this.path = path;
    this.unit = unit;
    this.families = families;
    this.#own = own;
    this.#reachable = [own, ...peers];
  }

  /** The name of a port group of the scope. */
  portGroupName(...parts: readonly string[]): string {
    const [kind, name] = this.path;
    return setName(kind === 'vpc' ? 'np' : 'nps', name, ...parts);
  }

  /** Ports of the scope itself, of one namespace, that meet the requirements. */
  members(namespace: string, requirements: Requirements): readonly PortNode[] {
    return this.#own.select(namespace, requirements);
  }

  /** Ports that a peer can mean; each selection is made once. */
  peers(selection: PeerSelection, namespaceLabels: (namespace: string) => Labels): readonly PortNode[] {
    const id = JSON.stringify(selection);
    const known = this.#selections.get(id);
    if (known !== undefined) return known;
    const selected = this.#reachable.flatMap((index) =>
      index
        .namespaces()
        .filter((namespace) => isNamespaceSelected(namespace, selection, namespaceLabels))
        .flatMap((namespace) => index.select(namespace, selection.pods)),
    );
    this.#selections.set(id, selected);
    return selected;
  }
}

/** Which ports a peer of a policy means: of one namespace by name, or of those with labels. */
export interface PeerSelection {
  readonly namespaces: string | Requirements;
  readonly pods: Requirements;
}

/** All scopes that have ports of a namespace, by namespace. */
export function policyScopes(topology: Topology): ReadonlyMap<string, readonly PolicyScope[]> {
  const byNamespace = new Map<string, PolicyScope[]>();
  for (const [scope, index] of scopesWithPorts(topology)) {
    for (const namespace of index.namespaces()) append(byNamespace, namespace, scope);
  }
  return byNamespace;
}

function scopesWithPorts(topology: Topology): readonly (readonly [PolicyScope, NamespaceIndex])[] {
  const indexes = new Map<string, NamespaceIndex>();
  for (const { name, subnets } of topology.vpcs.values()) indexes.set(name, new NamespaceIndex(subnets));
  const ofVpcs = [...topology.vpcs.values()].map((vpc): readonly [PolicyScope, NamespaceIndex] => {
    const index = found(indexes, vpc.name);
    const peers = vpc.peers.map((peer) => found(topology.vpcs, peer));
    const families = familiesOf([vpc, ...peers].flatMap(({ subnets }) => subnets));
    const peerIndexes = peers.map(({ name }) => found(indexes, name));
    return [new PolicyScope(['vpc', vpc.name], vpc.unit, families, index, peerIndexes), index];
  });
  const ofSubnets = [...topology.subnets.values()]
    .filter(({ vpc }) => vpc === undefined)
    .map((subnet): readonly [PolicyScope, NamespaceIndex] => {
      const index = new NamespaceIndex([subnet]);
      return [new PolicyScope(['subnet', subnet.name], subnet.unit, familiesOf([subnet]), index, []), index];
    });
  return [...ofVpcs, ...ofSubnets];
}

function isNamespaceSelected(
  namespace: string,
  { namespaces }: PeerSelection,
  labelsOf: (namespace: string) => Labels,
): boolean {
  return typeof namespaces === 'string' ? namespaces === namespace : selects(namespaces, labelsOf(namespace));
}

/** Ports by namespace. A Port without a namespace is in none, and no policy means it. */
class NamespaceIndex {
  readonly #byNamespace: ReadonlyMap<string, LabelIndex>;

  constructor(subnets: readonly SubnetNode[]) {
    const ports = new Map<string, PortNode[]>();
    for (const port of subnets.flatMap((subnet) => subnet.ports)) {
      const { namespace } = port.resource;
      if (namespace !== undefined) append(ports, namespace, port);
    }
    this.#byNamespace = new Map([...ports].map(([namespace, own]) => [namespace, new LabelIndex(own)]));
  }

  namespaces(): readonly string[] {
    return [...this.#byNamespace.keys()];
  }

  select(namespace: string, requirements: Requirements): readonly PortNode[] {
    return this.#byNamespace.get(namespace)?.select(requirements) ?? [];
  }
}
