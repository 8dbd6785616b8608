import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compile } from '../../src/compile/compile.ts';
import { loadNb } from '../support/load-nb.ts';
import { type OvnCentral, startCentral } from '../support/ovn-central.ts';
import { setOf } from './resources.ts';

let central: OvnCentral;
beforeAll(async () => {
  central = await startCentral();
});
afterAll(async () => {
  await central.stop();
});

async function load(yaml: string): Promise<ReturnType<typeof compile>> {
  const compiled = compile(setOf(yaml));
  expect(compiled.diagnostics).toEqual([]);
  await loadNb(central.nb, compiled.nb);
  central.settle();
  expect(central.northdComplaints()).toEqual([]);
  return compiled;
}

const TWO_SUBNETS = `
kind: Vpc
metadata: {name: red}
---
kind: Subnet
metadata: {name: web}
spec: {vpc: red, cidrs: [10.0.1.0/24, 'fd00:1::/64'], dhcp: {domain: red.example, dnsServers: [192.0.2.53, 192.0.2.54, 'fd00::53'], ntpServers: [192.0.2.1]}}
---
kind: Subnet
metadata: {name: db}
spec: {vpc: red, cidrs: [10.0.2.0/24, 'fd00:2::/64']}
---
kind: Port
metadata: {name: a, namespace: shop}
spec: {subnet: web, addresses: [10.0.1.11]}
---
kind: Port
metadata: {name: b, namespace: shop}
spec: {subnet: db, addresses: [10.0.2.12], mac: '02:00:00:00:02:0C'}
`;

describe('a VPC with two subnets', () => {
  test('routes between them', async () => {
    await load(TWO_SUBNETS);
  });
});
