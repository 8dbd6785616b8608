import type { NetworkPolicyPort, Protocol } from '../model/specs.ts';
import type { PortNode } from './topology.ts';
import { append } from './topology.ts';

/** A port that a policy means by name: its number is the destination's business. */
export interface NamedPort {
  readonly protocol: Protocol;
  readonly port: string;
}

/** Those ports that have the named port, by the number that it has there. */
export function portsByNumber(
  ports: readonly PortNode[],
  { protocol, port }: NamedPort,
): ReadonlyMap<number, readonly PortNode[]> {
  const byNumber = new Map<number, PortNode[]>();
  for (const node of ports) {
    for (const each of node.resource.spec.ports ?? []) {
      if (each.name === port && (each.protocol ?? 'tcp') === protocol) append(byNumber, each.port, node);
    }
  }
  return byNumber;
}

/** The protocol of a policy's port as OVN writes it; Kubernetes means TCP when nothing is said. */
export function protocolOf({ protocol = 'TCP' }: NetworkPolicyPort): Protocol {
  return protocol === 'TCP' ? 'tcp' : protocol === 'UDP' ? 'udp' : 'sctp';
}
