import { invariant } from '../lib/invariant.ts';
import type { Ip } from '../lib/ip.ts';
import { formatIp } from '../lib/ip.ts';
import { sortedRecord } from '../lib/order.ts';
import type { RowKey } from '../model/nb.ts';
import { rowKey, vpcUnit } from '../model/nb.ts';
import type { ResourceOf } from '../model/resource.ts';
import type { Protocol } from '../model/specs.ts';
import type { Compilation } from './compilation.ts';
import type { VirtualPort } from './load-balancer.ts';
import { ipOf, secondsOf } from './text.ts';

type Balancer = ResourceOf<'LoadBalancer'>;

/** Adds the health check of every virtual port. */
export function addHealthChecks(
  balancer: Balancer,
  protocol: Protocol,
  parent: RowKey,
  virtualPorts: readonly VirtualPort[],
  { rows }: Compilation,
): void {
  const { healthCheck, vpc } = balancer.spec;
  if (healthCheck === undefined) return;
  const { interval = '5s', timeout = '20s', successCount = 3, failureCount = 3 } = healthCheck;
  for (const { vip } of virtualPorts) {
    rows.add({
      table: 'Load_Balancer_Health_Check',
      key: rowKey('Load_Balancer_Health_Check', balancer.name, protocol, vip),
      unit: vpcUnit(vpc),
      columns: {
        vip,
        options: {
          failure_count: `${failureCount}`,
          interval: `${secondsOf(interval)}`,
          success_count: `${successCount}`,
          timeout: `${secondsOf(timeout)}`,
        },
      },
      parent: { key: parent, column: 'health_check' },
      from: balancer,
    });
  }
}

/**
 * Which logical port each backend is, and which address of its subnet probes it: `port:address` by backend address, IPv6
 * in brackets (ovn-nb(5) ip_port_mappings). ovn-northd ends the port's name at the first colon; our names have none.
 */
export function healthCheckSources(
  { spec, name }: Balancer,
  virtualPorts: readonly VirtualPort[],
): Readonly<Record<string, string>> | undefined {
  const { healthCheck } = spec;
  if (healthCheck === undefined) return undefined;
  const sources = healthCheck.sources.map(({ subnet, address }) => ({ subnet, ip: ipOf(address) }));
  const mappings = virtualPorts
    .flatMap(({ backends }) => backends)
    .map(({ address, holder }): [string, string] => {
      const source = sources.find(
        ({ subnet, ip }) => subnet === holder?.subnet && ip.family === address.family,
      );
      invariant(holder !== undefined && source !== undefined, `${name} can probe all its backends`);
      return [bracketed(address), `${holder.logicalPort}:${bracketed(source.ip)}`];
    });
  return sortedRecord(Object.fromEntries(mappings));
}

function bracketed(ip: Ip): string {
  return ip.family === 6 ? `[${formatIp(ip)}]` : formatIp(ip);
}
