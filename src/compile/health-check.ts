import type { Ip } from '../lib/ip.ts';
import { formatIp } from '../lib/ip.ts';
import { sortedRecord } from '../lib/order.ts';
import type { RowKey } from '../model/nb.ts';
import { rowKey, vpcUnit } from '../model/nb.ts';
import type { ResourceOf } from '../model/resource.ts';
import type { Protocol } from '../model/specs.ts';
import type { Compilation } from './compilation.ts';
import { uncheckedBackend } from './diagnostics.ts';
import type { VirtualPort } from './load-balancer.ts';
import { ipOf, secondsOf } from './text.ts';
import type { PortNode } from './topology.ts';
import { found } from './topology.ts';

type Balancer = ResourceOf<'LoadBalancer'>;

/** Adds the health check of every virtual port. OVN has none for SCTP (ovn-northd). */
export function addHealthChecks(
  { name, spec, ...balancer }: Balancer,
  protocol: Protocol,
  parent: RowKey,
  virtualPorts: readonly VirtualPort[],
  { rows }: Compilation,
): void {
  const { healthCheck } = spec;
  if (healthCheck === undefined || protocol === 'sctp') return;
  const { interval = '5s', timeout = '20s', successCount = 3, failureCount = 3 } = healthCheck;
  for (const { vip } of virtualPorts) {
    rows.add({
      table: 'Load_Balancer_Health_Check',
      key: rowKey('Load_Balancer_Health_Check', name, protocol, vip),
      unit: vpcUnit(spec.vpc),
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
      from: { name, spec, ...balancer },
    });
  }
}

/**
 * Which logical port each backend is, and which address probes it: `port:address` by backend address, IPv6 in brackets
 * (ovn-nb(5) ip_port_mappings). A backend that is no Port of the VPC can't be probed and is taken for good.
 */
export function healthCheckSources(
  balancer: Balancer,
  protocol: Protocol,
  virtualPorts: readonly VirtualPort[],
  compilation: Compilation,
): Readonly<Record<string, string>> | undefined {
  const { healthCheck } = balancer.spec;
  if (healthCheck === undefined || protocol === 'sctp') return undefined;
  const probes = healthCheck.sources.map((source) => probeFrom(source, compilation));
  const mappings: Record<string, string> = {};
  for (const { address } of virtualPorts.flatMap(({ backends }) => backends)) {
    const mapping = mappingOf(address, probes);
    if (mapping === undefined) compilation.diagnostics.push(uncheckedBackend(balancer, formatIp(address)));
    else mappings[bracketed(address)] = mapping;
  }
  return sortedRecord(mappings);
}

/** A source of probes with the ports that it can probe, by address. */
interface Probe {
  readonly source: Ip;
  readonly ports: ReadonlyMap<string, PortNode>;
}

function probeFrom(
  { subnet, address }: { readonly subnet: string; readonly address: string },
  { topology, addresses }: Compilation,
): Probe {
  const ports = found(topology.subnets, subnet).ports.flatMap((port) =>
    found(addresses, port.name).addresses.map((own): [string, PortNode] => [own.address, port]),
  );
  return { source: ipOf(address), ports: new Map(ports) };
}

function mappingOf(backend: Ip, probes: readonly Probe[]): string | undefined {
  const text = formatIp(backend);
  const probe = probes.find(({ source, ports }) => source.family === backend.family && ports.has(text));
  const port = probe?.ports.get(text);
  if (probe === undefined || port === undefined) return undefined;
  // ovn-northd ends the name at the first colon; names of logical ports have none.
  return `${port.logicalPort}:${bracketed(probe.source)}`;
}

function bracketed(ip: Ip): string {
  return ip.family === 6 ? `[${formatIp(ip)}]` : formatIp(ip);
}
