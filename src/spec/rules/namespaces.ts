import { groupBy } from '../../lib/group.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Resource, ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import type { LabelSelector } from '../../model/specs.ts';
import { diagnose } from '../diagnose.ts';
import { nearest } from '../nearest.ts';
import type { Unread } from '../unread.ts';

/** The one label that every namespace has (Kubernetes sets it to the name). */
const NAME_LABEL = 'kubernetes.io/metadata.name';

/**
 * A policy is in a namespace that something else knows of. Once a policy looks at labels of namespaces, every namespace
 * with Ports must be declared: without its labels nobody could say whether it is selected.
 */
export function* namespaces(
  set: ResourceSet,
  _all: readonly Resource[],
  unread: Unread,
): Iterable<Diagnostic> {
  const ports = groupBy(
    set.all('Port').filter((port) => port.namespace !== undefined),
    (port) => port.namespace ?? '',
  );
  const known = new Set([...ports.keys(), ...set.all('Namespace').map(({ name }) => name)]);
  for (const policy of set.all('NetworkPolicy')) {
    const name = policy.namespace ?? '';
    if (known.has(name) || unread.declares('Namespace', name) || unread.mentions(['Port'], name)) continue;
    const near = nearest(name, known);
    const hint =
      near === undefined ? 'Declare the Namespace, or correct the name.' : `Did you mean "${near}"?`;
    const message = `there is no Namespace "${policy.namespace}", and no Port in it`;
    yield diagnose(policy, { code: 'REF302', field: 'metadata.namespace', message, hint });
  }
  const reader = set.all('NetworkPolicy').find(readsLabels);
  if (reader === undefined) return;
  for (const [name, [port]] of ports) {
    if (port === undefined || set.get('Namespace', name) !== undefined) continue;
    if (unread.declares('Namespace', name)) continue;
    const message = `the labels of the namespace "${name}" are unknown, and a policy selects by them`;
    const related = [{ resource: reader, field: 'spec' }];
    const hint = 'Declare the Namespace with its labels.';
    yield diagnose(port, { code: 'REF302', field: 'metadata.namespace', message, hint, related });
  }
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
