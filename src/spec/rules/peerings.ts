import {
  cidrCovers,
  cidrsOverlap,
  formatCidr,
  parseCidr,
  parseInterface,
  type InterfaceAddress,
} from '../../lib/cidr.ts';
import { equalIp } from '../../lib/ip.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { pairKey, PEERINGS_OF_PAIR } from '../../model/relations.ts';
import { resourceId, type ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';
import { parsed, parsedList } from '../topology/parsed.ts';
import { topologyOf } from '../topology/topology.ts';
import type { Unread } from '../unread.ts';
import { addressProblem, hostHint } from './subnet-gateways.ts';
import type { Part } from '../parts.ts';

const SIDES = [0, 1] as const;

/**
 * A peering joins two different VPCs, once, over a link on which both ends have an address of the same network, for the
 * same families. Without a common network OVN drops the routes over the link without a word.
 */
export function* peerings(part: Part, set: ResourceSet, unread: Unread): Iterable<Diagnostic> {
  for (const peering of part.all('Peering')) {
    const vpcs = peering.spec.ends.map(({ vpc }) => vpc);
    if (vpcs[0] === vpcs[1]) {
      const message = `both ends are the VPC ${vpcs[0]}`;
      yield diagnose(peering, {
        code: 'PER601',
        field: 'spec.ends[1].vpc',
        message,
        hint: 'Name another VPC.',
      });
    }
    const [other] = set.related(PEERINGS_OF_PAIR, pairKey(peering.spec.ends));
    if (other !== undefined && other !== peering) {
      const message = `${resourceId(other)} joins ${vpcs.join(' and ')} already`;
      const related = [{ resource: other, field: 'spec.ends' }];
      yield diagnose(peering, {
        code: 'PER603',
        field: 'spec.ends',
        message,
        hint: 'Keep one of them.',
        related,
      });
    }
    yield* link(peering);
    for (const side of SIDES) yield* advertised(set, peering, side, unread);
  }
}

function* link(peering: ResourceOf<'Peering'>): Iterable<Diagnostic> {
  const report = (field: string, message: string, hint: string, related?: string): Diagnostic =>
    diagnose(peering, {
      code: 'PER602',
      field,
      message,
      hint,
      related:
        related === undefined
          ? []
          : [{ resource: peering, field: related, message: 'the other end is here' }],
    });
  for (const side of SIDES) {
    const other = addressesOf(peering, side === 0 ? 1 : 0);
    for (const { field, text, value } of addressesOf(peering, side)) {
      const host = addressProblem(value.network, value.ip);
      if (host !== undefined) yield report(field, `${text} ${host}`, hostHint(value.network));
      const partner = other.find((candidate) => candidate.value.family === value.family);
      if (partner === undefined) {
        const message = `${text} has no IPv${value.family} address to talk to at the other end`;
        yield report(field, message, 'Give both ends an address, or neither.');
      } else if (side === 1) {
        const problem = pairProblem(partner.value, value);
        if (problem !== undefined)
          yield report(
            field,
            `${text} ${problem}`,
            'Give both ends different addresses of one network.',
            partner.field,
          );
      }
    }
  }
}

function pairProblem(one: InterfaceAddress, two: InterfaceAddress): string | undefined {
  if (equalIp(one.ip, two.ip)) return 'is the address of the other end too';
  if (formatCidr(one.network) === formatCidr(two.network)) return undefined;
  return `is not on the other end's network ${formatCidr(one.network)}`;
}

function addressesOf(
  peering: ResourceOf<'Peering'>,
  side: 0 | 1,
): readonly { readonly field: string; readonly text: string; readonly value: InterfaceAddress }[] {
  return parsedList(peering.spec.ends[side].addresses, parseInterface).map(({ index, text, value }) => {
    return { field: `spec.ends[${side}].addresses[${index}]`, text, value };
  });
}

/** What an end advertises is its VPC's: a network, part of one, several of them, or where a static route leads. */
function* advertised(
  set: ResourceSet,
  peering: ResourceOf<'Peering'>,
  side: 0 | 1,
  unread: Unread,
): Iterable<Diagnostic> {
  const { vpc, advertise } = peering.spec.ends[side];
  const own = topologyOf(set)
    .ownNetworksOf(vpc)
    .map(({ cidr }) => cidr);
  const routed = (set.get('Vpc', vpc)?.spec.routes ?? []).flatMap(({ cidr }) => parsed(parseCidr(cidr)));
  const families = new Set(addressesOf(peering, side).map(({ value }) => value.family));
  for (const { index, value } of parsedList(advertise ?? [], parseCidr)) {
    const field = `spec.ends[${side}].advertise[${index}]`;
    if (!families.has(value.family)) {
      const message = `${formatCidr(value)} cannot be reached: the link has no IPv${value.family} address`;
      const hint = `Give both ends an IPv${value.family} address.`;
      yield diagnose(peering, { code: 'PER602', field, message, hint });
    } else if (
      !own.some((network) => cidrsOverlap(network, value)) &&
      !routed.some((network) => cidrCovers(network, value)) &&
      !unread.mentions(['Subnet'], vpc)
    ) {
      const message = `${formatCidr(value)} has nothing of the VPC ${vpc}`;
      yield diagnose(peering, {
        code: 'PER604',
        field,
        message,
        hint: 'Advertise networks that the VPC has or routes to.',
      });
    }
  }
}
