import { sortedSet } from '../lib/order.ts';
import type { UnitName } from '../model/nb.ts';
import { rowKey } from '../model/nb.ts';
import type { Resource } from '../model/resource.ts';
import { routerPortName } from '../model/router-port-name.ts';
import type { Compilation } from './compilation.ts';
import { routerMac } from './macs.ts';
import {
  gatewayChassisName,
  portKey,
  routerKey,
  routerPortKey,
  routerSidePortName,
  switchKey,
} from './names.ts';

/** How a router is joined to a switch. */
export interface RouterJoin {
  readonly vpc: string;
  readonly subnet: string;
  readonly unit: UnitName;
  /** The router's addresses with prefix length. */
  readonly networks: readonly string[];
  readonly switchSideOptions?: Readonly<Record<string, string>>;
  readonly ipv6RaConfigs?: Readonly<Record<string, string>>;
  readonly from: Resource;
}

/** Adds both sides of the join: the router's port and the switch's port that leads to it. */
export function addRouterJoin(join: RouterJoin, { rows }: Compilation): void {
  const name = routerPortName(join.vpc, join.subnet);
  const { unit, from } = join;
  rows.add({
    table: 'Logical_Router_Port',
    key: routerPortKey(name),
    unit,
    columns: {
      name,
      mac: routerMac(join.vpc, join.subnet),
      networks: sortedSet(join.networks),
      ipv6_ra_configs: join.ipv6RaConfigs,
    },
    parent: { key: routerKey(join.vpc), column: 'ports' },
    from,
  });
  const switchSide = routerSidePortName(join.subnet, join.vpc);
  rows.add({
    table: 'Logical_Switch_Port',
    key: portKey(switchSide),
    unit,
    columns: {
      name: switchSide,
      type: 'router',
      addresses: ['router'],
      options: { ...join.switchSideOptions, 'router-port': name },
    },
    parent: { key: switchKey(join.subnet), column: 'ports' },
    from,
  });
}

/** Names the chassis that may carry the router's port on a subnet, the first one with the highest priority. */
export function addGatewayChassis(
  vpc: string,
  subnet: string,
  chassis: readonly string[],
  { unit, from }: { readonly unit: UnitName; readonly from: Resource },
  { rows }: Compilation,
): void {
  const port = routerPortName(vpc, subnet);
  const highest = Math.max(100, chassis.length);
  for (const [index, chassisName] of chassis.entries()) {
    const name = gatewayChassisName(port, chassisName);
    rows.add({
      table: 'Gateway_Chassis',
      key: rowKey('Gateway_Chassis', name),
      unit,
      columns: { name, chassis_name: chassisName, priority: highest - index },
      parent: { key: routerPortKey(port), column: 'gateway_chassis' },
      from,
    });
  }
}
