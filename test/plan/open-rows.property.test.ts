import { expect, test } from 'vitest';
import { fingerprint64 } from '../../src/lib/hash.ts';
import type { LiveColumns } from '../../src/model/live.ts';
import { MARK } from '../../src/model/marks.ts';
import type { NbRow, RowKey, UnitName } from '../../src/model/nb.ts';
import { CHILD_COLUMNS } from '../../src/plan/columns.ts';
import { type DesiredNb, indexDesired } from '../../src/plan/desired.ts';
import { diff } from '../../src/plan/diff.ts';
import { CORRECT_ALL } from '../../src/plan/drift-policy.ts';
import { OpenRows } from '../../src/plan/open-rows.ts';
import { unitHash } from '../../src/plan/unit-hash.ts';
import { desiredFrom } from '../support/apply-harness.ts';
import { EFFORT, SEED, seededRandom } from '../support/seed.ts';
import { MemoryNb, type MemoryRow } from './memory-nb.ts';

const OWNER = 'test';
const STEPS = 1500 * EFFORT;

/** A network whose parts come, go, move between VPCs and change by `random`. */
function specs(random: () => number): Record<string, string> {
  const has = (): boolean => random() < 0.7;
  const vpcs = ['shop', 'lab'].filter(has);
  const documents = vpcs.map((vpc) => document('Vpc', vpc, '{}'));
  const subnets = ['a', 'b', 'c'].filter(() => has() && vpcs.length > 0);
  for (const subnet of subnets) {
    const at = ['a', 'b', 'c'].indexOf(subnet);
    const vpc = vpcs[Math.floor(random() * vpcs.length)] ?? '';
    const isolation = has() ? '' : ', isolation: {mode: private}';
    documents.push(document('Subnet', subnet, `{vpc: ${vpc}, cidrs: [10.${at}.0.0/24]${isolation}}`));
  }
  for (let port = 0; port < 8 && subnets.length > 0; port += 1) {
    const subnet = subnets[Math.floor(random() * subnets.length)] ?? '';
    const at = ['a', 'b', 'c'].indexOf(subnet);
    if (has())
      documents.push(
        document('Port', `p${port}`, `{subnet: ${subnet}, addresses: [10.${at}.0.${port + 10}]}`),
      );
  }
  for (const vpc of vpcs) {
    if (has()) {
      const rules = [22, 80, 443].filter(has).map((port) => `{protocol: tcp, ports: [{from: ${port}}]}`);
      documents.push(
        document(
          'SecurityGroup',
          `${vpc}-all`,
          `{vpc: ${vpc}, selector: {}, ingress: [${rules.join(', ')}]}`,
        ),
      );
    }
  }
  if (vpcs.length === 2 && has()) {
    const ends = '[{vpc: shop, addresses: [169.254.1.1/30]}, {vpc: lab, addresses: [169.254.1.2/30]}]';
    documents.push(document('Peering', 'link', `{ends: ${ends}}`));
  }
  return { 'network.yaml': documents.join('---\n') };
}

function document(kind: string, name: string, spec: string): string {
  return `apiVersion: ovn-gitops.io/v1\nkind: ${kind}\nmetadata: {name: ${name}}\nspec: ${spec}\n`;
}

/** The same rows, as the objects of an earlier revision where they say the same: what an incremental compilation gives. */
function sharing(desired: DesiredNb, earlier: readonly DesiredNb[]): DesiredNb {
  const rows = new Map<RowKey, NbRow>();
  for (const [key, row] of desired.state.rows) {
    const like = earlier
      .map((one) => one.row(key))
      .find((one) => JSON.stringify(one) === JSON.stringify(row));
    rows.set(key, like ?? row);
  }
  return indexDesired({ rows });
}

class Edits {
  readonly #random: () => number;
  readonly #nb: MemoryNb;

  constructor(nb: MemoryNb, random: () => number) {
    this.#nb = nb;
    this.#random = random;
  }

  /** One edit that somebody could make by hand. */
  make(): void {
    const chosen = this.#any([...this.#nb.rows]);
    if (chosen === undefined) return;
    const [uuid, row] = chosen;
    this.#any([
      () => this.#nb.update([[uuid, undefined]]),
      () => this.#column(uuid, row),
      () => this.#marks(uuid, row),
      () => this.#copy(row),
      () => this.#move(),
      () => this.#foreignChild(uuid, row),
    ])?.();
  }

  #column(uuid: string, { table, columns }: MemoryRow): void {
    const column = this.#any(['name', 'priority', 'match', 'addresses', 'options']) ?? '';
    const value =
      { priority: 7, addresses: ['unknown'], options: new Map([['router-port', 'x']]) }[column] ?? 'x';
    this.#nb.update([[uuid, { table, columns: { ...columns, [column]: value } }]]);
  }

  #marks(uuid: string, { table, columns }: MemoryRow): void {
    const ids = new Map(columns['external_ids'] as ReadonlyMap<string, string>);
    const name = this.#any(Object.values(MARK)) ?? '';
    const other = this.#any([...this.#nb.rows.values()])?.columns['external_ids'] as ReadonlyMap<
      string,
      string
    >;
    const value = this.#any([other?.get(name), 'x', undefined]);
    if (value === undefined) ids.delete(name);
    else ids.set(name, value);
    if (this.#random() < 0.2) ids.clear();
    this.#nb.update([[uuid, { table, columns: { ...columns, external_ids: ids } }]]);
  }

  /** A second row of one identity, with its own or without any children. */
  #copy({ table, columns }: MemoryRow): void {
    const uuid = this.#fresh();
    this.#nb.update([[uuid, { table, columns: { ...columns, _uuid: uuid } }]]);
  }

  /** A child leaves one parent, joins another, or both. */
  #move(): void {
    const parents = [...this.#nb.rows].flatMap(([uuid, row]) =>
      Object.entries(CHILD_COLUMNS[row.table] ?? {}).map(([column, child]) => ({ uuid, row, column, child })),
    );
    const from = this.#any(parents.filter(({ row, column }) => listOf(row.columns, column).length > 0));
    const moved = from === undefined ? undefined : this.#any(listOf(from.row.columns, from.column));
    if (from === undefined || moved === undefined) return;
    const to = this.#any(parents.filter(({ child }) => child === from.child));
    if (to !== undefined && this.#random() < 0.7) {
      const joined = [...new Set([...listOf(to.row.columns, to.column), moved])];
      this.#nb.update([[to.uuid, withColumn(to.row, to.column, joined)]]);
    }
    if (this.#random() < 0.7) {
      const row = this.#nb.rows.get(from.uuid) ?? from.row;
      const left = listOf(row.columns, from.column).filter((one) => one !== moved);
      this.#nb.update([[from.uuid, withColumn(row, from.column, left)]]);
    }
  }

  #foreignChild(uuid: string, row: MemoryRow): void {
    const [column, table] = this.#any(Object.entries(CHILD_COLUMNS[row.table] ?? {})) ?? [];
    if (column === undefined || table === undefined) return;
    const child = this.#fresh();
    this.#nb.update([
      [child, { table, columns: { _uuid: child, name: 'theirs', external_ids: new Map() } }],
      [uuid, withColumn(row, column, [...listOf(row.columns, column), child])],
    ]);
  }

  #fresh(): string {
    return `fresh-${fingerprint64(String(this.#random()))}`;
  }

  #any<T>(choices: readonly T[]): T | undefined {
    return choices[Math.floor(this.#random() * choices.length)];
  }
}

function listOf(columns: LiveColumns, column: string): readonly string[] {
  return (columns[column] ?? []) as readonly string[];
}

function withColumn({ table, columns }: MemoryRow, column: string, value: readonly string[]): MemoryRow {
  return { table, columns: { ...columns, [column]: value } };
}

test(`the plan from what has changed is the plan of the full comparison, after ${STEPS} edits of either side (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  const nb = new MemoryNb(OWNER);
  const openRows = new OpenRows(nb.index);
  nb.index.onTouch((key) => openRows.touch(key));
  const edits = new Edits(nb, random);
  const seen: DesiredNb[] = [desiredFrom(specs(random)).desired];
  let desired = seen[0]!;
  let [open, empty] = [0, 0];
  for (let step = 0; step < STEPS; step += 1) {
    const dice = random();
    if (dice < 0.1) {
      const next = desiredFrom(specs(random)).desired;
      desired = random() < 0.7 ? sharing(next, seen) : next;
      seen.push(desired);
      if (seen.length > 4) seen.shift();
    } else if (dice < 0.2) desired = seen[Math.floor(random() * seen.length)]!;
    else if (dice < 0.3) nb.load(desired.state, OWNER);
    else edits.make();
    const units = new Set<UnitName>([...seen.flatMap((one) => one.units), ...nb.index.units()]);
    for (const unit of units) {
      // A unit may be left alone for many changes.
      if (random() < 0.5) continue;
      const rest = {
        owner: OWNER,
        settled: random() < 0.5,
        policy: random() < 0.8 ? CORRECT_ALL : () => 'report' as const,
        isPreview: random() < 0.2,
      };
      const plan = openRows.plan(desired, unit, () => rest);
      expect(plan, `step ${step}, ${unit}`).toEqual(diff({ ...rest, desired, live: nb.index, unit }));
      if (plan.changes.length + plan.deferred.length + plan.reported.length > 0) open += 1;
      else empty += 1;
      const rows = desired.rowsOf(unit);
      expect(unitHash(rows)).toBe(unitHash([...rows]));
    }
  }
  // Both kinds must have been met often, or the comparison says little.
  expect(Math.min(open, empty)).toBeGreaterThan(STEPS / 5);
});
