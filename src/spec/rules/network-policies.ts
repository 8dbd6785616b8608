import { cidrCovers, parseCidr } from '../../lib/cidr.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { isolatedDirections } from '../../model/policy-isolation.ts';
import { PORTS_OF_SERVICE } from '../../model/relations.ts';
import type { ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import type { NetworkPolicyPeer, NetworkPolicyPort } from '../../model/specs.ts';
import { diagnose } from '../diagnose.ts';
import { parsed, parsedList } from '../topology/parsed.ts';
import type { Unread } from '../unread.ts';
import type { Part } from '../parts.ts';

/** What the Kubernetes API refuses about peers and ports, and what it lets pass although it has no effect. */
export function* networkPolicies(part: Part, set: ResourceSet, unread: Unread): Iterable<Diagnostic> {
  const isNamed = (protocol: string, name: string): boolean =>
    set.isRelated(PORTS_OF_SERVICE, `${protocol} ${name}`) || unread.mentions(['Port'], name);
  for (const policy of part.all('NetworkPolicy')) {
    for (const direction of ['ingress', 'egress'] as const) {
      const rules = policy.spec[direction] ?? [];
      if (rules.length > 0 && !isolatedDirections(policy.spec).includes(direction)) {
        const type = direction === 'ingress' ? 'Ingress' : 'Egress';
        const message = `the ${direction} rules have no effect: policyTypes does not name ${type}`;
        const hint = `Add ${type} to policyTypes, or remove the rules.`;
        yield diagnose(policy, {
          code: 'POL855',
          severity: 'warning',
          field: `spec.${direction}`,
          message,
          hint,
        });
      }
    }
    for (const [index, { from, ports }] of (policy.spec.ingress ?? []).entries()) {
      yield* checkPeers(policy, `spec.ingress[${index}].from`, from ?? []);
      yield* checkPorts(policy, `spec.ingress[${index}].ports`, ports ?? [], isNamed);
    }
    for (const [index, { to, ports }] of (policy.spec.egress ?? []).entries()) {
      yield* checkPeers(policy, `spec.egress[${index}].to`, to ?? []);
      yield* checkPorts(policy, `spec.egress[${index}].ports`, ports ?? [], isNamed);
    }
  }
}

function* checkPeers(
  policy: ResourceOf<'NetworkPolicy'>,
  field: string,
  peers: readonly NetworkPolicyPeer[],
): Iterable<Diagnostic> {
  for (const [index, { podSelector, namespaceSelector, ipBlock }] of peers.entries()) {
    const at = `${field}[${index}]`;
    const selects = podSelector !== undefined || namespaceSelector !== undefined;
    if (!selects && ipBlock === undefined) {
      const message = 'the peer selects nothing';
      const hint =
        'Write podSelector, namespaceSelector or ipBlock; {} as a rule without peers means anywhere.';
      yield diagnose(policy, { code: 'POL851', field: at, message, hint });
    }
    if (ipBlock === undefined) continue;
    if (selects) {
      const message = 'the peer has both an ipBlock and a selector';
      yield diagnose(policy, { code: 'POL851', field: `${at}.ipBlock`, message, hint: 'Write two peers.' });
    }
    for (const block of parsed(parseCidr(ipBlock.cidr))) {
      for (const { index: part, text, value } of parsedList(ipBlock.except ?? [], parseCidr)) {
        if (cidrCovers(block, value) && block.prefix < value.prefix) continue;
        const message = `${text} is not a part of ${ipBlock.cidr}`;
        yield diagnose(policy, {
          code: 'POL852',
          field: `${at}.ipBlock.except[${part}]`,
          message,
          hint: 'Name a smaller network inside the block.',
        });
      }
    }
  }
}

function* checkPorts(
  policy: ResourceOf<'NetworkPolicy'>,
  field: string,
  ports: readonly NetworkPolicyPort[],
  isNamed: (protocol: string, name: string) => boolean,
): Iterable<Diagnostic> {
  for (const [index, { protocol = 'TCP', port, endPort }] of ports.entries()) {
    const range = endPort === undefined ? undefined : rangeProblem(port, endPort);
    if (range !== undefined) {
      const hint = 'Write a number in port and the same or a larger one in endPort.';
      yield diagnose(policy, { code: 'POL853', field: `${field}[${index}].endPort`, message: range, hint });
    }
    if (typeof port !== 'string' || isNamed(protocol.toLowerCase(), port)) continue;
    const message = `no Port names a ${protocol} port "${port}", so this entry matches nothing`;
    const hint = 'Add it to ports of the Ports that are meant, or write the number.';
    yield diagnose(policy, {
      code: 'POL854',
      severity: 'warning',
      field: `${field}[${index}].port`,
      message,
      hint,
    });
  }
}

function rangeProblem(port: number | string | undefined, endPort: number): string | undefined {
  if (port === undefined) return 'endPort needs a port to start at';
  if (typeof port === 'string') return `endPort needs a number in port, not the name "${port}"`;
  return endPort < port ? `the port range ${port} to ${endPort} ends before it starts` : undefined;
}
