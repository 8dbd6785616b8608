import { complementCidrs } from '../lib/cidr.ts';
import type { Interval } from '../lib/interval.ts';
import type { ResourceOf } from '../model/resource.ts';
import type { NetworkPolicyPeer, NetworkPolicyPort, Protocol } from '../model/specs.ts';
import { requirementsOf } from '../model/selector.ts';
import { POLICY_ALLOW } from './acl-bands.ts';
import type { Acl, Direction } from './acl.ts';
import type { Remote } from './match.ts';
import { allOf, memberTerm, portsTerm, remoteTerms } from './match.ts';
import type { NamedPort } from './named-port.ts';
import { portsByNumber, protocolOf } from './named-port.ts';
import type { PeerSets, SetNames } from './peer-sets.ts';
import type { PeerSelection, PolicyScope } from './policy-scope.ts';
import { cidrOf } from './text.ts';
import type { PortNode } from './topology.ts';

/** A policy in one scope. */
export interface ScopedPolicy {
  readonly policy: ResourceOf<'NetworkPolicy'>;
  readonly namespace: string;
  readonly scope: PolicyScope;
  readonly members: readonly PortNode[];
  readonly portGroup: string;
  readonly peerSets: PeerSets;
}

/** One rule, `from` or `to` alike. Empty or absent lists mean anyone, and any traffic (Kubernetes NetworkPolicy). */
export interface PolicyRule {
  readonly direction: Direction;
  readonly peers: readonly NetworkPolicyPeer[];
  readonly ports: readonly NetworkPolicyPort[];
}

/** ACLs of some of the policy's ports: those on which a named port has one number. */
export interface NamedPortAcls extends NamedPort {
  readonly number: number;
  readonly members: readonly PortNode[];
  readonly portGroup: string;
  readonly acls: readonly Acl[];
}

/** The ACLs of a rule for all ports of the policy; ingress to named ports is in `namedPortAcls`. */
export function ruleAcls(scoped: ScopedPolicy, rule: PolicyRule): readonly Acl[] {
  const remotes = remotesOf(scoped, rule);
  const acls = trafficTerms(rule).flatMap((traffic) =>
    remotes.map((remote) => allow(rule.direction, scoped.portGroup, remote, traffic)),
  );
  return rule.direction === 'egress' ? [...acls, ...egressToNamedPorts(scoped, rule)] : acls;
}

/** Ingress to named ports: per number a port group of the members that have the port there, with ACLs of its own. */
export function namedPortAcls(scoped: ScopedPolicy, rule: PolicyRule): readonly NamedPortAcls[] {
  if (rule.direction === 'egress') return [];
  const { policy, namespace, scope, members } = scoped;
  const remotes = remotesOf(scoped, rule);
  return namedPorts(rule).flatMap((named) =>
    [...portsByNumber(members, named)].map(([number, holders]): NamedPortAcls => {
      const portGroup = scope.portGroupName(namespace, policy.name, named.protocol, named.port, `${number}`);
      const traffic = numberTerm(named, number);
      const acls = remotes.map((remote) => allow('ingress', portGroup, remote, traffic));
      return { ...named, number, members: holders, portGroup, acls };
    }),
  );
}

/** Named ports of destinations: only ports with labels have names, so networks among the peers do not take part. */
function egressToNamedPorts(scoped: ScopedPolicy, rule: PolicyRule): readonly Acl[] {
  const { scope, policy, peerSets, portGroup } = scoped;
  const everyone: PeerSelection = { namespaces: [], pods: [] };
  const selections = rule.peers.length === 0 ? [everyone] : selectionsOf(scoped, rule);
  return namedPorts(rule).flatMap((named) =>
    selections.flatMap((selection) =>
      [...peerSets.ofNamedPort(scope, selection, named, policy)].flatMap(([number, sets]) =>
        remoteTerms('egress', { cidrs: [], sets }).map((remote) =>
          allow('egress', portGroup, remote, numberTerm(named, number)),
        ),
      ),
    ),
  );
}

function allow(
  direction: Direction,
  portGroup: string,
  remote: string | undefined,
  traffic: string | undefined,
): Acl {
  const any = remote === undefined && traffic === undefined ? 'ip' : undefined;
  return {
    direction,
    priority: POLICY_ALLOW,
    match: allOf(memberTerm(direction, portGroup), remote, traffic, any),
    action: 'allow-related',
  };
}

/** A term per family that the peers have addresses in; `undefined` alone means anyone. */
function remotesOf(scoped: ScopedPolicy, rule: PolicyRule): readonly (string | undefined)[] {
  if (rule.peers.length === 0) return [undefined];
  const sets = selectionsOf(scoped, rule).map((selection) =>
    scoped.peerSets.ofSelection(scoped.scope, selection, scoped.policy),
  );
  return remoteTerms(rule.direction, { cidrs: blocksOf(rule), sets: joinSets(sets) });
}

function joinSets(sets: readonly SetNames[]): Remote['sets'] {
  return { 4: sets.flatMap((each) => each[4]), 6: sets.flatMap((each) => each[6]) };
}

function selectionsOf({ namespace }: ScopedPolicy, { peers }: PolicyRule): readonly PeerSelection[] {
  return peers.flatMap(({ namespaceSelector, podSelector }) => {
    if (namespaceSelector === undefined && podSelector === undefined) return [];
    const namespaces = namespaceSelector === undefined ? namespace : requirementsOf(namespaceSelector);
    return [{ namespaces, pods: requirementsOf(podSelector ?? {}) }];
  });
}

/** The networks of all blocks, each without its own exceptions: an exception takes nothing from another peer. */
function blocksOf({ peers }: PolicyRule): Remote['cidrs'] {
  return peers.flatMap(({ ipBlock }) =>
    ipBlock === undefined ? [] : complementCidrs(cidrOf(ipBlock.cidr), (ipBlock.except ?? []).map(cidrOf)),
  );
}

/** One term per protocol with its numbers; `undefined` alone means any traffic. Named ports are not among them. */
function trafficTerms({ ports }: PolicyRule): readonly (string | undefined)[] {
  if (ports.length === 0) return [undefined];
  return (['sctp', 'tcp', 'udp'] as const).flatMap((protocol) => {
    const ofProtocol = ports.filter((port) => protocolOf(port) === protocol && typeof port.port !== 'string');
    if (ofProtocol.length === 0) return [];
    const isUnrestricted = ofProtocol.some(({ port }) => port === undefined);
    return [portsTerm(protocol, isUnrestricted ? [] : ofProtocol.flatMap(numberInterval))];
  });
}

function numberInterval({ port, endPort }: NetworkPolicyPort): readonly Interval[] {
  return typeof port === 'number' ? [{ first: BigInt(port), last: BigInt(endPort ?? port) }] : [];
}

function namedPorts({ ports }: PolicyRule): readonly NamedPort[] {
  const named = ports.flatMap((each): NamedPort[] =>
    typeof each.port === 'string' ? [{ protocol: protocolOf(each), port: each.port }] : [],
  );
  return [...new Map(named.map((each) => [`${each.protocol}/${each.port}`, each])).values()];
}

function numberTerm({ protocol }: { readonly protocol: Protocol }, number: number): string {
  return portsTerm(protocol, [{ first: BigInt(number), last: BigInt(number) }]);
}
