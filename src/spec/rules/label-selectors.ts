import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Resource } from '../../model/resource.ts';
import type { LabelSelector, NetworkPolicyPeer } from '../../model/specs.ts';
import { diagnose } from '../diagnose.ts';
import type { Part } from '../parts.ts';

/** In and NotIn name values to compare with, Exists and DoesNotExist name none (Kubernetes API). */
export function* labelSelectors({ every }: Part): Iterable<Diagnostic> {
  for (const resource of every) {
    for (const [field, selector] of selectorsOf(resource)) {
      for (const [index, { operator, values = [] }] of (selector.matchExpressions ?? []).entries()) {
        const compares = operator === 'In' || operator === 'NotIn';
        if (compares === values.length > 0) continue;
        const message = compares ? `${operator} needs values` : `${operator} takes no values`;
        const hint = compares ? 'Name at least one value.' : 'Remove values.';
        yield diagnose(resource, {
          code: 'POL856',
          field: `${field}.matchExpressions[${index}]`,
          message,
          hint,
        });
      }
    }
  }
}

type Selector = readonly [field: string, selector: LabelSelector];

function* selectorsOf(resource: Resource): Iterable<Selector> {
  if (resource.kind === 'SecurityGroup' && resource.spec.selector !== undefined) {
    yield ['spec.selector', resource.spec.selector];
  }
  if (resource.kind !== 'NetworkPolicy') return;
  const { podSelector, ingress, egress } = resource.spec;
  yield ['spec.podSelector', podSelector];
  for (const [index, { from }] of (ingress ?? []).entries())
    yield* peerSelectors(`spec.ingress[${index}].from`, from ?? []);
  for (const [index, { to }] of (egress ?? []).entries())
    yield* peerSelectors(`spec.egress[${index}].to`, to ?? []);
}

function* peerSelectors(field: string, peers: readonly NetworkPolicyPeer[]): Iterable<Selector> {
  for (const [index, { podSelector, namespaceSelector }] of peers.entries()) {
    if (podSelector !== undefined) yield [`${field}[${index}].podSelector`, podSelector];
    if (namespaceSelector !== undefined) yield [`${field}[${index}].namespaceSelector`, namespaceSelector];
  }
}
