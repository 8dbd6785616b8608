import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compile, type Compiled } from '../../src/compile/compile.ts';
import { loadNb } from '../support/load-nb.ts';
import { type OvnCentral, startCentral } from '../support/ovn-central.ts';
import { exampleFiles, validateMap } from './example-files.ts';
import { type Flow, readFlows } from './flows.ts';
import { HISTORY } from './history.ts';
import { PacketWalker } from './packet-walk.ts';

let central: OvnCentral;
let compiled: Compiled;
let walker: PacketWalker;

beforeAll(async () => {
  central = await startCentral();
  // ovn-northd asks for the nodes that documents name.
  for (const [index, chassis] of ['gw-1', 'gw-2', 'node-3'].entries()) {
    central.sbctl('chassis-add', chassis, 'geneve', `127.0.0.${index + 2}`);
  }
  await load(await exampleFiles());
  walker = new PacketWalker(central, compiled);
  walker.learnProvider();
});
afterAll(async () => {
  await central.stop();
});

test('ovn-northd translates the example network without a complaint', () => {
  expect(central.northdComplaints()).toEqual([]);
});

describe.each([...readFlows()])('%s', (_, flows) => {
  test.each(flows.map((flow): [string, Flow] => [flow.name, flow]))('%s', (__, flow) => {
    expectVerdict(flow);
  });
});

test('ovn-northd translates every commit of the history without a complaint', async () => {
  const files = await exampleFiles();
  for (const step of HISTORY) {
    step.edit(files);
    await load(files);
    expect(central.northdComplaints(), step.subject).toEqual([]);
  }
});

async function load(files: ReadonlyMap<string, string>): Promise<void> {
  compiled = compile(validateMap(files).set);
  await loadNb(central.nb, compiled.nb);
  central.settle();
}

function expectVerdict(flow: Flow): void {
  const { expect: verdict } = flow;
  const { outputs, source, learned, last, trace } = walker.walk(flow);
  switch (verdict.kind) {
    case 'reaches':
      expect(outputs, trace).toEqual([walker.logicalPort(verdict.port)]);
      break;
    case 'balanced':
      expect(
        verdict.ports.map((port) =>
          learned === undefined ? walker.logicalPort(port) : walker.address(port),
        ),
        trace,
      ).toContain(learned ?? outputs[0]);
      break;
    case 'leaves':
      expect(outputs, trace).toEqual(['internet:localnet']);
      expect(source, trace).toBe(verdict.source);
      break;
    case 'stopped':
      expect(outputs, trace).toEqual([]);
      for (const cause of verdict.by) expect(last, trace).toMatch(cause);
      break;
  }
}
