import { applyFiles, desiredFrom, openTestNorthbound } from './apply-harness.ts';
import { dumpOf } from './canonical.ts';
import { startOvsdbServer } from './ovsdb-server.ts';

/** A revision and what it comes to. */
export interface Revision {
  readonly files: Readonly<Record<string, string>>;
  /** Units in canonical order. */
  readonly units: readonly string[];
  /** The canonical dump of a Northbound that has had no other revision. */
  readonly dump: string;
}

/**
 * Revisions to be pushed in a ring. Each step changes, adds and deletes rows in several units; a VPC and a peering come and
 * go together, so that units wait for each other; a subnet without a VPC comes and goes.
 */
export async function makeRevisionCycle(): Promise<readonly Revision[]> {
  const texts = [
    [...vpc('shop', 0, 2, 80), ...vpc('lab', 1, 2, 80), ...LINK, ...LONELY],
    [...vpc('shop', 0, 3, 81)],
    [...vpc('shop', 0, 2, 82), ...vpc('lab', 1, 3, 81), ...LINK],
    [...vpc('shop', 0, 2, 83), ...vpc('lab', 1, 2, 82), ...LONELY],
  ];
  return Promise.all(
    texts.map(async (documents) => {
      const files = { 'network.yaml': [BUDGET, ...documents].join('---\n') };
      return { files, units: desiredFrom(files).desired.units, dump: await freshDump(files) };
    }),
  );
}

async function freshDump(files: Readonly<Record<string, string>>): Promise<string> {
  const server = await startOvsdbServer({ schemaFile: '/usr/share/ovn/ovn-nb.ovsschema' });
  const northbound = await openTestNorthbound(server.endpoint);
  try {
    const { failed } = await applyFiles(northbound, files);
    if (failed.length > 0) throw new Error(JSON.stringify(failed));
    return await dumpOf(server.endpoint);
  } finally {
    await northbound.close();
    await server.stop();
  }
}

function vpc(name: string, octet: number, subnets: number, port: number): readonly string[] {
  const documents = [
    document('Vpc', name, '{}'),
    document(
      'SecurityGroup',
      `${name}-all`,
      `{vpc: ${name}, selector: {}, ingress: [{protocol: tcp, ports: [{from: ${port}}]}]}`,
    ),
  ];
  for (let subnet = 1; subnet <= subnets; subnet += 1) {
    const full = `${name}-${subnet}`;
    const host = port - 60 + subnet;
    documents.push(
      document('Subnet', full, `{vpc: ${name}, cidrs: [10.${octet}.${subnet}.0/24]}`),
      document('Port', `${full}-port`, `{subnet: ${full}, addresses: [10.${octet}.${subnet}.${host}]}`),
    );
  }
  return documents;
}

function document(kind: string, name: string, spec: string): string {
  return `apiVersion: ovn-gitops.io/v1\nkind: ${kind}\nmetadata: {name: ${name}}\nspec: ${spec}\n`;
}

const LINK = [
  document(
    'Peering',
    'link',
    '{ends: [{vpc: shop, addresses: [169.254.1.1/30]}, {vpc: lab, addresses: [169.254.1.2/30]}]}',
  ),
];
const LONELY = [document('Subnet', 'lonely', '{cidrs: [10.9.0.0/24]}')];
/** Every revision is to be applied at once. */
const BUDGET = document('Repository', 'all', '{deleteBudget: {percent: 100}}');
