import { formatCidr } from '../lib/cidr.ts';
import { formatIp } from '../lib/ip.ts';
import type { Family } from '../lib/ip.ts';
import { invariant } from '../lib/invariant.ts';
import { rowKey, vpcUnit } from '../model/nb.ts';
import { NATS_OF_VPC } from '../model/relations.ts';
import type { ResourceOf } from '../model/resource.ts';
import { routerPortName } from '../model/router-port-name.ts';
import type { Compilation } from './compilation.ts';
import { natMac } from './macs.ts';
import { routerKey, routerPortKey } from './names.ts';
import { resolveTarget } from './target.ts';
import { cidrOf, ipOf } from './text.ts';
import type { VpcNode } from './topology.ts';

type Nat = ResourceOf<'Nat'>;

/** A VPC's source NAT and floating addresses, each bound to the gateway port on its Eip's subnet. Port forwards balance load. */
export function compileNats(vpc: VpcNode, compilation: Compilation): void {
  for (const nat of compilation.topology.set.related(NATS_OF_VPC, vpc.name)) {
    if (nat.spec.type !== 'port_forward') compileNat(nat, compilation);
  }
}

function compileNat(nat: Nat, compilation: Compilation): void {
  const { vpc, eip: eipName, type } = nat.spec;
  const eip = compilation.topology.set.get('Eip', eipName);
  invariant(eip !== undefined, `no Eip/${eipName}`);
  const external = ipOf(eip.spec.address);
  compilation.rows.add({
    table: 'NAT',
    key: rowKey('NAT', nat.name),
    unit: vpcUnit(vpc),
    columns: {
      type,
      external_ip: formatIp(external),
      // The same internal network may leave by several gateways (ovn-nb(5), gateway_port).
      gateway_port: { ref: routerPortKey(routerPortName(vpc, eip.spec.subnet)) },
      ...insideColumns(nat, external.family, compilation),
    },
    parent: { key: routerKey(vpc), column: 'nat' },
    from: nat,
  });
}

/** The inside of a NAT; a distributed one answers on the port's own chassis, with a MAC address of its own. */
function insideColumns(
  { name, spec }: Nat,
  family: Family,
  compilation: Compilation,
): Readonly<Record<string, string>> {
  if (spec.type === 'snat') return { logical_ip: formatCidr(cidrOf(spec.internal)) };
  const { address, port } = resolveTarget(spec.internal, family, compilation);
  if (spec.type !== 'dnat_and_snat' || spec.mode !== 'distributed') return { logical_ip: address };
  invariant(port !== undefined, `${spec.internal} is a Port`);
  return { logical_ip: address, logical_port: port.logicalPort, external_mac: natMac(name) };
}
