import { afterEach, beforeEach, expect, test } from 'vitest';
import { applyFiles, openTestNorthbound } from '../support/apply-harness.ts';
import { dumpOf } from '../support/canonical.ts';
import { exampleFiles } from '../support/examples.ts';
import type { OvsdbServer } from '../support/ovsdb-server.ts';
import { startOvsdbServer } from '../support/ovsdb-server.ts';
import { HISTORY } from '../examples/history.ts';

const NB_SCHEMA = '/usr/share/ovn/ovn-nb.ovsschema';
const servers: OvsdbServer[] = [];

beforeEach(async () => {
  servers.push(
    await startOvsdbServer({ schemaFile: NB_SCHEMA }),
    await startOvsdbServer({ schemaFile: NB_SCHEMA }),
  );
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

test('a second apply of the examples writes nothing', async () => {
  const northbound = await openTestNorthbound(servers[0]!.endpoint);
  const files = await exampleFiles();
  const first = await applyFiles(northbound, files);
  expect(first.failed).toEqual([]);
  expect(first.written.length).toBeGreaterThan(4);
  const second = await applyFiles(northbound, files);
  expect(second).toMatchObject({ written: [], failed: [] });
  await northbound.close();
});

test('a Northbound rebuilt from Git equals the one it replaces', async () => {
  const files = await exampleFiles();
  const dumps: string[] = [];
  for (const server of servers) {
    const northbound = await openTestNorthbound(server.endpoint);
    expect((await applyFiles(northbound, files)).failed).toEqual([]);
    await northbound.close();
    dumps.push(await dumpOf(server.endpoint));
  }
  expect(dumps[1]).toBe(dumps[0]);
  expect(dumps[0]).toContain('Logical_Router/shop');
});

test('reverting any commit of a history gives back the same rows, and every path to a state leads to the same rows', async () => {
  const northbound = await openTestNorthbound(servers[0]!.endpoint);
  const files = new Map(Object.entries(await exampleFiles()));
  let number = 0;
  const apply = async (texts: ReadonlyMap<string, string>): Promise<string> => {
    number += 1;
    const result = await applyFiles(
      northbound,
      Object.fromEntries(texts),
      number.toString(16).padStart(40, '0'),
    );
    expect(result.failed).toEqual([]);
    return dumpOf(servers[0]!.endpoint);
  };
  let before = await apply(files);
  for (const step of HISTORY) {
    const old = new Map(files);
    step.edit(files);
    const after = await apply(files);
    expect(await apply(old), `revert of "${step.subject}"`).toBe(before);
    expect(await apply(files), `again "${step.subject}"`).toBe(after);
    before = after;
  }
  await northbound.close();
  const fresh = await openTestNorthbound(servers[1]!.endpoint);
  expect((await applyFiles(fresh, Object.fromEntries(files))).failed).toEqual([]);
  await fresh.close();
  expect(await dumpOf(servers[1]!.endpoint)).toBe(before);
});
