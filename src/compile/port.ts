import type { Family } from '../lib/ip.ts';
import type { Ref } from '../model/nb.ts';
import type { Compilation } from './compilation.ts';
import type { DhcpRefs } from './dhcp.ts';
import { switchKey } from './names.ts';
import { documentName } from './document-name.ts';
import type { PortNode, SubnetNode } from './topology.ts';

/** The logical switch port of a Port: its addresses, whether it may send from others, and who answers its DHCP. */
export function compilePort(
  port: PortNode,
  subnet: SubnetNode,
  dhcp: DhcpRefs,
  { addressesOf, rows }: Compilation,
): void {
  const { mac, addresses: given } = addressesOf(port);
  const { portSecurity, chassis, interfaceId } = port.resource.spec;
  // MAC first (ovn-nb(5)): ovn-northd ignores a port whose addresses are written the other way round.
  const text = [mac, ...given.map(({ address }) => address)].join(' ');
  const dhcpFor = (family: Family): Ref | undefined =>
    given.some((address) => address.family === family) ? dhcp[family] : undefined;
  rows.add({
    table: 'Logical_Switch_Port',
    key: port.key,
    unit: subnet.unit,
    columns: {
      name: port.logicalPort,
      addresses: [text],
      port_security: portSecurity === false ? undefined : [text],
      options: chassis === undefined ? undefined : { 'requested-chassis': chassis },
      dhcpv4_options: dhcpFor(4),
      dhcpv6_options: dhcpFor(6),
      external_ids: interfaceId === undefined ? undefined : documentName(port.name),
    },
    parent: { key: switchKey(subnet.name), column: 'ports' },
    from: port.resource,
  });
}
