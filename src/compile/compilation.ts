import type { PortAddresses } from './addresses.ts';
import type { VpcLoadBalancers } from './load-balancer-refs.ts';
import type { RowSet } from './rows.ts';
import type { Topology } from './topology.ts';

/** What every concern reads, and where it puts its rows. */
export interface Compilation {
  readonly topology: Topology;
  readonly addresses: ReadonlyMap<string, PortAddresses>;
  /** The balancers of each VPC that has any. */
  readonly loadBalancers: ReadonlyMap<string, VpcLoadBalancers>;
  readonly rows: RowSet;
}
