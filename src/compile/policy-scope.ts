import type { Family } from '../lib/ip.ts';
import type { UnitName } from '../model/nb.ts';
import type { Labels } from '../model/specs.ts';
import type { Requirements } from '../model/selector.ts';
import { selects } from '../model/selector.ts';
import { setName } from './names.ts';
import type { Compilation } from './compilation.ts';
import type { PortIndex } from './port-index.ts';
import type { PortNode, SubnetNode, VpcNode } from './topology.ts';
import { familiesOf } from './topology.ts';

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
  readonly #own: readonly PortIndex[];
  readonly #reachable: readonly PortIndex[];
  readonly #selections = new Map<string, readonly PortNode[]>();

  constructor(
    path: PolicyScope['path'],
    unit: UnitName,
    families: ReadonlySet<Family>,
    own: readonly PortIndex[],
    peers: readonly PortIndex[],
  ) {
    this.path = path;
    this.unit = unit;
    this.families = families;
    this.#own = own;
    this.#reachable = [...own, ...peers];
  }

  /** The name of a port group of the scope. */
  portGroupName(...parts: readonly string[]): string {
    const [kind, name] = this.path;
    return setName(kind === 'vpc' ? 'np' : 'nps', name, ...parts);
  }

  /** The namespaces that ports of the scope itself are in. */
  namespaces(): readonly string[] {
    return [...new Set(this.#own.flatMap((index) => index.namespaces()))];
  }

  /** Ports of the scope itself, of one namespace, that meet the requirements. */
  members(namespace: string, requirements: Requirements): readonly PortNode[] {
    return this.#own.flatMap((index) => index.selectIn(namespace, requirements));
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
        .flatMap((namespace) => index.selectIn(namespace, selection.pods)),
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

/** The scope that a VPC is. */
export function vpcScope(vpc: VpcNode, { topology, indexOf }: Compilation): PolicyScope {
  const indexes = (subnets: readonly SubnetNode[]): readonly PortIndex[] =>
    subnets.map(({ name }) => indexOf(name));
  const peers = vpc.peers.flatMap((peer) => topology.vpc(peer).subnets);
  const families = familiesOf([...vpc.subnets, ...peers]);
  return new PolicyScope(['vpc', vpc.name], vpc.unit, families, indexes(vpc.subnets), indexes(peers));
}

/** The scope that a subnet without a VPC is. */
export function subnetScope(subnet: SubnetNode, { indexOf }: Compilation): PolicyScope {
  const { name, unit } = subnet;
  return new PolicyScope(['subnet', name], unit, familiesOf([subnet]), [indexOf(name)], []);
}

function isNamespaceSelected(
  namespace: string,
  { namespaces }: PeerSelection,
  labelsOf: (namespace: string) => Labels,
): boolean {
  return typeof namespaces === 'string' ? namespaces === namespace : selects(namespaces, labelsOf(namespace));
}
