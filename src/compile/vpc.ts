import type { Compilation } from './compilation.ts';
import { routerKey } from './names.ts';
import type { VpcNode } from './topology.ts';

/**
 * A VPC's router. Its options keep the flows and MAC bindings few where many routers meet on one external switch
 * (ovn-nb(5), Logical_Router options).
 */
export function compileVpc(vpc: VpcNode, { rows, balancersOf }: Compilation): void {
  rows.add({
    table: 'Logical_Router',
    key: routerKey(vpc.name),
    unit: vpc.unit,
    columns: {
      name: vpc.name,
      options: { always_learn_from_arp_request: 'false', dynamic_neigh_routers: 'true' },
      load_balancer: balancersOf(vpc.name)?.router,
    },
    from: vpc.resource,
  });
}
