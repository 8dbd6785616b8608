import type { Cidr } from '../lib/cidr.ts';
import { formatCidr, formatInterface } from '../lib/cidr.ts';
import { formatIp } from '../lib/ip.ts';
import { sortedSet } from '../lib/order.ts';
import type { UnitName } from '../model/nb.ts';
import { peeringUnit, rowKey } from '../model/nb.ts';
import type { ResourceOf } from '../model/resource.ts';
import { peeringPortName } from '../model/router-port-name.ts';
import type { PeeringEnd } from '../model/specs.ts';
import type { Compilation } from './compilation.ts';
import { peeringMac } from './macs.ts';
import { routerKey, routerPortKey } from './names.ts';
import { cidrOf, interfaceOf } from './text.ts';

/** What joins two VPCs: a port on each router, facing the other, and the routes to what the other end advertises. */
export function compilePeering(peering: ResourceOf<'Peering'>, compilation: Compilation): void {
  const [left, right] = peering.spec.ends;
  compileEnd(peering, left, right, compilation);
  compileEnd(peering, right, left, compilation);
}

function compileEnd(
  peering: ResourceOf<'Peering'>,
  near: PeeringEnd,
  far: PeeringEnd,
  compilation: Compilation,
): void {
  const unit = peeringUnit(peering.name);
  const name = peeringPortName(near.vpc, peering.name);
  compilation.rows.add({
    table: 'Logical_Router_Port',
    key: routerPortKey(name),
    unit,
    columns: {
      name,
      mac: peeringMac(peering.name, near.vpc),
      networks: sortedSet(near.addresses.map((address) => formatInterface(interfaceOf(address)))),
      peer: peeringPortName(far.vpc, peering.name),
    },
    parent: { key: routerKey(near.vpc), column: 'ports' },
    from: peering,
  });
  for (const prefix of advertised(far, compilation)) addRoute(peering, near, far, prefix, unit, compilation);
}

function addRoute(
  peering: ResourceOf<'Peering'>,
  near: PeeringEnd,
  far: PeeringEnd,
  prefix: Cidr,
  unit: UnitName,
  { rows }: Compilation,
): void {
  const hop = far.addresses.map(interfaceOf).find(({ family }) => family === prefix.family);
  // The link does not carry that family.
  if (hop === undefined) return;
  const text = formatCidr(prefix);
  const key = rowKey('Logical_Router_Static_Route', near.vpc, 'peering', peering.name, text);
  if (rows.has(key)) return;
  rows.add({
    table: 'Logical_Router_Static_Route',
    key,
    unit,
    columns: {
      ip_prefix: text,
      nexthop: formatIp(hop.ip),
      output_port: peeringPortName(near.vpc, peering.name),
      policy: 'dst-ip',
    },
    parent: { key: routerKey(near.vpc), column: 'static_routes' },
    from: peering,
  });
}

/** The networks behind an end that the other may reach. */
function advertised(end: PeeringEnd, { topology }: Compilation): readonly Cidr[] {
  if (end.advertise !== undefined) return end.advertise.map(cidrOf);
  return topology.vpc(end.vpc).subnets.flatMap(({ networks }) => networks.map(({ cidr }) => cidr));
}
