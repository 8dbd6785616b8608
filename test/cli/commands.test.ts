import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../../src/cli/run.ts';
import { cliParts } from '../../src/main/cli-parts.ts';
import { type GitRepository, makeFolder, makeRepository, removeFolder } from '../support/git-repository.ts';
import { nbctl } from '../support/nbctl.ts';
import { type OvsdbServer, startOvsdbServer } from '../support/ovsdb-server.ts';

let folder: string;
let repository: GitRepository;
let server: OvsdbServer;

const NETWORK = `apiVersion: ovn-gitops.io/v1
kind: Vpc
metadata: {name: shop}
spec: {}
---
apiVersion: ovn-gitops.io/v1
kind: Subnet
metadata: {name: web}
spec: {vpc: shop, cidrs: [10.0.1.0/24]}
---
apiVersion: ovn-gitops.io/v1
kind: Port
metadata: {name: web-1}
spec: {subnet: web}
`;

beforeAll(async () => {
  folder = await makeFolder();
  repository = await makeRepository(folder);
  await repository.commit('first', { 'network.yaml': NETWORK });
  server = await startOvsdbServer({ schemaFile: '/usr/share/ovn/ovn-nb.ovsschema' });
});

afterAll(async () => {
  await server?.stop();
  await removeFolder(folder);
});

async function run(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const parts = {
    ...cliParts({}, AbortSignal.timeout(60_000)),
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
  };
  const code = await runCli(args, {}, '1.2.3', parts);
  return { code, out, err };
}

describe('usage', () => {
  test('without a command it says what there is', async () => {
    expect(await run()).toMatchObject({ code: 1, out: expect.stringContaining('Commands:') as string });
    expect(await run('--help')).toMatchObject({ code: 0 });
    expect(await run('--version')).toEqual({ code: 0, out: 'ovn-gitops 1.2.3\n', err: '' });
  });

  test.each([
    [['plam'], 'there is no command "plam"'],
    [['ovsdb', 'dmup'], 'ovn-gitops ovsdb: there is no command "dmup"'],
    [['ovsdb', 'dump'], 'ENDPOINT is missing'],
    [['validate'], 'PATH is missing'],
    [['validate', 'a', 'b'], '"b" is one argument too many'],
    [['plan', '.', '--nope'], "Unknown option '--nope'"],
    [['plan', '.', '--format', 'xml'], '--format is text or json, not "xml"'],
    [['plan', '.', '--nb'], 'argument missing'],
  ])('%s is refused with a sentence', async (args, message) => {
    const { code, out, err } = await run(...args);
    expect(code).toBe(1);
    expect(out).toBe('');
    expect(err).toContain(message);
  });

  test('every command explains itself', async () => {
    const overview = (await run('--help')).out;
    const names = [...overview.matchAll(/^ {2}([a-z]+(?: [a-z]+)?) {2,}/gm)].map((match) => match[1] ?? '');
    expect(names).toEqual(
      expect.arrayContaining([
        'validate',
        'render',
        'plan',
        'apply',
        'status',
        'history',
        'drift',
        'up',
        'controller',
        'worker',
        'ovsdb dump',
        'ovsdb monitor',
        'ovsdb transact',
        'ovsdb diff',
        'ovsdb generate',
      ]),
    );
    for (const name of names) {
      const { code, out } = await run(...name.split(' '), '--help');
      expect(code).toBe(0);
      expect(out).toContain(`Usage: ovn-gitops ${name}`);
      expect(out).toContain('Exit codes:');
    }
  });
});

describe('looking', () => {
  test('validate and render', async () => {
    expect(await run('validate', repository.directory)).toMatchObject({
      code: 0,
      out: 'valid: 1 units, 5 Northbound rows\n',
    });
    const { out } = await run('render', repository.directory);
    expect(JSON.parse(out)).toHaveProperty(
      ['Logical_Switch_Port', 'Logical_Switch_Port/web-1', 'name'],
      'web-1',
    );
  });

  test('validate names every fault, as text or as JSON', async () => {
    const bad = await makeRepository(folder);
    await bad.commit('bad', { 'a.yaml': NETWORK.replace('10.0.1.0/24', '10.0.1.7/24'), 'b.yaml': 'kind: [' });
    const text = await run('validate', bad.directory);
    expect(text.code).toBe(1);
    expect(text.err).toMatch(/a\.yaml:9:27: error\[SCH206\]/);
    expect(text.err).toMatch(/b\.yaml:1:8: error\[YAM101\]/);
    const json = await run('validate', bad.directory, '--format', 'json');
    expect(json.code).toBe(1);
    expect(JSON.parse(json.out)).toHaveLength(2);
  });

  test('plan compares with nothing, with a commit, or says that it does not know with what', async () => {
    expect(await run('plan', repository.directory, '--empty')).toMatchObject({ code: 2 });
    expect(await run('plan', repository.directory, '--base', 'HEAD')).toMatchObject({ code: 0 });
    expect(await run('plan', repository.directory)).toMatchObject({
      code: 1,
      err: expect.stringContaining('--nb') as string,
    });
    const missing = await run('plan', repository.directory, '--base', 'nosuch');
    expect(missing.code).toBe(1);
    expect(missing.err).toContain('nosuch');
    const both = await run('plan', repository.directory, '--base', 'HEAD', '--nb', server.endpoint);
    expect(both).toMatchObject({ code: 1, err: expect.stringContaining('choose one of') as string });
    const json = JSON.parse((await run('plan', repository.directory, '--empty', '--format', 'json')).out) as {
      plans: unknown[];
    };
    expect(json.plans).toHaveLength(1);
  });

  test('a path that is not there is an error, not an empty repository', async () => {
    const { code, err } = await run('validate', path.join(folder, 'nowhere'));
    expect(code).toBe(1);
    expect(err).toContain('nowhere');
  });
});

describe('against a Northbound', () => {
  test('plan, apply, plan again, dump', async () => {
    const nb = ['--nb', server.endpoint] as const;
    expect(await run('plan', repository.directory, ...nb)).toMatchObject({ code: 2 });
    expect(await run('apply', repository.directory, ...nb)).toMatchObject({ code: 0, err: '' });
    expect(nbctl(server.endpoint, '--bare', '--columns=name', 'list', 'Logical_Switch').trim()).toBe('web');
    expect(await run('plan', repository.directory, ...nb)).toMatchObject({ code: 0 });
    expect(await run('apply', repository.directory, ...nb, '--head', 'HEAD')).toMatchObject({ code: 0 });
    const dump = JSON.parse((await run('dump', ...nb)).out) as Record<string, unknown>;
    expect(dump).toHaveProperty(['Logical_Router', 'Logical_Router/shop']);
  });

  test('a mass deletion is held until it is allowed', async () => {
    const nb = ['--nb', server.endpoint, '--owner', 'careful'] as const;
    const subnets = Array.from({ length: 12 }, (_, index) =>
      NETWORK.replace('web}', `web-${index}}`).split('---\n')[1]?.replace('10.0.1.0', `10.0.${index}.0`),
    );
    const own = await makeRepository(folder);
    await own.write({ 'network.yaml': [NETWORK.split('---\n')[0], ...subnets].join('---\n') });
    expect(await run('apply', own.directory, ...nb)).toMatchObject({ code: 0 });
    await own.write({ 'network.yaml': '# nothing\n' });
    const held = await run('apply', own.directory, ...nb);
    expect(held.code).toBe(1);
    expect(held.err).toMatch(/held: would delete \d+ of \d+ rows/);
    expect(await run('apply', own.directory, ...nb, '--allow')).toMatchObject({ code: 0 });
  });

  test('one that does not answer is named', async () => {
    const { code, err } = await run(
      'plan',
      repository.directory,
      '--nb',
      'unix:/nowhere.sock',
      '--timeout',
      '1s',
    );
    expect(code).toBe(1);
    expect(err).toContain('no Northbound answered at unix:/nowhere.sock within 1 s');
    expect(await run('plan', repository.directory, '--nb', 'nonsense')).toMatchObject({
      code: 1,
      err: expect.stringContaining('nonsense') as string,
    });
  });
});

describe('lock', () => {
  test('pins automatic addresses, follows the repository, and mends what does not fit', async () => {
    const own = await makeRepository(folder);
    const lock = (): Promise<string> => readFile(path.join(own.directory, 'ovn-gitops.lock.yaml'), 'utf8');
    await own.commit('first', { 'network.yaml': NETWORK });
    expect(await run('lock', own.directory, '--check')).toMatchObject({ code: 2 });
    expect(await run('lock', own.directory)).toMatchObject({ code: 0 });
    expect(await run('lock', own.directory, '--check')).toMatchObject({ code: 0 });
    expect(await lock()).toMatch(/"web-1": \["10\.0\.1\.\d+"\]/);
    expect(await run('validate', own.directory)).toMatchObject({ code: 0, err: '' });

    // A port that is gone is out of date, not wrong.
    await own.write({ 'network.yaml': NETWORK.replace('web-1', 'web-2') });
    const stale = await run('validate', own.directory);
    expect(stale.code).toBe(0);
    expect(stale.err).toContain('warning[ADR416]');
    expect(await run('lock', own.directory)).toMatchObject({ code: 0 });
    expect(await lock()).not.toContain('web-1');

    // A renumbered subnet makes the entry wrong; writing the file anew mends it.
    await own.write({
      'network.yaml': NETWORK.replace('web-1', 'web-2').replace('10.0.1.0/24', '10.0.9.0/24'),
    });
    expect(await run('validate', own.directory)).toMatchObject({ code: 1 });
    expect(await run('lock', own.directory)).toMatchObject({ code: 0 });
    expect(await lock()).toMatch(/"web-2": \["10\.0\.9\.\d+"\]/);
    expect(await run('validate', own.directory)).toMatchObject({ code: 0, err: '' });
  });
});
