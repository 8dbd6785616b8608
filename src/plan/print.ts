import { sha256Hex } from '../lib/hash.ts';
import { sortedRecord } from '../lib/order.ts';
import { MARK } from '../model/marks.ts';
import type { NbValue, Ref } from '../model/nb.ts';
import type { Change, ColumnChange, Plan } from '../model/plan.ts';
import { mapEntries } from './compare.ts';
import { isInParts } from './first-part.ts';

/**
 * A plan as people read it: a line per change, then what waits, what is written in parts for `limit` operations in one
 * transaction, the hazards, and the sums. Same plan, same text.
 */
export function printPlans(plans: readonly Plan[], limit: number = Infinity): string {
  const lines: string[] = [];
  for (const plan of plans) {
    if (plan.changes.length + plan.deferred.length + plan.reported.length === 0) continue;
    lines.push(plan.unit);
    for (const change of plan.changes) lines.push(...printChange(change));
    for (const change of plan.reported)
      lines.push(...printChange(change).map((line) => `${line} (left: policy report)`));
    for (const wait of plan.deferred)
      lines.push(`  … ${wait.key}  ${wait.reason}: ${wait.waitsFor.join(', ')}`);
  }
  for (const plan of plans) {
    if (isInParts(plan, limit))
      lines.push(
        `${plan.unit} is written in parts of ${limit} operations, policy first (limits.transactionOperations)`,
      );
  }
  for (const plan of plans) {
    for (const hazard of plan.hazards) lines.push(`! ${hazard.code} ${hazard.key}: ${hazard.message}`);
  }
  lines.push(planSummary(plans));
  return `${lines.join('\n')}\n`;
}

/** `2 to create, 1 to update, 0 to delete; 1 hazard` */
function planSummary(plans: readonly Plan[]): string {
  const count = (kind: Change['kind']): number =>
    plans.reduce((sum, plan) => sum + plan.changes.filter((change) => change.kind === kind).length, 0);
  const hazards = plans.reduce((sum, plan) => sum + plan.hazards.length, 0);
  const deferred = plans.reduce((sum, plan) => sum + plan.deferred.length, 0);
  const parts = [`${count('create')} to create, ${count('update')} to update, ${count('delete')} to delete`];
  if (deferred > 0) parts.push(`${deferred} waiting for another unit`);
  parts.push(hazards === 0 ? 'no hazards' : hazards === 1 ? '1 hazard' : `${hazards} hazards`);
  return parts.join('; ');
}

/** A change as one line, or one line per column when several of them change. */
export function printChange(change: Change): readonly string[] {
  const cause = change.cause === 'drift' ? ' (drift)' : '';
  switch (change.kind) {
    case 'create':
      return [`  + ${change.key}${cause}  ${printColumns(change.columns)}`];
    case 'delete':
      return [
        `  - ${change.key}${cause}${change.reason === 'duplicate' ? '  (second row of one identity)' : ''}  ${printColumns(change.columns)}`,
      ];
    case 'update':
      return shownColumns(change.columns).map(
        (column) => `  ~ ${change.key}${cause}  ${printColumnChange(column)}`,
      );
  }
}

/** The fingerprint of a row follows from its other columns: it is shown only where nothing else changed. */
function shownColumns(columns: readonly ColumnChange[]): readonly ColumnChange[] {
  const shown = columns.filter((change) => change.column !== 'external_ids' || !isFingerprintOnly(change));
  return shown.length === 0 ? columns : shown;
}

function isFingerprintOnly(change: ColumnChange): boolean {
  const [from, to] = [mapEntries(change.from), mapEntries(change.to)];
  const names = [...Object.keys(from), ...Object.keys(to)].filter((name) => from[name] !== to[name]);
  return names.every((name) => name === MARK.hash);
}

function printColumnChange(change: ColumnChange): string {
  if (isRecord(change.from) || isRecord(change.to)) {
    const from = (change.from ?? {}) as Readonly<Record<string, string>>;
    const to = (change.to ?? {}) as Readonly<Record<string, string>>;
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])].filter(
      (name) => from[name] !== to[name],
    );
    return names
      .map((name) => `${change.column}:${name}: ${from[name] ?? '∅'} -> ${to[name] ?? '∅'}`)
      .join(', ');
  }
  return `${change.column}: ${printValue(change.from)} -> ${printValue(change.to)}`;
}

function printColumns(columns: Readonly<Record<string, NbValue>>): string {
  return Object.entries(sortedRecord(columns))
    .map(([name, value]) => `${name}=${printValue(value)}`)
    .join(' ');
}

/** A value on one line; ∅ for none. */
function printValue(value: NbValue | undefined): string {
  if (value === undefined) return '∅';
  if (typeof value !== 'object')
    return typeof value === 'string' && /[\s"]|^$/.test(value) ? JSON.stringify(value) : String(value);
  if (Array.isArray(value)) return `[${(value as readonly (string | Ref)[]).map(printMember).join(', ')}]`;
  if ('ref' in value && typeof value.ref === 'string' && Object.keys(value).length === 1) return value.ref;
  return `{${Object.entries(value as Readonly<Record<string, string>>)
    .map(([name, text]) => `${name}=${text}`)
    .join(', ')}}`;
}

function printMember(member: string | Ref): string {
  return typeof member === 'string' ? member : member.ref;
}

function isRecord(value: NbValue | undefined): value is Readonly<Record<string, string>> {
  return typeof value === 'object' && !Array.isArray(value) && !('ref' in value);
}

/** `2 created, 1 updated, 0 deleted`: what a plan wrote once it is committed. */
export function unitSummary(plan: Plan): string {
  const count = (kind: Change['kind']): number =>
    plan.changes.filter((change) => change.kind === kind).length;
  return `${count('create')} created, ${count('update')} updated, ${count('delete')} deleted`;
}

/** Names what a set of plans would write: equal plans, equal fingerprint, whenever and wherever they were made. */
export function planFingerprint(plans: readonly Plan[]): string {
  return sha256Hex(JSON.stringify(plans.map((plan) => [plan.unit, plan.changes, plan.deferred])));
}
