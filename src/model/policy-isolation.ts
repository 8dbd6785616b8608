import type { NetworkPolicySpec } from './specs.ts';

/**
 * The directions in which a policy isolates the ports that it selects. Without policyTypes it isolates ingress, and
 * egress when it has egress rules (Kubernetes API, NetworkPolicySpec.policyTypes).
 */
export function isolatedDirections({
  policyTypes,
  egress,
}: NetworkPolicySpec): readonly ('ingress' | 'egress')[] {
  const types = policyTypes ?? [];
  if (types.length === 0) return (egress ?? []).length === 0 ? ['ingress'] : ['ingress', 'egress'];
  return (['ingress', 'egress'] as const).filter((direction) =>
    types.includes(direction === 'ingress' ? 'Ingress' : 'Egress'),
  );
}
