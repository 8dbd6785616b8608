import { formatCidr, hostRangeOf } from '../../lib/cidr.ts';
import {
  intersectIntervals,
  mergeIntervals,
  subtractIntervals,
  type IntervalSet,
} from '../../lib/interval.ts';
import { formatIp, type Family } from '../../lib/ip.ts';
import { parseIpRange } from '../../lib/ip-range.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { resourceId, type ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';
import { segmentOf } from '../topology/segments.ts';
import { parsedList } from '../topology/parsed.ts';
import { topologyOf, type Topology } from '../topology/topology.ts';
import type { Part } from '../parts.ts';

/**
 * A subnet's VLAN is one that its provider network allows. Subnets may share a VLAN only while nothing of them can
 * collide there: no gateway is ours, and no address can be given out by both.
 */
export function* providerVlans(part: Part, set: ResourceSet): Iterable<Diagnostic> {
  for (const network of part.all('ProviderNetwork')) {
    for (const [index, { from, to }] of (network.spec.vlans ?? []).entries()) {
      if (from <= to) continue;
      const message = `the VLAN range ${from} to ${to} ends before it starts`;
      yield diagnose(network, {
        code: 'EXT654',
        field: `spec.vlans[${index}]`,
        message,
        hint: 'Exchange from and to.',
      });
    }
  }
  for (const subnet of part.all('Subnet')) {
    const { provider } = subnet.spec;
    const network = provider === undefined ? undefined : set.get('ProviderNetwork', provider.network);
    if (provider === undefined || network === undefined) continue;
    yield* allowedVlan(subnet, network, provider.vlan);
    const segment = segmentOf(set, subnet);
    const earlier = segment.slice(0, segment.indexOf(subnet));
    for (const other of earlier) yield* sharedVlan(topologyOf(set), subnet, other);
  }
}

function* allowedVlan(
  subnet: ResourceOf<'Subnet'>,
  network: ResourceOf<'ProviderNetwork'>,
  vlan: number | undefined,
): Iterable<Diagnostic> {
  const { vlans } = network.spec;
  if (vlans === undefined || vlans.some(({ from, to }) => from <= (vlan ?? 0) && (vlan ?? 0) <= to)) return;
  const what = vlan === undefined || vlan === 0 ? 'an untagged subnet' : `the VLAN ${vlan}`;
  const allowed = vlans.map(({ from, to }) => `${from}..${to}`).join(', ');
  yield diagnose(subnet, {
    code: 'EXT654',
    field: vlan === undefined ? 'spec.provider' : 'spec.provider.vlan',
    message: `${what} is not allowed on the provider network ${network.name}`,
    hint: `Write a vlan of ${allowed === '' ? 'the list, once it has one' : allowed} (0 is untagged), or extend the list.`,
    related: [{ resource: network, field: 'spec.vlans', message: 'the allowed VLANs are here' }],
  });
}

function* sharedVlan(
  topology: Topology,
  subnet: ResourceOf<'Subnet'>,
  other: ResourceOf<'Subnet'>,
): Iterable<Diagnostic> {
  const report = (field: string, message: string, hint: string): Diagnostic =>
    diagnose(subnet, {
      code: 'EXT655',
      field,
      message,
      hint,
      related: [{ resource: other, field: 'spec.provider' }],
    });
  const shares = `shares its VLAN with ${resourceId(other)}`;
  const routed = [subnet, other].find(({ spec }) => spec.vpc !== undefined);
  if (routed !== undefined) {
    const message = `${resourceId(subnet)} ${shares}, and ${resourceId(routed)} has a gateway of ours`;
    yield report(
      'spec.provider',
      message,
      'Use another VLAN, or remove vpc so that the physical network routes.',
    );
    return;
  }
  for (const { family, cidr, field } of topology.networksOf(subnet.name)) {
    const [common] = intersectIntervals(pool(topology, subnet, family), pool(topology, other, family));
    if (common === undefined) continue;
    const text = `${formatIp({ family, value: common.first })}..${formatIp({ family, value: common.last })}`;
    const message = `${resourceId(subnet)} ${shares}, and both may give out ${text} of ${formatCidr(cidr)}`;
    yield report(field, message, 'Exclude the range in one of them.');
  }
}

/** What a subnet may give out by itself. */
function pool(topology: Topology, subnet: ResourceOf<'Subnet'>, family: Family): IntervalSet {
  const network = topology.networkOf(subnet.name, family);
  if (network === undefined) return [];
  const excluded = parsedList(subnet.spec.exclude ?? [], parseIpRange).map(({ value }) => value);
  const gateway = { first: network.gateway.value, last: network.gateway.value };
  const taken = mergeIntervals([...excluded.filter((range) => range.family === family), gateway]);
  return subtractIntervals([hostRangeOf(network.cidr)], taken);
}
