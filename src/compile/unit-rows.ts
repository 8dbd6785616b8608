import { DerivedMap } from '../lib/derived-maps.ts';
import { invariant } from '../lib/invariant.ts';
import type { NbRow, UnitName } from '../model/nb.ts';
import { GLOBAL_UNIT } from '../model/nb.ts';
import { SUBNETS_OF_VPC } from '../model/relations.ts';
import type { Allocation } from './addresses.ts';
import { allocateAddresses } from './addresses.ts';
import type { Compilation } from './compilation.ts';
import { compileDhcp } from './dhcp.ts';
import { compileExternals } from './external.ts';
import { compileIsolation } from './isolation.ts';
import type { VpcLoadBalancers } from './load-balancer-refs.ts';
import { balancersOf } from './load-balancer-refs.ts';
import { compileLoadBalancers } from './load-balancer.ts';
import { compileNats } from './nat.ts';
import { compileNetworkPolicies } from './network-policy.ts';
import { compilePeering } from './peering.ts';
import { compilePlatform } from './platform.ts';
import { subnetScope, vpcScope } from './policy-scope.ts';
import { PortIndex } from './port-index.ts';
import { compilePort } from './port.ts';
import { compileRoutes } from './routes.ts';
import { joinRows, RowSet } from './rows.ts';
import { compileSecurityGroups } from './security-group.ts';
import { compileSubnet } from './subnet.ts';
import type { Topology } from './topology.ts';
import { compileVpc } from './vpc.ts';

type Concern = (name: string, compilation: Compilation) => void;

/**
 * The rows of every unit, concern by concern. Each list is kept until something that it was made from changes, and rows
 * that come out the same stay the same objects.
 */
export class UnitRows {
  readonly #topology: Topology;
  readonly #allocations: DerivedMap<Allocation>;
  readonly #balancers: DerivedMap<VpcLoadBalancers | undefined>;
  readonly #indexes: DerivedMap<PortIndex>;
  readonly #concerns: Readonly<Record<ConcernName, DerivedMap<readonly NbRow[]>>>;

  constructor(topology: Topology) {
    this.#topology = topology;
    this.#allocations = new DerivedMap((name, before) =>
      allocateAddresses(topology.subnet(name), topology, before),
    );
    this.#balancers = new DerivedMap((vpc) => balancersOf(topology.set, vpc));
    this.#indexes = new DerivedMap((subnet) => new PortIndex(topology.portsOf(subnet)));
    const rowsOf = (concern: Concern): DerivedMap<readonly NbRow[]> =>
      new DerivedMap((name, before) => this.#rowsOf(concern, name, before));
    this.#concerns = {
      router: rowsOf(compileRouter),
      subnet: rowsOf(compileSwitch),
      peering: rowsOf((name, compilation) => {
        const peering = topology.set.get('Peering', name);
        if (peering !== undefined) compilePeering(peering, compilation);
      }),
      groups: rowsOf((vpc, compilation) => compileSecurityGroups(topology.vpc(vpc), compilation)),
      vpcPolicies: rowsOf((vpc, compilation) =>
        compileNetworkPolicies(vpcScope(topology.vpc(vpc), compilation), compilation),
      ),
      subnetPolicies: rowsOf((subnet, compilation) =>
        compileNetworkPolicies(subnetScope(topology.subnet(subnet), compilation), compilation),
      ),
    };
  }

  /** The addresses of a subnet's Ports. */
  allocation(subnet: string): Allocation {
    return this.#allocations.get(subnet);
  }

  /** The rows of a unit in canonical order; none for a unit that does not exist. */
  ofUnit(unit: UnitName, before: readonly NbRow[] | undefined): readonly NbRow[] {
    return joinRows([...this.#listsOf(unit)], before);
  }

  *#listsOf(unit: UnitName): Iterable<readonly NbRow[]> {
    const { set } = this.#topology;
    const { router, subnet, peering, groups, vpcPolicies, subnetPolicies } = this.#concerns;
    const [kind, name = ''] = split(unit);
    if (unit === GLOBAL_UNIT) {
      for (const each of set.related(SUBNETS_OF_VPC, '')) {
        yield subnet.get(each.name);
        yield subnetPolicies.get(each.name);
      }
    } else if (kind === 'peering') yield peering.get(name);
    else if (set.get('Vpc', name) !== undefined) {
      yield router.get(name);
      yield groups.get(name);
      yield vpcPolicies.get(name);
      for (const each of set.related(SUBNETS_OF_VPC, name)) yield subnet.get(each.name);
    }
  }

  #rowsOf(concern: Concern, name: string, before: readonly NbRow[] | undefined): readonly NbRow[] {
    const rows = new RowSet();
    concern(name, {
      topology: this.#topology,
      addressesOf: (port) => found(this.#allocations.get(port.subnet).addresses, port.name),
      balancersOf: (vpc) => this.#balancers.get(vpc),
      indexOf: (subnet) => this.#indexes.get(subnet),
      rows,
    });
    return rows.inOrder(before);
  }
}

type ConcernName = 'router' | 'subnet' | 'peering' | 'groups' | 'vpcPolicies' | 'subnetPolicies';

function compileRouter(name: string, compilation: Compilation): void {
  const vpc = compilation.topology.vpc(name);
  compileVpc(vpc, compilation);
  compileExternals(vpc, compilation);
  compileRoutes(vpc, compilation);
  compileNats(vpc, compilation);
  compileLoadBalancers(vpc, compilation);
}

function compileSwitch(name: string, compilation: Compilation): void {
  const subnet = compilation.topology.subnet(name);
  compileSubnet(subnet, compilation);
  compileIsolation(subnet, compilation);
  compilePlatform(subnet, compilation);
  const dhcp = compileDhcp(subnet, compilation);
  for (const port of compilation.topology.portsOf(name)) compilePort(port, subnet, dhcp, compilation);
}

function split(unit: UnitName): readonly [kind: string, name?: string] {
  const slash = unit.indexOf('/');
  return slash < 0 ? [unit] : [unit.slice(0, slash), unit.slice(slash + 1)];
}

function found<T>(nodes: ReadonlyMap<string, T>, name: string): T {
  const node = nodes.get(name);
  if (node === undefined) invariant(false, `no ${name}`);
  return node;
}
