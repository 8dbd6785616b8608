import type { Diagnostic } from '../model/diagnostic.ts';
import type { NbState } from '../model/nb.ts';
import type { ResourceSet } from '../model/resource-set.ts';
import type { PortAddresses, SubnetPool } from './addresses.ts';
import { allocateAddresses } from './addresses.ts';
import type { Compilation } from './compilation.ts';
import { compileDhcp } from './dhcp.ts';
import { compileExternals } from './external.ts';
import { compileIsolation } from './isolation.ts';
import { loadBalancersByVpc } from './load-balancer-refs.ts';
import { compileLoadBalancers } from './load-balancer.ts';
import { compileNats } from './nat.ts';
import { compileNetworkPolicies } from './network-policy.ts';
import { compilePeerings } from './peering.ts';
import { compilePlatform } from './platform.ts';
import { compilePort } from './port.ts';
import { compileRoutes } from './routes.ts';
import { RowSet } from './rows.ts';
import { compileSecurityGroups } from './security-group.ts';
import { compileSubnet } from './subnet.ts';
import { buildTopology } from './topology.ts';
import { compileVpc } from './vpc.ts';

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
 * Compiles resources that validation has accepted into Northbound rows. A pure function: the order of the resources does
 * not matter, and equal resources give equal rows, addresses and MACs on every machine.
 */
export function compile(set: ResourceSet): Compiled {
  const topology = buildTopology(set);
  const { addresses, pools, diagnostics } = allocateAddresses(topology);
  const compilation: Compilation = {
    topology,
    addresses,
    loadBalancers: loadBalancersByVpc(set),
    rows: new RowSet(),
  };
  for (const vpc of topology.vpcs.values()) {
    compileVpc(vpc, compilation);
    compileExternals(vpc, compilation);
    compileRoutes(vpc, compilation);
  }
  for (const subnet of topology.subnets.values()) {
    compileSubnet(subnet, compilation);
    compileIsolation(subnet, compilation);
    const dhcp = compileDhcp(subnet, compilation);
    for (const port of subnet.ports) compilePort(port, subnet, dhcp, compilation);
  }
  compilePeerings(compilation);
  compileNats(compilation);
  compileLoadBalancers(compilation);
  const guarded = [...compileSecurityGroups(compilation), ...compileNetworkPolicies(compilation)];
  compilePlatform(guarded, compilation);
  return { nb: compilation.rows.toState(), addresses, pools, diagnostics };
}
