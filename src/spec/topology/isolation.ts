import type { NetworkPolicySpec } from '../../model/specs.ts';

/**
 * True when the policy isolates the ports that it selects in a direction. Without policyTypes it isolates ingress, and
 * egress when it has egress rules (Kubernetes API, NetworkPolicySpec.policyTypes).
 */
export function isolates(
  { policyTypes, egress }: NetworkPolicySpec,
  direction: 'ingress' | 'egress',
): boolean {
  const types = policyTypes ?? [];
  if (types.length > 0) return types.includes(direction === 'ingress' ? 'Ingress' : 'Egress');
  return direction === 'ingress' || (egress ?? []).length > 0;
}
