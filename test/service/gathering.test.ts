import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, type Installation, startInstallation } from '../support/installation.ts';
import { nbctl } from '../support/nbctl.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await startInstallation();
  await installation.startWorker();
  await installation.startController({ OVN_GITOPS_GATHER: '1h' });
});

afterAll(async () => {
  for (const pid of northds()) process.kill(pid, 'SIGCONT');
  await installation?.stop();
});

/** The ovn-northd of this installation, by the sockets that it was given or where it runs. */
function northds(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        const place = `${command} ${readlinkSync(`/proc/${pid}/cwd`)}`;
        return (
          (command.split('\0')[0] ?? '').endsWith('ovn-northd') && place.includes(installation.directory)
        );
      } catch {
        return false;
      }
    });
}

const files = (subnets: number): Record<string, string> => ({
  'shop.yaml': [
    'apiVersion: ovn-gitops.io/v1\nkind: Vpc\nmetadata: {name: shop}\nspec: {}\n',
    ...Array.from(
      { length: subnets },
      (_, at) =>
        `apiVersion: ovn-gitops.io/v1\nkind: Subnet\nmetadata: {name: s${at}}\nspec: {vpc: shop, cidrs: [10.0.${at}.0/24]}\n`,
    ),
  ].join('---\n'),
});

const numberOf = (column: string): number =>
  Number(nbctl(installation.servers.northbound, 'get', 'NB_Global', '.', column).trim());
const switches = (): number =>
  nbctl(installation.servers.northbound, '--bare', '--columns=_uuid', 'list', 'Logical_Switch')
    .trim()
    .split(/\s+/).length;

async function isInForce(commit: string): Promise<void> {
  await eventually(`${commit} is in force and translated`, async () => {
    const [status, units] = [await installation.store.source(), await installation.store.units()];
    const isWritten =
      units.length > 0 && units.every((unit) => unit.commit === commit && unit.condition === 'Ready');
    return status?.serving?.commit === commit && isWritten && numberOf('sb_cfg') === numberOf('nb_cfg');
  });
}

test('revisions that arrive while ovn-northd works are put in force as one, and drift is repaired meanwhile', async () => {
  const { repository, servers, store } = installation;
  // The first one waits for nobody.
  await isInForce(await repository.commit('one', files(1)));

  const northd = northds();
  expect(northd).toHaveLength(1);
  for (const pid of northd) process.kill(pid, 'SIGSTOP');
  // An ovn-northd that was done until now does not hold up a revision either.
  const second = await repository.commit('two', files(2));
  await eventually('the second revision is written', () => switches() === 2);
  const before = numberOf('nb_cfg');

  await repository.commit('three', files(3));
  await eventually('the third revision waits', async () => (await store.source())?.reason === 'Gathering');
  await repository.commit('four', files(4));
  const last = await repository.commit('five', files(5));
  nbctl(servers.northbound, 'lrp-del', 'shop:s0');
  await eventually(
    'the router port is there again',
    () =>
      nbctl(
        servers.northbound,
        '--bare',
        '--columns=name',
        'find',
        'Logical_Router_Port',
        'name="shop:s0"',
      ).trim() !== '',
  );
  expect(switches()).toBe(2);
  const repaired = numberOf('nb_cfg');
  expect(repaired).toBe(before + 1);

  for (const pid of northd) process.kill(pid, 'SIGCONT');
  await isInForce(last);
  expect(switches()).toBe(5);
  expect(numberOf('nb_cfg')).toBe(repaired + 1);
  const history = await store.history(10);
  expect(history.map((revision) => revision.subject)).toEqual(['five', 'two', 'one']);
  expect(history[1]?.commit).toBe(second);
});
