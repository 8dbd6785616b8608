import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NorthboundDatabase } from '../../src/nb/northbound.ts';
import { applyFiles, openTestNorthbound } from '../support/apply-harness.ts';
import { dumpOf } from '../support/canonical.ts';
import type { OvsdbServer } from '../support/ovsdb-server.ts';
import { startOvsdbServer } from '../support/ovsdb-server.ts';
import { EFFORT, SEED } from '../support/seed.ts';

const NB_SCHEMA = '/usr/share/ovn/ovn-nb.ovsschema';
const RUNS = 25 * EFFORT;

let direct: OvsdbServer;
let travelled: OvsdbServer;
let northbound: NorthboundDatabase;
let revision = 0;

beforeAll(async () => {
  direct = await startOvsdbServer({ schemaFile: NB_SCHEMA });
  travelled = await startOvsdbServer({ schemaFile: NB_SCHEMA });
  northbound = await openTestNorthbound(travelled.endpoint);
});

afterAll(async () => {
  await northbound?.close();
  await direct?.stop();
  await travelled?.stop();
});

/** A VPC with subnets, ports and a group, small enough that two of them often share and often differ. */
const vpc = fc.record({
  subnets: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 4 }),
  ports: fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 10, max: 13 })), {
    maxLength: 6,
    selector: ([subnet, host]) => `${subnet}.${host}`,
  }),
  open: fc.uniqueArray(fc.constantFrom(22, 53, 80, 443), { maxLength: 3 }),
  isPrivate: fc.boolean(),
});
const network = fc.record({
  shop: fc.option(vpc, { nil: undefined }),
  lab: fc.option(vpc, { nil: undefined }),
  isPeered: fc.boolean(),
});

test(`any two revisions reach the same rows whatever the path between them (seed ${SEED})`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(network, { minLength: 1, maxLength: 3 }), async (path) => {
      let files: Record<string, string> = {};
      for (const step of path) {
        files = specs(step);
        expect((await applyFiles(northbound, files, nextCommit())).failed).toEqual([]);
        // Once there, nothing is left to do.
        expect((await applyFiles(northbound, files)).written).toEqual([]);
      }
      const fresh = await openTestNorthbound(direct.endpoint);
      expect((await applyFiles(fresh, {}, nextCommit())).failed).toEqual([]);
      expect((await applyFiles(fresh, files, nextCommit())).failed).toEqual([]);
      await fresh.close();
      expect(await dumpOf(travelled.endpoint)).toBe(await dumpOf(direct.endpoint));
    }),
    { numRuns: RUNS, seed: SEED },
  );
});

function nextCommit(): string {
  revision += 1;
  return revision.toString(16).padStart(40, '0');
}

type Network = typeof network extends fc.Arbitrary<infer T> ? T : never;
type Vpc = typeof vpc extends fc.Arbitrary<infer T> ? T : never;

function specs(value: Network): Record<string, string> {
  const documents = [...vpcDocuments('shop', 1, value.shop), ...vpcDocuments('lab', 2, value.lab)];
  if (value.isPeered && value.shop !== undefined && value.lab !== undefined) {
    documents.push(
      document(
        'Peering',
        'link',
        'ends: [{vpc: shop, addresses: [169.254.1.1/30]}, {vpc: lab, addresses: [169.254.1.2/30]}]',
      ),
    );
  }
  return { 'network.yaml': documents.join('---\n') };
}

function vpcDocuments(name: string, octet: number, value: Vpc | undefined): readonly string[] {
  if (value === undefined) return [];
  const isolation = value.isPrivate ? ', isolation: {mode: private}' : '';
  const ports = value.ports.filter(([subnet]) => value.subnets.includes(subnet));
  const rules = value.open.map((port) => `{protocol: tcp, ports: [{from: ${port}}]}`);
  return [
    document('Vpc', name, '{}', true),
    ...value.subnets.map((index) =>
      document(
        'Subnet',
        `${name}-${index}`,
        `{vpc: ${name}, cidrs: [10.${octet}.${index}.0/24]${isolation}}`,
        true,
      ),
    ),
    ...ports.map(([subnet, host]) =>
      document(
        'Port',
        `${name}-${subnet}-${host}`,
        `{subnet: ${name}-${subnet}, addresses: [10.${octet}.${subnet}.${host}]}`,
        true,
      ),
    ),
    document(
      'SecurityGroup',
      `${name}-all`,
      `{vpc: ${name}, selector: {}, ingress: [${rules.join(', ')}]}`,
      true,
    ),
  ];
}

function document(kind: string, name: string, spec: string, isFlow = false): string {
  return `apiVersion: ovn-gitops.io/v1\nkind: ${kind}\nmetadata: {name: ${name}}\nspec:${isFlow ? ` ${spec}` : `\n  ${spec}`}\n`;
}
