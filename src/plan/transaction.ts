import { MARK } from '../model/marks.ts';
import type { NbRow, NbValue, RowKey } from '../model/nb.ts';
import type { Change, ColumnChange, Plan } from '../model/plan.ts';
import type { AcceptedRevision } from '../model/revision.ts';
import type { DatabaseSchema, Operation, WireValue } from '../ovsdb/index.ts';
import { COLUMNS } from './columns.ts';
import { mapEntries } from './compare.ts';
import { guardColumns, guardMark, guardRow, whereUuid } from './guards.ts';
import type { DesiredNb } from './desired.ts';
import { matchingRows } from './matching-rows.ts';
import { PARENT_COLUMN } from './row-difference.ts';
import { printApplied, UNSETTLED } from '../model/fence.ts';
import type { LiveNb, LiveRow } from '../model/live.ts';
import { INCOMPLETE_HASH, markMutation, rowMarks } from './marks.ts';
import { unitFence } from './unit-fence.ts';
import { unitHash } from './unit-hash.ts';
import { Mutations } from './mutations.ts';
import { PartReferences, referencesOf } from './part-references.ts';
import { parentHolders } from './parents.ts';
import { ownUuid, rowUuid } from './row-uuid.ts';
import { encodeMap, encodeNbValue, encodeUuids, emptyValue, encodeLive } from './wire.ts';

/** What a transaction is written from. */
export interface TransactionInput {
  readonly plan: Plan;
  /** True when the plan is a part of the unit's (src/plan/first-part.ts), and not the last one. */
  readonly isPart?: boolean;
  readonly desired: DesiredNb;
  readonly live: LiveNb;
  readonly schema: DatabaseSchema;
  readonly owner: string;
  readonly accepted: AcceptedRevision;
  /** The unit's record as it stands in NB_Global.external_ids, if there is one. */
  readonly appliedText: string | undefined;
  /** The one row of NB_Global. */
  readonly globalUuid: string;
  /** ms since 1970. */
  readonly now: number;
  /** Who wrote the revision, for the comment in the database log. */
  readonly author: string;
}

/** One atomic OVSDB transaction. */
export interface Transaction {
  readonly operations: readonly Operation[];
  /** Index of the select that answers with the nb_cfg of this transaction. */
  readonly nbCfgIndex: number | undefined;
  /** The row that an operation is about, for errors. */
  keyOf(operation: number): RowKey | undefined;
}

/**
 * Writes the transaction of a plan: the fence first, with the bump of nb_cfg, then guards (`wait`, timeout 0), inserts,
 * updates, mutations, deletions and a comment (RFC 7047 5.2). Sets and maps change member by member.
 */
export function buildTransaction(input: TransactionInput): Transaction {
  const writer = new Writer(input);
  for (const change of input.plan.changes) writer.add(change);
  return writer.finish();
}

class Writer {
  readonly #input: TransactionInput;
  readonly #guards: Operation[] = [];
  readonly #inserts = new Map<RowKey, Insert>();
  readonly #updates: Operation[] = [];
  readonly #mutations: Mutations = new Mutations();
  readonly #deletes: Operation[] = [];
  readonly #keys = new Map<Operation, RowKey>();
  readonly #doomed: ReadonlySet<string>;
  readonly #guarded = new Set<string>();
  readonly #part: PartReferences;

  constructor(input: TransactionInput) {
    this.#input = input;
    this.#part = new PartReferences(input, (key) => this.#isThere(key));
    const deleted = input.plan.changes.filter((change) => change.kind === 'delete');
    this.#doomed = new Set(deleted.flatMap((change) => this.#doomedRows(change).map((row) => row.uuid)));
    // Rows are entered first, so that a child finds its new parent whatever the order of the changes is.
    for (const change of input.plan.changes) {
      if (change.kind !== 'create') continue;
      const { key, table } = change;
      this.#inserts.set(key, { table, uuid: this.#uuidOf(key), row: {}, children: undefined });
    }
  }

  add(change: Change): void {
    switch (change.kind) {
      case 'create':
        this.#create(this.#row(change.key));
        return;
      case 'update':
        this.#update(this.#row(change.key), change.columns);
        return;
      case 'delete':
        for (const row of this.#doomedRows(change)) this.#delete(change, row);
        return;
    }
  }

  finish(): Transaction {
    const { owner, globalUuid, accepted, plan, author } = this.#input;
    const fence = unitFence({
      owner,
      unit: plan.unit,
      globalUuid,
      accepted,
      isPart: this.#input.isPart === true,
      before: this.#input.appliedText,
      after: this.#record(),
    });
    const comment = `ovn-gitops ${owner}: ${plan.unit} at revision ${accepted.sequence}, commit ${accepted.commit} by ${author}`;
    const operations: readonly Operation[] = [
      ...fence,
      ...this.#answer(),
      ...this.#guards,
      ...[...this.#inserts.values()].map(insertOperation),
      ...this.#updates,
      ...this.#mutations.operations(),
      ...this.#deletes,
      { op: 'comment', comment },
    ];
    return {
      operations,
      nbCfgIndex: this.#input.isPart === true ? undefined : fence.length,
      keyOf: (index) => {
        const operation = operations[index];
        return operation === undefined ? undefined : this.#keys.get(operation);
      },
    };
  }

  #answer(): readonly Operation[] {
    const where = [whereUuid(this.#input.globalUuid)];
    return this.#input.isPart === true
      ? []
      : [{ op: 'select', table: 'NB_Global', where, columns: ['nb_cfg'] }];
  }

  /** The unit's record once this is written; undefined when nothing of the unit is left. */
  #record(): string | undefined {
    const { plan, desired, accepted, now } = this.#input;
    const rows = desired.rowsOf(plan.unit);
    if (rows.length === 0 && plan.deferred.length === 0) return undefined;
    // What is still to be deleted makes the next plan a part of this revision, not drift.
    const hash = plan.deferred.length === 0 ? unitHash(rows) : UNSETTLED;
    return printApplied({ ...accepted, at: now, hash });
  }

  #create(row: NbRow): void {
    const insert = this.#inserts.get(row.key);
    if (insert === undefined) return;
    for (const column in row.columns) {
      const value = row.columns[column];
      if (value !== undefined) insert.row[column] = this.#encode(this.#part.within(value));
    }
    insert.row['external_ids'] = encodeMap(this.#marks(row));
    if (row.parent !== undefined) this.#join(row.parent.key, row.parent.column, insert.uuid);
  }

  #update(row: NbRow, columns: readonly ColumnChange[]): void {
    const live = this.#liveRow(row);
    const updated: Record<string, WireValue> = {};
    const expected: Record<string, WireValue> = {};
    for (const change of columns) {
      if (change.column === PARENT_COLUMN) this.#reparent(row, live);
      else if (change.column !== 'external_ids') this.#updateColumn(row, live, change, updated, expected);
    }
    const { stale, fresh } = markMutation(live, this.#marks(row));
    this.#mutations.changeMap(row.table, live.uuid, 'external_ids', stale, fresh);
    if (Object.keys(updated).length > 0) {
      const guard = guardColumns(row.table, live.uuid, expected);
      const update: Operation = {
        op: 'update',
        table: row.table,
        where: [whereUuid(live.uuid)],
        row: updated,
      };
      this.#guards.push(guard);
      this.#updates.push(update);
      this.#keys.set(guard, row.key);
      this.#keys.set(update, row.key);
    } else {
      this.#guardExists(row.table, live.uuid, row.key);
    }
  }

  #updateColumn(
    row: NbRow,
    live: LiveRow,
    change: ColumnChange,
    updated: Record<string, WireValue>,
    expected: Record<string, WireValue>,
  ): void {
    const rule = COLUMNS[row.table][change.column];
    if (rule === undefined) return;
    const { column } = change;
    switch (rule.kind) {
      case 'value':
      case 'reference': {
        const schema = this.#input.schema.tables.get(row.table)?.columns.get(column);
        updated[column] = change.to === undefined ? emptyValue(schema) : this.#encode(change.to);
        expected[column] = encodeLive(live.columns[column], schema);
        return;
      }
      case 'set':
        this.#mutations.changeSet(row.table, live.uuid, column, texts(change.from), texts(change.to));
        return;
      case 'references':
        this.#mutations.changeReferences(
          row.table,
          live.uuid,
          column,
          this.#uuids(this.#part.leaving(change.from)),
          this.#uuids(this.#part.within(change.to)),
        );
        return;
      case 'map': {
        const to = mapEntries(change.to);
        const from = mapEntries(change.from);
        const stale = Object.keys(from).filter((name) => from[name] !== to[name]);
        const fresh = Object.entries(to).filter(([name, value]) => from[name] !== value);
        this.#mutations.changeMap(row.table, live.uuid, column, stale, Object.fromEntries(fresh));
        return;
      }
    }
  }

  #reparent(row: NbRow, live: LiveRow): void {
    if (row.parent === undefined) return;
    const wanted = this.#uuidOf(row.parent.key);
    for (const holder of parentHolders(this.#input.live, live)) {
      const isWanted = holder.uuid === wanted && holder.column === row.parent.column;
      if (!isWanted && !this.#doomed.has(holder.uuid)) this.#mutations.leave(holder, live.uuid);
    }
    this.#join(row.parent.key, row.parent.column, live.uuid);
  }

  #join(parent: RowKey, column: string, uuid: string): void {
    const inserted = this.#inserts.get(parent);
    if (inserted !== undefined) {
      inserted.children ??= {};
      const members = inserted.children[column];
      if (members === undefined) inserted.children[column] = [uuid];
      else members.push(uuid);
      return;
    }
    const { table } = this.#row(parent);
    const parentUuid = this.#uuidOf(parent);
    this.#guardExists(table, parentUuid, parent);
    this.#mutations.join({ table, uuid: parentUuid, column }, uuid);
  }

  #delete(change: Change, row: LiveRow): void {
    const guard = guardMark(row.table, row.uuid, this.#input.owner, change.key);
    this.#guards.push(guard);
    this.#keys.set(guard, change.key);
    const isRoot = this.#input.schema.tables.get(row.table)?.isRoot === true;
    if (isRoot) {
      const operation: Operation = { op: 'delete', table: row.table, where: [whereUuid(row.uuid)] };
      this.#deletes.push(operation);
      this.#keys.set(operation, change.key);
      return;
    }
    for (const holder of parentHolders(this.#input.live, row)) {
      if (!this.#doomed.has(holder.uuid)) this.#mutations.leave(holder, row.uuid);
    }
  }

  #guardExists(table: string, uuid: string, key: RowKey): void {
    if (this.#guarded.has(uuid)) return;
    this.#guarded.add(uuid);
    const guard = guardRow(table, uuid);
    this.#guards.push(guard);
    this.#keys.set(guard, key);
  }

  #doomedRows(change: Change): readonly LiveRow[] {
    const rows = this.#input.live.withKey(change.key);
    const desired = this.#input.desired.row(change.key);
    if (desired === undefined) return rows;
    return matchingRows(this.#input, desired).slice(1);
  }

  #row(key: RowKey): NbRow {
    const row = this.#input.desired.row(key);
    if (row === undefined) throw new Error(`invariant: ${key} is not desired`);
    return row;
  }

  #liveRow(row: NbRow): LiveRow {
    const [live] = matchingRows(this.#input, row);
    if (live === undefined) throw new Error(`invariant: ${row.key} is not in the database`);
    return live;
  }

  /** The UUID of the row in the database, or the one it will have. */
  #uuidOf(key: RowKey): string {
    const inserted = this.#inserts.get(key);
    if (inserted !== undefined) return inserted.uuid;
    const row = this.#input.desired.row(key);
    const [live] = row === undefined ? this.#input.live.withKey(key) : matchingRows(this.#input, row);
    const { owner } = this.#input;
    return live?.uuid ?? (row === undefined ? rowUuid(owner, key) : ownUuid(owner, row));
  }

  #marks(row: NbRow): Readonly<Record<string, string>> {
    const marks = rowMarks(this.#input.owner, row, this.#input.accepted.commit);
    return this.#part.isWhole(row) ? marks : { ...marks, [MARK.hash]: INCOMPLETE_HASH };
  }

  /** True for a row that is there once this is written. */
  #isThere(key: RowKey): boolean {
    const row = this.#input.desired.row(key);
    return this.#inserts.has(key) || (row !== undefined && matchingRows(this.#input, row).length > 0);
  }

  #uuids(value: NbValue | undefined): readonly string[] {
    return referencesOf(value).map((member) => this.#uuidOf(member.ref));
  }

  #encode(value: NbValue): WireValue {
    return encodeNbValue(value, (key) => this.#uuidOf(key));
  }
}

/** A row to be inserted. */
interface Insert {
  readonly table: string;
  readonly uuid: string;
  readonly row: Record<string, WireValue>;
  /** Its children among the new rows, by column. */
  children: Record<string, string[]> | undefined;
}

function insertOperation({ table, uuid, row, children }: Insert): Operation {
  for (const column in children) row[column] = encodeUuids(children[column] ?? []);
  return { op: 'insert', table, uuid, row };
}

function texts(value: NbValue | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly string[]) : [];
}
