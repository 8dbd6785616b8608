import { describe, expect, test } from 'vitest';
import { parseFile } from '../../src/spec/parse.ts';
import { validateFiles } from '../../src/spec/validate.ts';

const PORT = 'apiVersion: ovn-gitops.io/v1\nkind: Port\nmetadata: { name: p }\nspec: { subnet: web }\n';

/** What is said about a Port of the subnet "web", next to a file that may be meant to declare it. */
function saidOfPort(broken: string): readonly string[] {
  const { diagnostics } = validateFiles([
    { path: 'broken.yaml', text: broken },
    { path: 'port.yaml', text: PORT },
  ]);
  return diagnostics.filter(({ place }) => place.file === 'port.yaml').map(({ code }) => code);
}

describe('a reference to what is not there is', () => {
  test.each([
    ['whose schema fails', 'apiVersion: ovn-gitops.io/v1\nkind: Subnet\nmetadata: { name: web }\nspec: {}\n'],
    ['of a misspelt kind', 'apiVersion: ovn-gitops.io/v1\nkind: subnets\nmetadata: { name: web }\n'],
    ['without a kind', 'metadata: { name: web }\n'],
    ['of another apiVersion', 'apiVersion: kubeovn.io/v1\nkind: Subnet\nmetadata: { name: web }\n'],
    ['with an alias', 'kind: Subnet\nmetadata: { name: web }\nspec: *x\n'],
    ['that is no YAML', 'kind: Subnet\nmetadata:\n  name: web\nspec: {\n'],
    ['that is no YAML, with quotes', 'metadata: {"name": "web", spec: {\n'],
    ['in a file that is too large', `metadata: { name: web }\n# ${'x'.repeat(4 * 1024 * 1024)}\n`],
  ])('not reported next to a document %s', (_what, broken) => {
    expect(saidOfPort(broken)).toEqual([]);
  });

  test.each([
    ['of another name', 'apiVersion: ovn-gitops.io/v1\nkind: Subnet\nmetadata: { name: wet }\nspec: {}\n'],
    ['of another kind', 'apiVersion: ovn-gitops.io/v1\nkind: Vpc\nmetadata: { name: web }\nspec: 1\n'],
    ['of another, misspelt kind', 'kind: Vpcs\nmetadata: { name: web }\n'],
    ['that names it elsewhere', 'kind: Subnet\nmetadata: { name: wet, labels: { app: web } }\n'],
    ['that is no YAML', 'kind: Subnet\nmetadata:\n  name: website\nspec: { vpc: web\n'],
    ['that is no mapping', '- name: web\n'],
  ])('reported next to a document %s', (_what, broken) => {
    expect(saidOfPort(broken)).toEqual(['REF302']);
  });
});

test('a document that cannot be used says which resource it seems to be', () => {
  const text = 'kind: Prot\nmetadata: { name: a, namespace: shop }\nspec: 1\n---\nname: [\n--- \nname: b\n{';
  expect(parseFile('a.yaml', text).unread).toMatchObject([
    { kind: 'Port', name: 'a', namespace: 'shop' },
    { kind: undefined, name: 'b', namespace: undefined },
  ]);
});
