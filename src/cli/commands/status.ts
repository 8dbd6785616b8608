import type { SourceStatus, UnitStatus } from '../../model/status.ts';
import type { Command } from '../command.ts';
import { FORMAT_OPTION } from '../command.ts';
import { printTable, printTime } from '../print-table.ts';
import { STORE_OPTIONS, withStore } from '../store-options.ts';

/** `ovn-gitops status` */
export const STATUS: Command = {
  name: 'status',
  summary: 'Show which commit the network serves, and how far each unit has got.',
  positionals: [],
  options: { ...STORE_OPTIONS, format: FORMAT_OPTION },
  exitCodes: [
    '0  everything is Ready',
    '2  something is Reconciling or Stalled',
    '1  an error; nothing is known',
  ],
  run: (input, parts) =>
    withStore(input, parts, async (store) => {
      const [source, units] = [await store.source(), await store.units()];
      if (input.required('format') === 'json') {
        parts.out(`${JSON.stringify({ source: source ?? null, units }, undefined, 2)}\n`);
      } else {
        parts.out(printStatus(source, units));
      }
      const isReady = source?.condition === 'Ready' && units.every((unit) => unit.condition === 'Ready');
      return isReady ? 0 : 2;
    }),
};

/** The status as people read it. */
function printStatus(source: SourceStatus | undefined, units: readonly UnitStatus[]): string {
  const lines: string[] = [];
  if (source === undefined) lines.push('source   not looked at yet');
  else {
    const { serving, seen } = source;
    lines.push(`source   ${source.url}`);
    lines.push(
      `serving  ${serving === undefined ? 'nothing yet' : `revision ${serving.sequence}, commit ${serving.commit.slice(0, 12)}`}`,
    );
    if (seen !== undefined && seen !== serving?.commit) lines.push(`git at   ${seen.slice(0, 12)}`);
    lines.push(`${source.condition.padEnd(8)} ${source.reason}: ${source.message}`);
    if (source.diagnostics !== '') lines.push('', source.diagnostics.trimEnd());
  }
  const rows = units.map((unit) => [
    unit.unit,
    unit.condition,
    unit.reason,
    String(unit.sequence),
    printConvergence(unit),
    printTime(unit.at),
    unit.condition === 'Ready' ? '' : unit.message,
  ]);
  lines.push('', printTable(['UNIT', 'CONDITION', 'REASON', 'REVISION', 'PROVEN', 'SINCE', ''], rows));
  return `${lines.join('\n')}\n`;
}

function printConvergence(unit: UnitStatus): string {
  const { convergence } = unit;
  if (convergence === undefined) return '-';
  if (convergence.translatedAt === undefined) return 'committed';
  if (convergence.chassis === undefined) return 'translated';
  const { caughtUp, total, behind } = convergence.chassis;
  if (total === 0) return 'translated, no chassis';
  const names =
    behind.length === 0 ? '' : ` (behind: ${behind.slice(0, 3).join(', ')}${behind.length > 3 ? ', …' : ''})`;
  return `${caughtUp}/${total} chassis${names}`;
}
