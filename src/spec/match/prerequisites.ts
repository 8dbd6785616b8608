import type { IntervalSet } from '../../lib/interval.ts';

type Demand = readonly [field: string, values: IntervalSet];

const [IP4, IP6] = [0x800n, 0x86ddn];

/** What a packet has that has the fields of a protocol (ovn-sb(5), "Prerequisites"). */
const OF_PROTOCOL: Readonly<Record<string, readonly Demand[]>> = {
  arp: [is('eth.type', 0x806n)],
  rarp: [is('eth.type', 0x8035n)],
  ip: [is('eth.type', IP4, IP6)],
  ip4: [is('eth.type', IP4)],
  ip6: [is('eth.type', IP6)],
  tcp: [is('eth.type', IP4, IP6), is('ip.proto', 6n)],
  udp: [is('eth.type', IP4, IP6), is('ip.proto', 17n)],
  sctp: [is('eth.type', IP4, IP6), is('ip.proto', 132n)],
  igmp: [is('eth.type', IP4), is('ip.proto', 2n)],
  icmp: [is('eth.type', IP4, IP6), is('ip.proto', 1n, 58n)],
  icmp4: [is('eth.type', IP4), is('ip.proto', 1n)],
  icmp6: [is('eth.type', IP6), is('ip.proto', 58n)],
  mldv1: [is('eth.type', IP6), is('ip.proto', 58n)],
  mldv2: [is('eth.type', IP6), is('ip.proto', 58n)],
  nd: [is('eth.type', IP6), is('ip.proto', 58n)],
};

/** What a comparison of a field, or the predicate of that name, demands of other fields. */
export function prerequisitesOf(field: string): readonly Demand[] {
  const protocol = /^[a-z0-9]+/.exec(field)?.[0] ?? '';
  return OF_PROTOCOL[protocol] ?? [];
}

/** Values in ascending order. */
function is(field: string, ...values: readonly bigint[]): Demand {
  return [field, values.map((value) => ({ first: value, last: value }))];
}
