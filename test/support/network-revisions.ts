import { ok } from '../../src/lib/result.ts';
import type { UnitName } from '../../src/model/nb.ts';
import { applyOnce } from '../../src/reconcile/apply-once.ts';
import { DesiredRevisions } from '../../src/reconcile/desired-revisions.ts';
import type { RevisionSource, SourceRevision } from '../../src/reconcile/revision-source.ts';
import { openTestNorthbound } from './apply-harness.ts';
import { startOvsdbServer } from './ovsdb-server.ts';
import { connectRaw } from './raw-connection.ts';
import { readTruth, type UnitRows } from './network-truth.ts';

/** How many different networks there are; revisions go round them. */
const VARIANTS = 6;

/** Every unit that a variant has rows in. */
export const UNITS: readonly UnitName[] = [
  'peering/blue-green',
  'vpc/blue',
  'vpc/gray',
  'vpc/green',
] as UnitName[];

/** The commit of the revision with a number: the first digit is its variant, the rest the number. */
export function commitOf(number: number): string {
  return `${number % VARIANTS}${number.toString(16).padStart(39, '0')}`;
}

/** Which network a commit describes. */
export function variantOf(commit: string): number {
  return Number(commit[0]);
}

const revision = (commit: string): SourceRevision => ({
  commit,
  author: { name: 'Ada', email: 'ada@example.org', at: 0 },
  subject: `variant ${variantOf(commit)}`,
});

/** A repository whose commits are made up when they are asked for. */
export function madeUpSource(): RevisionSource {
  return {
    fetch: async () => ok(revision(commitOf(0))),
    revision: async (commit) => ok(revision(commit)),
    files: async (commit) => {
      const variant = variantOf(commit);
      return ok([
        { path: 'network.yaml', oid: `variant-${variant}`, text: async () => networkText(variant) },
      ]);
    },
    relation: async () => 'descendant',
    accept: async () => {},
    accepted: async () => [],
  };
}

/** The rows of each variant by unit, as a server of their own holds them that never met a fault. */
export async function expectedRows(): Promise<readonly UnitRows[]> {
  const server = await startOvsdbServer({ schemaFile: '/usr/share/ovn/ovn-nb.ovsschema' });
  const northbound = await openTestNorthbound(server.endpoint);
  const raw = await connectRaw(server.endpoint);
  try {
    const revisions = new DesiredRevisions(madeUpSource());
    const signal = AbortSignal.timeout(60_000);
    const expected: UnitRows[] = [];
    for (let variant = 0; variant < VARIANTS; variant += 1) {
      const revision = await revisions.at(commitOf(variant), signal);
      if (!revision.ok) throw new Error(`variant ${variant}: ${JSON.stringify(revision.error)}`);
      const result = await applyOnce(northbound, revision.value, 'test', { now: 1, passHolds: true }, signal);
      if (result.failed.length > 0) throw new Error(`variant ${variant}: ${JSON.stringify(result.failed)}`);
      expected.push((await readTruth(raw)).units);
    }
    return expected;
  } finally {
    raw.close();
    await northbound.close();
    await server.stop();
  }
}

/** Two VPCs that are always there, one that comes and goes, and a peering that comes and goes out of step with it. */
function networkText(variant: number): string {
  const vpcs = variant % 2 === 0 ? ['blue', 'green', 'gray'] : ['blue', 'green'];
  const documents = vpcs.flatMap((vpc, at) => vpcDocuments(vpc, at + 1, variant));
  if (variant % 3 !== 0) {
    documents.push(
      resource(
        'Peering',
        'blue-green',
        `ends: [{vpc: blue, addresses: [169.254.${variant}.1/30]}, {vpc: green, addresses: [169.254.${variant}.2/30]}]`,
      ),
    );
  }
  return documents.join('---\n');
}

function vpcDocuments(vpc: string, octet: number, variant: number): readonly string[] {
  const documents = [
    resource('Vpc', vpc, `routes: [{cidr: 203.0.113.0/24, via: 10.${octet}.0.${200 + variant}}]`),
    resource(
      'SecurityGroup',
      `${vpc}-web`,
      `vpc: ${vpc}\n  selector: {matchLabels: {app: web}}\n  ingress: [{protocol: tcp, ports: [{from: ${8000 + variant}}], remote: [{cidr: 198.51.100.0/24}]}]`,
    ),
  ];
  for (let subnet = 0; subnet < 2; subnet += 1) {
    documents.push(
      resource('Subnet', `${vpc}-${subnet}`, `vpc: ${vpc}\n  cidrs: [10.${octet}.${subnet}.0/24]`),
    );
    for (let port = 0; port < 2 + (variant % 2); port += 1) {
      const address = `10.${octet}.${subnet}.${10 * (port + 1) + variant}`;
      documents.push(
        resource(
          'Port',
          `${vpc}-${subnet}-${port}`,
          `subnet: ${vpc}-${subnet}\n  addresses: [${address}]`,
          'labels: {app: web}',
        ),
      );
    }
  }
  return documents;
}

function resource(kind: string, name: string, spec: string, more = ''): string {
  const metadata = more === '' ? `{name: ${name}}` : `{name: ${name}, ${more}}`;
  return `apiVersion: ovn-gitops.io/v1\nkind: ${kind}\nmetadata: ${metadata}\nspec:\n  ${spec}\n`;
}
