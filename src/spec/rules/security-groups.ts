import { formatCidr, parseCidr } from '../../lib/cidr.ts';
import { sortedSet } from '../../lib/order.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { resourceId, type ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import type { SecurityGroupRule } from '../../model/specs.ts';
import { diagnose } from '../diagnose.ts';
import type { Part } from '../parts.ts';

type SecurityGroupPeer = NonNullable<SecurityGroupRule['remote']>[number];

const DIRECTIONS = ['ingress', 'egress'] as const;

/** Rules that can match something, once each; groups and their members are of one VPC. */
export function* securityGroups(part: Part, set: ResourceSet): Iterable<Diagnostic> {
  for (const group of part.all('SecurityGroup')) {
    for (const direction of DIRECTIONS) {
      const seen = new Map<string, string>();
      for (const [index, rule] of (group.spec[direction] ?? []).entries()) {
        const field = `spec.${direction}[${index}]`;
        yield* ports(group, rule, field);
        yield* remotes(set, group, rule, field);
        const key = canonical(rule);
        const first = seen.get(key);
        seen.set(key, first ?? field);
        if (first === undefined) continue;
        const related = [{ resource: group, field: first, message: 'the first one is here' }];
        const message = 'the same rule is there already';
        yield diagnose(group, {
          code: 'SEC803',
          severity: 'warning',
          field,
          message,
          hint: 'Remove one of them.',
          related,
        });
      }
    }
  }
  yield* memberships(part, set);
}

function* ports(
  group: ResourceOf<'SecurityGroup'>,
  rule: SecurityGroupRule,
  field: string,
): Iterable<Diagnostic> {
  const { protocol = 'any', ports: ranges = [] } = rule;
  if (ranges.length > 0 && protocol !== 'tcp' && protocol !== 'udp' && protocol !== 'sctp') {
    const message = `ports have no meaning with the protocol ${protocol}`;
    yield diagnose(group, {
      code: 'SEC801',
      field: `${field}.ports`,
      message,
      hint: 'Write protocol: tcp, udp or sctp.',
    });
  }
  for (const [index, { from, to }] of ranges.entries()) {
    if (to === undefined || from <= to) continue;
    const message = `the port range ${from} to ${to} ends before it starts`;
    yield diagnose(group, {
      code: 'SEC802',
      field: `${field}.ports[${index}]`,
      message,
      hint: 'Exchange from and to.',
    });
  }
}

function* remotes(
  set: ResourceSet,
  group: ResourceOf<'SecurityGroup'>,
  { protocol, remote = [] }: SecurityGroupRule,
  field: string,
): Iterable<Diagnostic> {
  for (const [index, peer] of remote.entries()) {
    const at = `${field}.remote[${index}]`;
    if ('cidr' in peer) {
      if (!remote.every((other) => isOfOtherFamily(protocol, other))) continue;
      const message = `${protocol} and ${peer.cidr} never meet, so the rule matches nothing`;
      yield diagnose(group, {
        code: 'SEC805',
        field: `${at}.cidr`,
        message,
        hint: 'Use icmp with IPv4 and icmp6 with IPv6.',
      });
      continue;
    }
    const other = set.get('SecurityGroup', peer.group);
    if (other === undefined || other.spec.vpc === group.spec.vpc) continue;
    const message = `${resourceId(other)} is of the VPC ${other.spec.vpc}, not ${group.spec.vpc}`;
    const related = [{ resource: other, field: 'spec.vpc' }];
    yield diagnose(group, {
      code: 'REF303',
      field: `${at}.group`,
      message,
      hint: 'Name a group of the same VPC, or a cidr.',
      related,
    });
  }
}

function* memberships(part: Part, set: ResourceSet): Iterable<Diagnostic> {
  for (const port of part.all('Port')) {
    const vpc = set.get('Subnet', port.spec.subnet)?.spec.vpc;
    for (const [index, name] of (port.spec.securityGroups ?? []).entries()) {
      const group = set.get('SecurityGroup', name);
      if (group === undefined || group.spec.vpc === vpc || set.get('Subnet', port.spec.subnet) === undefined)
        continue;
      const message = `${resourceId(group)} is of the VPC ${group.spec.vpc}, and the port is ${vpc === undefined ? 'in none' : `in ${vpc}`}`;
      const related = [{ resource: group, field: 'spec.vpc' }];
      const field = `spec.securityGroups[${index}]`;
      yield diagnose(port, {
        code: 'REF303',
        field,
        message,
        hint: "Name a group of the port's own VPC.",
        related,
      });
    }
  }
}

/** OVN's icmp4 and icmp6 carry the family in their name. */
function isOfOtherFamily(protocol: SecurityGroupRule['protocol'], peer: SecurityGroupPeer): boolean {
  const cidr = 'cidr' in peer ? parseCidr(peer.cidr) : undefined;
  return cidr?.ok === true && protocol === (cidr.value.family === 4 ? 'icmp6' : 'icmp');
}

/** Equal for rules that mean the same. */
function canonical({
  action = 'allow',
  priority = 100,
  protocol = 'any',
  ports: ranges = [],
  remote = [],
  log = false,
}: SecurityGroupRule): string {
  const portTexts = sortedSet(ranges.map(({ from, to }) => `${from}-${to ?? from}`));
  const remoteTexts = sortedSet(
    remote.map((peer) => {
      if ('group' in peer) return peer.group;
      const cidr = parseCidr(peer.cidr);
      return cidr.ok ? formatCidr(cidr.value) : peer.cidr;
    }),
  );
  return JSON.stringify([action, priority, protocol, portTexts, remoteTexts, log]);
}
