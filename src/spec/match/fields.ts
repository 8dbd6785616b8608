/**
 * What can be compared, by how it may be compared (ovn-sb(5), "Level of Measurement"): ordinal fields in every way,
 * Boolean ones with == and !=, nominal ones and strings for equality only.
 */
export interface MatchField {
  readonly name: string;
  readonly level: 'ordinal' | 'boolean' | 'nominal' | 'string';
  /** Bits; 0 for a string. */
  readonly width: number;
  /** A name for a whole expression, such as `ip4`: it stands alone, and has no bits to pick. */
  readonly predicate: boolean;
}

const ORDINAL: Readonly<Record<string, number>> = {
  'arp.sha': 48,
  'arp.spa': 32,
  'arp.tha': 48,
  'arp.tpa': 32,
  'ct.dnat': 1,
  'ct.est': 1,
  'ct.inv': 1,
  'ct.new': 1,
  'ct.rel': 1,
  'ct.rpl': 1,
  'ct.snat': 1,
  'ct.trk': 1,
  'eth.dst': 48,
  'eth.mcast': 1,
  'eth.src': 48,
  'ip.frag': 2,
  'ip4.dst': 32,
  'ip4.src': 32,
  'ip6.dst': 128,
  'ip6.label': 20,
  'ip6.src': 128,
  'nd.sll': 48,
  'nd.target': 128,
  'nd.tll': 48,
  'pkt.mark': 32,
  'rarp.sha': 48,
  'rarp.spa': 32,
  'rarp.tha': 48,
  'rarp.tpa': 32,
  'sctp.dst': 16,
  'sctp.src': 16,
  'tcp.dst': 16,
  'tcp.flags': 12,
  'tcp.src': 16,
  'udp.dst': 16,
  'udp.src': 16,
  'vlan.pcp': 3,
  'vlan.tci': 16,
  'vlan.vid': 12,
};

const NOMINAL: Readonly<Record<string, number>> = {
  'arp.op': 16,
  'eth.type': 16,
  'icmp4.code': 8,
  'icmp4.type': 8,
  'icmp6.code': 8,
  'icmp6.type': 8,
  'ip.dscp': 6,
  'ip.ecn': 2,
  'ip.proto': 8,
  'ip.ttl': 8,
  'rarp.op': 16,
};

const BOOLEAN_PREDICATES =
  'eth.bcast eth.mcastv6 ip.first_frag ip.is_frag ip.later_frag ip4.mcast ip4.src_mcast ip6.mcast vlan.present';
const NOMINAL_PREDICATES =
  'arp icmp icmp4 icmp6 igmp ip ip4 ip6 mldv1 mldv2 nd nd_na nd_ns nd_ra nd_rs rarp sctp tcp udp';

const FIELDS: ReadonlyMap<string, MatchField> = new Map(
  [
    ...fieldsOf(ORDINAL, 'ordinal'),
    ...fieldsOf(NOMINAL, 'nominal'),
    ...BOOLEAN_PREDICATES.split(' ').map(
      (name) => ({ name, level: 'boolean', width: 1, predicate: true }) as const,
    ),
    ...NOMINAL_PREDICATES.split(' ').map(
      (name) => ({ name, level: 'nominal', width: 1, predicate: true }) as const,
    ),
    ...['inport', 'outport'].map((name) => ({ name, level: 'string', width: 0, predicate: false }) as const),
  ].map((field) => [field.name, field]),
);

/** The field of that name; names are written in lower case. */
export function matchField(name: string): MatchField | undefined {
  return FIELDS.get(name);
}

/** All names, for suggestions. */
export function matchFieldNames(): Iterable<string> {
  return FIELDS.keys();
}

/** Registers and other fields that OVN uses between its own stages, differently in every version. */
export function isInternalField(name: string): boolean {
  return /^(?:x{0,2}reg[0-9]+|flags|ct_state|ct_mark|ct_label)(?:$|\.)/.test(name);
}

function fieldsOf(
  widths: Readonly<Record<string, number>>,
  level: 'ordinal' | 'nominal',
): readonly MatchField[] {
  return Object.entries(widths).map(([name, width]) => ({ name, level, width, predicate: false }));
}
