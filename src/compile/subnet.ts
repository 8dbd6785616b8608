import { invariant } from '../lib/invariant.ts';
import { formatIp } from '../lib/ip.ts';
import type { Compilation } from './compilation.ts';
import { routerAdvertisements } from './dhcp.ts';
import { localnetPortName, portKey, switchKey } from './names.ts';
import { addGatewayChassis, addRouterJoin } from './router-port.ts';
import type { SubnetNode } from './topology.ts';

/** A subnet's switch, its port on the VPC's router and its port on the physical network. */
export function compileSubnet(subnet: SubnetNode, compilation: Compilation): void {
  compilation.rows.add({
    table: 'Logical_Switch',
    key: switchKey(subnet.name),
    unit: subnet.unit,
    columns: {
      name: subnet.name,
      load_balancer: subnet.vpc === undefined ? undefined : compilation.balancersOf(subnet.vpc)?.switches,
    },
    from: subnet.resource,
  });
  addGateway(subnet, compilation);
  addLocalnet(subnet, compilation);
}

function addGateway(subnet: SubnetNode, compilation: Compilation): void {
  const { vpc, unit, resource, networks, name } = subnet;
  if (vpc === undefined) return;
  const ipv6RaConfigs = routerAdvertisements(subnet, compilation.topology);
  addRouterJoin(
    {
      vpc,
      subnet: name,
      unit,
      networks: networks.map(({ cidr, gateway }) => `${formatIp(gateway)}/${cidr.prefix}`),
      ...(ipv6RaConfigs === undefined ? {} : { ipv6RaConfigs }),
      from: resource,
    },
    compilation,
  );
  const { gateway } = resource.spec;
  if (gateway?.mode === 'centralized') {
    addGatewayChassis(vpc, name, gateway.chassis, { unit, from: resource }, compilation);
  }
}

function addLocalnet({ name, unit, resource }: SubnetNode, { topology, rows }: Compilation): void {
  const { provider } = resource.spec;
  if (provider === undefined) return;
  const network = topology.set.get('ProviderNetwork', provider.network);
  invariant(network !== undefined, `no ProviderNetwork/${provider.network}`);
  const localnet = localnetPortName(name);
  rows.add({
    table: 'Logical_Switch_Port',
    key: portKey(localnet),
    unit,
    columns: {
      name: localnet,
      type: 'localnet',
      addresses: ['unknown'],
      options: { network_name: network.spec.physicalNetwork },
      // VLAN 0 means untagged; the column takes 1..4095 only (ovn-nb(5)).
      tag: provider.vlan === 0 ? undefined : provider.vlan,
    },
    parent: { key: switchKey(name), column: 'ports' },
    from: resource,
  });
}
