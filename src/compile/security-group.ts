import type { Interval } from '../lib/interval.ts';
import type { Family } from '../lib/ip.ts';
import { compareText } from '../lib/order.ts';
import type { Ref } from '../model/nb.ts';
import { rowKey } from '../model/nb.ts';
import { GROUPS_OF_VPC } from '../model/relations.ts';
import type { ResourceOf } from '../model/resource.ts';
import type { SecurityGroupRule } from '../model/specs.ts';
import { requirementsOf } from '../model/selector.ts';
import { GROUP_DEFAULT_DROP, groupRulePriority } from './acl-bands.ts';
import type { Acl, Direction } from './acl.ts';
import { addAcls, defaultDrop } from './acl.ts';
import type { Compilation } from './compilation.ts';
import { documentName } from './document-name.ts';
import type { Remote } from './match.ts';
import { allOf, memberTerm, portsTerm, remoteTerms } from './match.ts';
import { setName } from './names.ts';
import { cidrOf } from './text.ts';
import type { PortNode, VpcNode } from './topology.ts';
import { familiesOf } from './topology.ts';

type Group = ResourceOf<'SecurityGroup'>;

/**
 * A VPC's security groups: a port group of the members and an ACL per rule, family and direction. A direction that a
 * group states, even without rules, is closed but for what some group of the port allows.
 */
export function compileSecurityGroups(vpc: VpcNode, compilation: Compilation): void {
  for (const group of compilation.topology.set.related(GROUPS_OF_VPC, vpc.name)) {
    compileGroup(group, vpc, membersOf(group, vpc, compilation), compilation);
  }
}

function compileGroup(group: Group, vpc: VpcNode, members: readonly PortNode[], { rows }: Compilation): void {
  const name = groupSetName(vpc.name, group.name);
  const key = rowKey('Port_Group', 'SecurityGroup', vpc.name, group.name);
  const { unit } = vpc;
  rows.add({
    table: 'Port_Group',
    key,
    unit,
    columns: {
      name,
      ports: members.map((port): Ref => ({ ref: port.key })),
      external_ids: documentName(group.name),
    },
    from: group,
  });
  const acls = [
    ...directionAcls('ingress', group.spec.ingress, name, vpc),
    ...directionAcls('egress', group.spec.egress, name, vpc),
  ];
  addAcls({ path: ['SecurityGroup', vpc.name, group.name], parent: key, unit, from: group }, acls, rows);
}

function directionAcls(
  direction: Direction,
  rules: readonly SecurityGroupRule[] | undefined,
  portGroup: string,
  vpc: VpcNode,
): readonly Acl[] {
  if (rules === undefined) return [];
  return [
    defaultDrop(direction, portGroup, GROUP_DEFAULT_DROP),
    ...rules.flatMap((rule) => ruleAcls(direction, rule, portGroup, vpc)),
  ];
}

function ruleAcls(
  direction: Direction,
  rule: SecurityGroupRule,
  portGroup: string,
  vpc: VpcNode,
): readonly Acl[] {
  const { action = 'allow', priority = 100, log = false } = rule;
  const traffic = trafficTerm(rule);
  const remotes =
    (rule.remote ?? []).length === 0 ? [undefined] : remoteTerms(direction, remoteOf(rule, vpc));
  return remotes
    .filter((remote) => remote === undefined || isOfFamily(remote, rule.protocol))
    .map((remote) => ({
      direction,
      priority: groupRulePriority(priority, action),
      match: allOf(
        memberTerm(direction, portGroup),
        remote,
        remote === undefined ? (traffic ?? 'ip') : traffic,
      ),
      action: action === 'allow' ? 'allow-related' : 'drop',
      log,
    }));
}

function trafficTerm({ protocol = 'any', ports = [] }: SecurityGroupRule): string | undefined {
  switch (protocol) {
    case 'any':
      return undefined;
    case 'icmp':
      return 'icmp4';
    case 'icmp6':
      return 'icmp6';
    case 'tcp':
    case 'udp':
    case 'sctp':
      return portsTerm(protocol, ports.map(portInterval));
  }
}

function portInterval({ from, to = from }: { readonly from: number; readonly to?: number }): Interval {
  return { first: BigInt(from), last: BigInt(to) };
}

/** ICMP of one family can't come from an address of the other. */
function isOfFamily(remote: string, protocol: SecurityGroupRule['protocol']): boolean {
  const family: Family = remote.startsWith('ip4') ? 4 : 6;
  return !(protocol === 'icmp' && family === 6) && !(protocol === 'icmp6' && family === 4);
}

/** The addresses of a group's members are those sets that ovn-northd keeps for every port group (ovn-nb(5)). */
function remoteOf({ remote = [] }: SecurityGroupRule, vpc: VpcNode): Remote {
  const groups = remote.flatMap((each) => ('group' in each ? [groupSetName(vpc.name, each.group)] : []));
  const families = familiesOf(vpc.subnets);
  const sets = (family: Family): readonly string[] =>
    families.has(family) ? groups.map((name) => `${name}_ip${family}`) : [];
  return {
    cidrs: remote.flatMap((each) => ('cidr' in each ? [cidrOf(each.cidr)] : [])),
    sets: { 4: sets(4), 6: sets(6) },
  };
}

function groupSetName(vpc: string, group: string): string {
  return setName('sg', vpc, group);
}

function membersOf(
  { name, spec: { selector } }: Group,
  { subnets }: VpcNode,
  { topology, indexOf }: Compilation,
): readonly PortNode[] {
  const requirements = selector === undefined ? undefined : requirementsOf(selector);
  const selected =
    requirements === undefined ? [] : subnets.flatMap((subnet) => indexOf(subnet.name).select(requirements));
  const members = new Set([...topology.portsNaming(name), ...selected]);
  return [...members].toSorted((a, b) => compareText(a.key, b.key));
}
