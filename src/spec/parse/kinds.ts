import type { Kind } from '../../model/specs.ts';
import { nearest } from '../nearest.ts';
import type { Problem } from './problem.ts';
import { entryOf, type YamlNode } from './yaml-node.ts';

const OURS = 'ovn-gitops.io/v1';

/** The apiVersion of every kind. */
const API_VERSIONS: Readonly<Record<Kind, string>> = {
  Repository: OURS,
  Vpc: OURS,
  Subnet: OURS,
  Port: OURS,
  Peering: OURS,
  ProviderNetwork: OURS,
  Eip: OURS,
  Nat: OURS,
  LoadBalancer: OURS,
  SecurityGroup: OURS,
  NetworkPolicy: 'networking.k8s.io/v1',
  Namespace: 'v1',
  AddressLock: OURS,
};

/** The kind that a word means, however it is spelt. */
export function likelyKind(word: string): Kind | undefined {
  const kind = nearest(word, Object.keys(API_VERSIONS));
  return kind !== undefined && isKind(kind) ? kind : undefined;
}

/** True for kinds of the Kubernetes API, where null means absent and servers add fields of their own. */
export function isKubernetesKind(kind: Kind): boolean {
  return API_VERSIONS[kind] !== OURS;
}

/** The kind of a document, or what is wrong with its `kind` and `apiVersion`. */
export function kindOf(root: YamlNode): { readonly kind: Kind } | { readonly problem: Problem } {
  const [kind, apiVersion] = [scalarAt(root, 'kind'), scalarAt(root, 'apiVersion')];
  const rootSpan = root.kind === 'mapping' ? (root.entries[0]?.keySpan ?? root) : root;
  if (kind === undefined) {
    const hint = `Add kind: one of ${Object.keys(API_VERSIONS).join(', ')}.`;
    return {
      problem: {
        code: 'SCH203',
        message: 'the field "kind" is missing',
        hint,
        span: rootSpan,
        field: 'kind',
      },
    };
  }
  if (!isKind(kind.text)) return { problem: unknownKind(kind, apiVersion?.text) };
  const wanted = API_VERSIONS[kind.text];
  if (apiVersion?.text === wanted) return { kind: kind.text };
  const given = apiVersion === undefined ? 'has no apiVersion' : `has the apiVersion "${apiVersion.text}"`;
  const hint = `Write apiVersion: ${wanted}.`;
  const span = apiVersion ?? rootSpan;
  return { problem: { code: 'SCH201', message: `${kind.text} ${given}`, hint, span, field: 'apiVersion' } };
}

function unknownKind(
  kind: { readonly text: string; readonly start: number; readonly end: number },
  apiVersion = '',
): Problem {
  const near = nearest(kind.text, Object.keys(API_VERSIONS));
  const hint = apiVersion.startsWith('kubeovn.io/')
    ? `Kube-OVN documents are not read; write the ${near ?? 'matching'} kind of ${OURS}.`
    : near === undefined
      ? `The kinds are: ${Object.keys(API_VERSIONS).join(', ')}.`
      : `Did you mean "${near}"?`;
  return { code: 'SCH201', message: `the kind "${kind.text}" is unknown`, hint, span: kind, field: 'kind' };
}

function isKind(text: string): text is Kind {
  return Object.hasOwn(API_VERSIONS, text);
}

function scalarAt(
  root: YamlNode,
  key: string,
): { readonly text: string; readonly start: number; readonly end: number } | undefined {
  const value = entryOf(root, key)?.value;
  return value?.kind === 'scalar' && value.text !== '' ? value : undefined;
}
