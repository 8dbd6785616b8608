import type { PortAddresses } from './addresses.ts';
import type { VpcLoadBalancers } from './load-balancer-refs.ts';
import type { PortIndex } from './port-index.ts';
import type { RowSet } from './rows.ts';
import type { PortNode, Topology } from './topology.ts';

/** What every concern reads, and where it puts its rows. */
export interface Compilation {
  readonly topology: Topology;
  readonly addressesOf: (port: PortNode) => PortAddresses;
  /** The balancers of a VPC, if it has any. */
  readonly balancersOf: (vpc: string) => VpcLoadBalancers | undefined;
  /** The Ports of a subnet by namespace and label. */
  readonly indexOf: (subnet: string) => PortIndex;
  readonly rows: RowSet;
}
