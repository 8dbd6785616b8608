import { formatIp } from '../lib/ip.ts';
import type { Family } from '../lib/ip.ts';
import { cidrContains } from '../lib/cidr.ts';
import { invariant } from '../lib/invariant.ts';
import { rowKey } from '../model/nb.ts';
import { routerPortName } from '../model/router-port-name.ts';
import type { VpcExternalSpec } from '../model/specs.ts';
import type { Compilation } from './compilation.ts';
import { routerKey } from './names.ts';
import { addGatewayChassis, addRouterJoin } from './router-port.ts';
import { cidrOf, ipOf } from './text.ts';
import type { SubnetNode, VpcNode } from './topology.ts';

/** What joins a VPC's router to its external subnets: the gateway port on both sides, its chassis and default routes. */
export function compileExternals(vpc: VpcNode, compilation: Compilation): void {
  for (const { spec, subnet } of vpc.externals) {
    const networks = spec.addresses.map((text) => {
      const ip = ipOf(text);
      const network = subnet.networks.find(({ cidr }) => cidrContains(cidr, ip));
      invariant(network !== undefined, `${text} is in ${subnet.name}`);
      return `${formatIp(ip)}/${network.cidr.prefix}`;
    });
    addRouterJoin(
      {
        vpc: vpc.name,
        subnet: subnet.name,
        unit: vpc.unit,
        networks,
        // The switch answers for the router's NAT addresses: gratuitous ARP follows a gateway that moves.
        switchSideOptions: { 'nat-addresses': 'router' },
        from: vpc.resource,
      },
      compilation,
    );
    addGatewayChassis(
      vpc.name,
      subnet.name,
      spec.gateways,
      { unit: vpc.unit, from: vpc.resource },
      compilation,
    );
    if (spec.defaultRoute !== false) addDefaultRoutes(vpc, spec, subnet, compilation);
  }
}

const EVERYWHERE: Readonly<Record<Family, string>> = { 4: '0.0.0.0/0', 6: '::/0' };

/** A default route per family that the router has an address of, unless the VPC states its own. */
function addDefaultRoutes(
  vpc: VpcNode,
  spec: VpcExternalSpec,
  subnet: SubnetNode,
  { rows }: Compilation,
): void {
  const families = new Set(spec.addresses.map((address) => ipOf(address).family));
  for (const { family, gateway } of subnet.networks) {
    if (!families.has(family) || hasOwnDefaultRoute(vpc, family)) continue;
    rows.add({
      table: 'Logical_Router_Static_Route',
      key: rowKey('Logical_Router_Static_Route', vpc.name, 'external', subnet.name, `ip${family}`),
      unit: vpc.unit,
      columns: {
        ip_prefix: EVERYWHERE[family],
        nexthop: formatIp(gateway),
        output_port: routerPortName(vpc.name, subnet.name),
        policy: 'dst-ip',
      },
      parent: { key: routerKey(vpc.name), column: 'static_routes' },
      from: vpc.resource,
    });
  }
}

function hasOwnDefaultRoute(vpc: VpcNode, family: Family): boolean {
  return (vpc.resource.spec.routes ?? []).some((route) => {
    const cidr = cidrOf(route.cidr);
    return route.match !== 'source' && cidr.family === family && cidr.prefix === 0;
  });
}
