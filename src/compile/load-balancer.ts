import { invariant } from '../lib/invariant.ts';
import type { Ip } from '../lib/ip.ts';
import { formatIp } from '../lib/ip.ts';
import { sortedRecord, sortedSet } from '../lib/order.ts';
import { vpcUnit } from '../model/nb.ts';
import { BALANCERS_OF_VPC, NATS_OF_VPC } from '../model/relations.ts';
import type { ResourceOf } from '../model/resource.ts';
import type { LoadBalancerBackend, LoadBalancerSpec, Protocol } from '../model/specs.ts';
import type { Compilation } from './compilation.ts';
import { addHealthChecks, healthCheckSources } from './health-check.ts';
import { loadBalancerKey, portForwardKey, protocolsOf } from './load-balancer-refs.ts';
import { resolveTarget } from './target.ts';
import { ipOf, secondsOf } from './text.ts';
import type { PortNode, VpcNode } from './topology.ts';

/** A virtual address with one port of one protocol, and where connections to it go. */
export interface VirtualPort {
  /** `address:port`, IPv6 in brackets. */
  readonly vip: string;
  readonly backends: readonly Endpoint[];
}

export interface Endpoint {
  readonly address: Ip;
  readonly port: number;
  /** The Port that has the address, when the backend was named as one. */
  readonly holder?: PortNode;
}

/** A VPC's load balancers, one row per protocol, and port forwards, one row each. */
export function compileLoadBalancers(vpc: VpcNode, compilation: Compilation): void {
  const { set } = compilation.topology;
  for (const balancer of set.related(BALANCERS_OF_VPC, vpc.name)) {
    for (const protocol of protocolsOf(balancer.spec)) compileProtocol(balancer, protocol, compilation);
  }
  for (const nat of set.related(NATS_OF_VPC, vpc.name)) compilePortForward(nat, compilation);
}

function compileProtocol(
  balancer: ResourceOf<'LoadBalancer'>,
  protocol: Protocol,
  compilation: Compilation,
): void {
  const { spec, name } = balancer;
  const vip = virtualAddress(spec, compilation);
  const virtualPorts = spec.listeners
    .filter((listener) => listener.protocol === protocol)
    .map((listener): VirtualPort => ({
      vip: formatEndpoint({ address: vip, port: listener.port }),
      backends: listener.backends.flatMap((backend) => endpointOf(backend, vip, compilation)),
    }));
  const key = loadBalancerKey(name, protocol);
  compilation.rows.add({
    table: 'Load_Balancer',
    key,
    unit: vpcUnit(spec.vpc),
    columns: {
      name: `${name}:${protocol}`,
      protocol,
      vips: vipsColumn(virtualPorts),
      options: optionsOf(spec),
      ip_port_mappings: healthCheckSources(balancer, virtualPorts),
    },
    from: balancer,
  });
  addHealthChecks(balancer, protocol, key, virtualPorts, compilation);
}

function compilePortForward(nat: ResourceOf<'Nat'>, compilation: Compilation): void {
  const { spec, name } = nat;
  if (spec.type !== 'port_forward') return;
  const vip = eipAddress(spec.eip, compilation);
  const backend = { target: spec.internal, port: spec.internalPort };
  const backends = endpointOf(backend, vip, compilation);
  compilation.rows.add({
    table: 'Load_Balancer',
    key: portForwardKey(name),
    unit: vpcUnit(spec.vpc),
    columns: {
      name: `nat:${name}`,
      protocol: spec.protocol,
      vips: vipsColumn([{ vip: formatEndpoint({ address: vip, port: spec.externalPort }), backends }]),
    },
    from: nat,
  });
}

/** Refusing a connection that no backend can take is honest; OVN would otherwise drop it in silence (ovn-nb(5) reject). */
function optionsOf({ affinity }: LoadBalancerSpec): Readonly<Record<string, string>> {
  return affinity === undefined
    ? { reject: 'true' }
    : { affinity_timeout: `${secondsOf(affinity)}`, reject: 'true' };
}

/** The order of backends says nothing, so it is the canonical one. */
function vipsColumn(virtualPorts: readonly VirtualPort[]): Readonly<Record<string, string>> {
  return sortedRecord(
    Object.fromEntries(
      virtualPorts.map(({ vip, backends }) => [vip, sortedSet(backends.map(formatEndpoint)).join(',')]),
    ),
  );
}

/** OVN takes `2001:db8::a:8080` without brackets for an address without a port. */
function formatEndpoint({ address, port }: Endpoint): string {
  const text = formatIp(address);
  return address.family === 6 ? `[${text}]:${port}` : `${text}:${port}`;
}

/** None for a Port that has no address of the family: its pool is exhausted, and the diagnostic says so. */
function endpointOf(
  { target, port }: LoadBalancerBackend,
  vip: Ip,
  compilation: Compilation,
): readonly Endpoint[] {
  const { address, port: holder } = resolveTarget(target, vip.family, compilation);
  if (address === '') return [];
  return [{ address: ipOf(address), port, ...(holder === undefined ? {} : { holder }) }];
}

function virtualAddress({ vip, eip }: LoadBalancerSpec, compilation: Compilation): Ip {
  if (vip !== undefined) return ipOf(vip);
  invariant(eip !== undefined, 'a LoadBalancer has a vip or an eip');
  return eipAddress(eip, compilation);
}

function eipAddress(name: string, { topology }: Compilation): Ip {
  const eip = topology.set.get('Eip', name);
  invariant(eip !== undefined, `no Eip/${name}`);
  return ipOf(eip.spec.address);
}
