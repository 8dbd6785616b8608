import { cidrCovers, formatCidr, parseCidr, rangeOf, type Cidr } from '../../lib/cidr.ts';
import { mergeIntervals, subtractIntervals, type Interval } from '../../lib/interval.ts';
import { ADDRESS_BITS, parseIp, type Family } from '../../lib/ip.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { PORTS_OF_SUBNET } from '../../model/relations.ts';
import { scopedName, type ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { routerPortName } from '../../model/router-port-name.ts';
import { diagnose } from '../diagnose.ts';
import { parseMatch } from '../match/parse-match.ts';
import { covers, waysToMatch, type Demands, type Values, type WaysToMatch } from '../match/ways-to-match.ts';
import { parsed, parsedList } from '../topology/parsed.ts';
import type { SubnetNetwork } from '../topology/subnet-networks.ts';
import { connectionTo, topologyOf, type Topology } from '../topology/topology.ts';
import type { Unread } from '../unread.ts';
import { NO_NAMES } from './policy-matches.ts';
import type { Part } from '../parts.ts';

/** Addresses that have no meaning outside: RFC 1918, RFC 6598, RFC 4193. */
const PRIVATE: readonly Cidr[] = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  'fc00::/7',
].flatMap((text) => parsed(parseCidr(text)));
/** So many subnets are named. */
const SHOWN = 5;

/**
 * Private addresses that can reach an external subnet are translated: nobody out there has a way back to them. Fine
 * without are private subnets, and those whose traffic a policy route drops or sends elsewhere.
 */
export function* untranslatedSubnets(part: Part, set: ResourceSet, unread: Unread): Iterable<Diagnostic> {
  const topology = topologyOf(set);
  const translations = new Translations(part, set);
  for (const vpc of part.all('Vpc')) {
    if (vpc.spec.external === undefined || unread.mentions(['Nat'], vpc.name)) continue;
    const diverted = diversions(vpc);
    const networks = topology.ownNetworksOf(vpc.name).filter((network) => {
      if (!PRIVATE.some((range) => cidrCovers(range, network.cidr))) return false;
      if (network.subnet.spec.isolation?.mode === 'private' || !leaves(topology, vpc, network.family))
        return false;
      return (
        !translations.cover(network) &&
        !diverted.some((ways) => covers(ways, outgoingTraffic(vpc.name, network)))
      );
    });
    if (networks.length > 0) yield untranslated(vpc, networks);
  }
}

function untranslated(vpc: ResourceOf<'Vpc'>, networks: readonly SubnetNetwork[]): Diagnostic {
  const shown = networks.slice(0, SHOWN);
  const names = shown.map(({ subnet, cidr }) => `${subnet.name} (${formatCidr(cidr)})`).join(', ');
  const more = networks.length > SHOWN ? ` and ${networks.length - SHOWN} more` : '';
  return diagnose(vpc, {
    code: 'NAT707',
    severity: 'warning',
    field: 'spec.external',
    message: `no snat translates ${names}${more}: what goes out leaves with private source addresses, and no answer comes back`,
    hint: 'Add a Nat of type snat, write defaultRoute: false, or drop the traffic with a policy route.',
    related: shown.map(({ subnet, field }) => ({ resource: subnet, field })),
  });
}

/** True when traffic without another route leaves over an external connection. */
function leaves(topology: Topology, vpc: ResourceOf<'Vpc'>, family: Family): boolean {
  const hops = (vpc.spec.routes ?? [])
    .filter(({ match, cidr }) => {
      const network = parseCidr(cidr);
      return (
        match !== 'source' && network.ok && network.value.prefix === 0 && network.value.family === family
      );
    })
    .flatMap(({ via }) => parsed(parseIp(via)));
  if (hops.length > 0) {
    const connections = topology.connectionsOf(vpc.name);
    return hops.some((hop) => connectionTo(hop, connections)?.kind === 'external');
  }
  return (vpc.spec.external ?? []).some(
    ({ addresses, defaultRoute }) =>
      defaultRoute !== false && parsedList(addresses, parseIp).some(({ value }) => value.family === family),
  );
}

/** What the policy routes match that do not let traffic go its usual way. */
function diversions({ spec }: ResourceOf<'Vpc'>): readonly WaysToMatch[] {
  return (spec.policyRoutes ?? [])
    .filter(({ action }) => action !== 'allow')
    .flatMap(({ match }) => {
      const expression = parseMatch(match, NO_NAMES);
      return expression.ok ? [waysToMatch(expression.value)] : [];
    });
}

/** The packets from a network to public addresses. */
function outgoingTraffic(vpc: string, { subnet, cidr, family }: SubnetNetwork): Demands {
  const everywhere = { first: 0n, last: (1n << BigInt(ADDRESS_BITS[family])) - 1n };
  const inside = PRIVATE.filter((range) => range.family === family).map(rangeOf);
  const etherType = family === 4 ? 0x800n : 0x86ddn;
  return new Map<string, Values>([
    ['eth.type', [{ first: etherType, last: etherType }]],
    [`ip${family}.src`, [rangeOf(cidr)]],
    [`ip${family}.dst`, subtractIntervals([everywhere], mergeIntervals(inside))],
    ['inport', new Set([JSON.stringify(routerPortName(vpc, subnet.name))])],
  ]);
}

/** What the NAT rules of a VPC translate. */
class Translations {
  readonly #nats: readonly ResourceOf<'Nat'>[];
  readonly #set: ResourceSet;

  constructor(part: Part, set: ResourceSet) {
    this.#nats = part.all('Nat').filter(({ spec }) => spec.type !== 'port_forward');
    this.#set = set;
  }

  /** True when all addresses of the network are translated, or all its Ports float. */
  cover({ subnet, cidr }: SubnetNetwork): boolean {
    const ranges = this.#nats.flatMap(({ spec }) => rangesOf(spec.internal, cidr.family));
    if (subtractIntervals([rangeOf(cidr)], mergeIntervals(ranges)).length === 0) return true;
    const floating = new Set(
      this.#nats.filter(({ spec }) => spec.type === 'dnat_and_snat').map(({ spec }) => spec.internal),
    );
    if (floating.size === 0) return false;
    const ports = this.#set.related(PORTS_OF_SUBNET, subnet.name);
    return ports.length > 0 && ports.every((port) => floating.has(scopedName(port)));
  }
}

function rangesOf(internal: string, family: Family): readonly Interval[] {
  const networks = parsed(parseCidr(internal)).map(rangeOf);
  const addresses = parsed(parseIp(internal)).map(({ value, ...ip }) => ({
    ...ip,
    first: value,
    last: value,
  }));
  return [...networks, ...addresses].filter((range) => range.family === family);
}
