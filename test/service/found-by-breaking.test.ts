import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { acceptedKey } from '../../src/model/fence.ts';
import { dumpOf } from '../support/canonical.ts';
import { eventually, type Installation, startInstallation } from '../support/installation.ts';
import { nbctl } from '../support/nbctl.ts';

let installation: Installation;
let round = 0;

beforeAll(async () => {
  installation = await startInstallation(['redis', 'northbound']);
  await installation.startWorker();
  await installation.startController();
});

afterAll(async () => {
  await installation?.stop();
});

function document(kind: string, name: string, spec: string): string {
  return `apiVersion: ovn-gitops.io/v1\nkind: ${kind}\nmetadata: {name: ${name}}\nspec: ${spec}\n`;
}

/** Two VPCs; the subnets of the first are given. `drift` goes into the Repository. */
function specs(subnets: readonly string[], drift = '[]'): Record<string, string> {
  return {
    'network.yaml': [
      document('Repository', 'all', `{deleteBudget: {percent: 100}, drift: ${drift}}`),
      document('Vpc', 'shop', '{}'),
      document('Vpc', 'lab', '{}'),
      document('Subnet', 'lab-net', '{vpc: lab, cidrs: [10.9.0.0/24]}'),
      ...subnets.map((name, index) => document('Subnet', name, `{vpc: shop, cidrs: [10.0.${index}.0/24]}`)),
      ...subnets.map((name) => document('Port', `${name}-port`, `{subnet: ${name}}`)),
    ].join('---\n'),
    'bad.yaml': '# nothing\n',
  };
}

const nb = (...args: readonly string[]): string => nbctl(installation.servers.northbound, ...args);
const dump = (): Promise<string> => dumpOf(installation.servers.northbound);

async function push(files: Record<string, string>): Promise<string> {
  round += 1;
  const commit = await installation.repository.commit(`round ${round}`, files);
  await eventually(`${commit} is in force`, async () => {
    const source = await installation.store.source();
    return source?.serving?.commit === commit && source.condition === 'Ready';
  });
  return commit;
}

async function settle(): Promise<string> {
  await eventually('the rows are there', async () => (await dump()).includes(`Logical_Switch/s${round}`));
  await eventually('all units are Ready', async () =>
    (await installation.store.units()).every((unit) => unit.condition === 'Ready'),
  );
  return dump();
}

beforeEach(async () => {
  await push(specs([`s${round + 1}`, 'extra']));
  await settle();
});

test('a push while the Northbound is frozen is written when it thaws', async () => {
  const pid = installation.servers.pids.northbound ?? 0;
  process.kill(pid, 'SIGSTOP');
  const commit = await installation.repository.commit('while frozen', specs(['thawed']));
  await eventually(
    'the controller notices',
    async () => (await installation.store.source())?.reason === 'NbUnavailable',
    60_000,
  );
  process.kill(pid, 'SIGCONT');
  await eventually(
    'it is accepted',
    async () => (await installation.store.source())?.serving?.commit === commit,
  );
  await eventually('and written', async () => (await dump()).includes('Logical_Switch/thawed'));
});

test.each(['hello', '999999999999999 abc', '7 0123456789012345678901234567890123456789'])(
  'a forged record "%s" is replaced',
  async (text) => {
    const before = await dump();
    nb('set', 'NB_Global', '.', `external_ids:"${acceptedKey('test')}"="${text}"`);
    const head = await installation.repository.git('rev-parse', 'HEAD');
    await eventually('the record is ours again', () =>
      nb('get', 'NB_Global', '.', 'external_ids').includes(`${head}"`),
    );
    nb('ls-del', 'extra');
    await eventually('drift is repaired', async () => (await dump()) === before);
  },
);

test('a row that is moved to a parent of another unit comes back', async () => {
  const before = await dump();
  const uuid = nb('--bare', '--columns=_uuid', 'find', 'Logical_Switch_Port', 'name=extra-port').trim();
  nb(
    'remove',
    'Logical_Switch',
    'extra',
    'ports',
    uuid,
    '--',
    'add',
    'Logical_Switch',
    'lab-net',
    'ports',
    uuid,
  );
  await eventually('it is back', async () => (await dump()) === before);
  nb('ls-add', 'theirs', '--', 'add', 'Logical_Switch', 'theirs', 'ports', uuid);
  await eventually(
    'the second parent has let go',
    () => nb('--bare', '--columns=ports', 'list', 'Logical_Switch', 'theirs').trim() === '',
  );
  nb('ls-del', 'theirs');
});

test('the last good revision is restored when the record is lost while the tip is bad', async () => {
  const before = await dump();
  const good = await installation.repository.git('rev-parse', 'HEAD');
  await installation.repository.commit('bad', { 'bad.yaml': 'kind: [' });
  await eventually(
    'the tip is refused',
    async () => (await installation.store.source())?.reason === 'Invalid',
  );
  nb(
    'clear',
    'NB_Global',
    '.',
    'external_ids',
    '--',
    '--all',
    'destroy',
    'Logical_Switch',
    '--',
    '--all',
    'destroy',
    'Logical_Router',
  );
  await eventually('the network is back', async () => (await dump()) === before);
  expect((await installation.store.source())?.serving?.commit ?? good).toBe(good);
});

test('a row that is left missing by policy keeps nothing else of its unit from being repaired', async () => {
  await push(specs([`s${round + 1}`, 'extra'], "[{rows: 'Logical_Switch/extra', policy: report}]"));
  await settle();
  nb('ls-del', 'extra');
  await eventually(
    'it is reported',
    async () => (await installation.store.drift(1))[0]?.outcome === 'reported',
  );
  nb('set', 'Logical_Router', 'shop', 'enabled=false');
  await eventually(
    'the router is repaired',
    () => nb('get', 'Logical_Router', 'shop', 'enabled').trim() === '[]',
  );
  await eventually('the status names it', async () => {
    const unit = (await installation.store.units()).find((one) => one.unit === 'vpc/shop');
    return unit?.reason === 'DriftReported' && unit.message.includes('extra');
  });
  expect(await dump()).not.toContain('"Logical_Switch/extra": {');
});

test('a row that somebody insists on is left and named, and the rest is repaired', async () => {
  const isContested = async (): Promise<boolean> => {
    const unit = (await installation.store.units()).find((one) => one.unit === 'vpc/shop');
    return unit?.reason === 'Contested' && unit.message.includes('Logical_Router/shop');
  };
  const isRepaired = (): boolean => nb('get', 'Logical_Router', 'shop', 'enabled').trim() === '[]';
  for (let edit = 0; edit < 20 && !(await isContested()); edit += 1) {
    nb('set', 'Logical_Router', 'shop', 'enabled=false');
    await eventually('it is repaired, or left', async () => isRepaired() || (await isContested()));
  }
  const unit = (await installation.store.units()).find((one) => one.unit === 'vpc/shop');
  expect(unit).toMatchObject({ condition: 'Stalled', reason: 'Contested' });
  expect(nb('get', 'Logical_Router', 'shop', 'enabled').trim()).toBe('false');
  nb('lsp-del', 'extra-port');
  await eventually(
    'other rows are repaired',
    () =>
      nb('--bare', '--columns=name', 'find', 'Logical_Switch_Port', 'name=extra-port').trim() ===
      'extra-port',
  );
  await push(specs([`s${round + 1}`, 'extra']));
  await eventually(
    'the next revision repairs it',
    () => nb('get', 'Logical_Router', 'shop', 'enabled').trim() === '[]',
  );
});
