import type { Diagnostic } from '../../model/diagnostic.ts';
import { PORTS_OF_NAMESPACE, type Relation } from '../../model/relations.ts';
import type { ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import type { LabelSelector } from '../../model/specs.ts';
import { diagnose } from '../diagnose.ts';
import { nearest } from '../nearest.ts';
import type { Unread } from '../unread.ts';
import type { Part } from '../parts.ts';

/** The one label that every namespace has (Kubernetes sets it to the name). */
const NAME_LABEL = 'kubernetes.io/metadata.name';

/** Policies that look at labels of namespaces, under the empty name. */
const LABEL_READERS: Relation<'NetworkPolicy'> = {
  kind: 'NetworkPolicy',
  keysOf: (policy) => (readsLabels(policy) ? [''] : []),
};

/**
 * A policy is in a namespace that something else knows of. Once a policy looks at labels of namespaces, every namespace
 * with Ports must be declared: without its labels nobody could say whether it is selected.
 */
export function* namespaces(part: Part, set: ResourceSet, unread: Unread): Iterable<Diagnostic> {
  for (const policy of part.all('NetworkPolicy')) yield* isKnown(set, policy, unread);
  if (!set.isRelated(LABEL_READERS, '')) return;
  for (const name of new Set(part.all('Port').map(({ namespace }) => namespace))) {
    if (name === undefined || set.get('Namespace', name) !== undefined) continue;
    if (unread.declares('Namespace', name)) continue;
    // Said once for a namespace, at the first of its Ports.
    const [port] = set.related(PORTS_OF_NAMESPACE, name);
    const [reader] = set.related(LABEL_READERS, '');
    if (port === undefined || reader === undefined || !part.every.includes(port)) continue;
    const message = `the labels of the namespace "${name}" are unknown, and a policy selects by them`;
    const related = [{ resource: reader, field: 'spec' }];
    const hint = 'Declare the Namespace with its labels.';
    yield diagnose(port, { code: 'REF302', field: 'metadata.namespace', message, hint, related });
  }
}

function* isKnown(
  set: ResourceSet,
  policy: ResourceOf<'NetworkPolicy'>,
  unread: Unread,
): Iterable<Diagnostic> {
  const name = policy.namespace ?? '';
  if (set.isRelated(PORTS_OF_NAMESPACE, name) || set.get('Namespace', name) !== undefined) return;
  if (unread.declares('Namespace', name) || unread.mentions(['Port'], name)) return;
  const known = [
    ...set.all('Port').flatMap(({ namespace }) => namespace ?? []),
    ...set.all('Namespace').map((one) => one.name),
  ];
  const near = nearest(name, new Set(known));
  const hint = near === undefined ? 'Declare the Namespace, or correct the name.' : `Did you mean "${near}"?`;
  const message = `there is no Namespace "${policy.namespace}", and no Port in it`;
  yield diagnose(policy, { code: 'REF302', field: 'metadata.namespace', message, hint });
}

function readsLabels({ spec }: ResourceOf<'NetworkPolicy'>): boolean {
  const peers = [
    ...(spec.ingress ?? []).flatMap(({ from }) => from ?? []),
    ...(spec.egress ?? []).flatMap(({ to }) => to ?? []),
  ];
  return peers.some(
    ({ namespaceSelector }) => namespaceSelector !== undefined && looksAtLabels(namespaceSelector),
  );
}

function looksAtLabels({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  const keys = [...Object.keys(matchLabels), ...matchExpressions.map(({ key }) => key)];
  return keys.some((key) => key !== NAME_LABEL);
}
