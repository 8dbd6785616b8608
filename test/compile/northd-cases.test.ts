import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile } from '../../src/compile/compile.ts';
import { validateFiles } from '../../src/spec/validate.ts';
import { loadNb } from '../support/load-nb.ts';
import { type OvnCentral, startCentral } from '../support/ovn-central.ts';
import { largeNetwork } from './large-network.ts';

const CASES = path.join(import.meta.dirname, '..', 'cases');
const cases = readdirSync(CASES).filter((name) => existsSync(path.join(CASES, name, 'nb.yaml')));

let central: OvnCentral;
beforeAll(async () => {
  central = await startCentral();
});
afterAll(async () => {
  await central.stop();
});

/** Loads rows; ovn-northd must not complain, and ovn-trace must be able to read every flow that came of them. */
async function judge(nb: ReturnType<typeof compile>['nb']): Promise<void> {
  await loadNb(central.nb, nb);
  central.settle();
  // There are no chassis here, so a port that asks for one has to be told so.
  const complaints = central.northdComplaints().filter((line) => !line.includes('Unknown chassis'));
  expect(complaints).toEqual([]);
  const port = [...nb.rows.values()].find(({ table }) => table === 'Logical_Switch_Port');
  if (port !== undefined) {
    central.trace({
      flow: `inport == "${port.columns['name'] as string}" && arp.op == 1 && eth.src == 0a:00:00:00:00:01`,
    });
  }
}

test.each(cases)('ovn-northd takes %s as it is', async (name) => {
  const specs = path.join(CASES, name, 'specs');
  const files = readdirSync(specs, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => ({ path: file, text: readFileSync(path.join(specs, file), 'utf8') }));
  await judge(compile(validateFiles(files).set).nb);
});

test('ovn-northd takes a network with everything in it', async () => {
  await judge(compile(largeNetwork(5, 40)).nb);
});

test('a match that OVN cannot read is noticed', async () => {
  const { nb } = compile(largeNetwork(1, 4));
  const rows = new Map(
    [...nb.rows].map(([key, row]) => [
      key,
      row.table === 'ACL' ? { ...row, columns: { ...row.columns, match: 'outport == @no-such' } } : row,
    ]),
  );
  await expect(judge({ rows })).rejects.toThrow(/error parsing match|Syntax error/);
});
