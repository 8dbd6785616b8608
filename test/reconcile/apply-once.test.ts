import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NorthboundDatabase } from '../../src/nb/northbound.ts';
import { applyFiles, openTestNorthbound } from '../support/apply-harness.ts';
import type { OvsdbServer } from '../support/ovsdb-server.ts';
import { startOvsdbServer } from '../support/ovsdb-server.ts';

const NB_SCHEMA = '/usr/share/ovn/ovn-nb.ovsschema';

let server: OvsdbServer;
let northbound: NorthboundDatabase;

beforeAll(async () => {
  server = await startOvsdbServer({ schemaFile: NB_SCHEMA });
  northbound = await openTestNorthbound(server.endpoint);
});

afterAll(async () => {
  await northbound?.close();
  await server?.stop();
});

const FILES = {
  'vpc.yaml': `apiVersion: ovn-gitops.io/v1
kind: Vpc
metadata: {name: shop}
spec:
  routes:
    - {cidr: 203.0.113.0/24, via: 10.0.1.254}
---
apiVersion: ovn-gitops.io/v1
kind: Subnet
metadata: {name: web}
spec: {vpc: shop, cidrs: [10.0.1.0/24]}
---
apiVersion: ovn-gitops.io/v1
kind: Port
metadata: {name: web-1}
spec: {subnet: web, addresses: [10.0.1.5]}
`,
};

test('writes a VPC in one transaction and nothing the second time', async () => {
  const first = await applyFiles(northbound, FILES);
  expect(first.failed).toEqual([]);
  expect(first.written.map((entry) => entry.plan.unit)).toEqual(['vpc/shop']);
  const second = await applyFiles(northbound, FILES);
  expect(second.written).toEqual([]);
  expect(second.failed).toEqual([]);
});

test('changes only what a new revision changes', async () => {
  const result = await applyFiles(
    northbound,
    { 'vpc.yaml': FILES['vpc.yaml'].replace('10.0.1.5', '10.0.1.6') },
    'b'.repeat(40),
  );
  expect(result.failed).toEqual([]);
  expect(
    result.written.flatMap((entry) => entry.plan.changes.map((change) => `${change.kind} ${change.key}`)),
  ).toEqual(['update Logical_Switch_Port/web-1']);
});

test('removes everything when the repository is empty', async () => {
  const result = await applyFiles(northbound, {}, 'c'.repeat(40));
  expect(result.failed).toEqual([]);
  expect(northbound.live.size).toBe(0);
});

const TWO_VPCS = ['shop', 'lab'].map(
  (vpc, index) => `apiVersion: ovn-gitops.io/v1
kind: Vpc
metadata: {name: ${vpc}}
spec: {}
---
apiVersion: ovn-gitops.io/v1
kind: Subnet
metadata: {name: ${vpc}-net}
spec: {vpc: ${vpc}, cidrs: [10.${index}.0.0/24]}
`,
);
const PEERING = `apiVersion: ovn-gitops.io/v1
kind: Peering
metadata: {name: a-peering}
spec:
  ends:
    - {vpc: shop, addresses: [169.254.1.1/30]}
    - {vpc: lab, addresses: [169.254.1.2/30]}
`;
const EXTERNAL = `apiVersion: ovn-gitops.io/v1
kind: ProviderNetwork
metadata: {name: dc}
spec: {physicalNetwork: physnet1}
---
apiVersion: ovn-gitops.io/v1
kind: Subnet
metadata: {name: internet}
spec: {cidrs: [203.0.113.0/24], provider: {network: dc}}
`;

test('a peering waits for both routers, and is written as a whole', async () => {
  const files = { 'vpcs.yaml': TWO_VPCS.join('---\n'), 'peering.yaml': PEERING };
  const result = await applyFiles(northbound, files, 'd'.repeat(40));
  expect(result.failed).toEqual([]);
  expect(result.written.map((entry) => entry.plan.unit)).toEqual([
    'vpc/lab',
    'vpc/shop',
    'peering/a-peering',
  ]);
  expect(result.written.at(-1)?.plan.changes.map((change) => change.cause)).toEqual(
    Array(4).fill('revision'),
  );
});

test('a switch goes only after the routers that are plugged into it, and that is no drift', async () => {
  const external = TWO_VPCS[0]!.replace(
    'spec: {}',
    'spec: {external: [{subnet: internet, addresses: [203.0.113.2], gateways: [gw-1]}]}',
  );
  const joined = await applyFiles(northbound, { 'a.yaml': external, 'b.yaml': EXTERNAL }, 'e'.repeat(40));
  expect(joined.failed).toEqual([]);
  const left = await applyFiles(northbound, { 'a.yaml': TWO_VPCS[0]! }, 'f'.repeat(40));
  expect(left.failed).toEqual([]);
  expect(left.written.map((entry) => entry.plan.unit)).toContain('global');
  expect(
    left.written.flatMap((entry) => entry.plan.changes).every((change) => change.cause === 'revision'),
  ).toBe(true);
  expect([...northbound.live.keysOf('global' as never)]).toEqual([]);
});
