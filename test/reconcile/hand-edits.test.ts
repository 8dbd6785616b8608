import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NorthboundDatabase } from '../../src/nb/northbound.ts';
import { applyFiles, openTestNorthbound } from '../support/apply-harness.ts';
import { dumpOf } from '../support/canonical.ts';
import { exampleFiles } from '../support/examples.ts';
import { nbctl } from '../support/nbctl.ts';
import type { OvsdbServer } from '../support/ovsdb-server.ts';
import { startOvsdbServer } from '../support/ovsdb-server.ts';

let server: OvsdbServer;
let northbound: NorthboundDatabase;
let files: Record<string, string>;
let wanted: string;

const run = (...args: string[]): string => nbctl(server.endpoint, ...args);
const firstOf = (table: string, ...condition: string[]): string =>
  run('--bare', '--columns=_uuid', 'find', table, ...condition)
    .trim()
    .split('\n')[0] ?? '';

/** What somebody does by hand to rows, columns, keys and members of ours. */
const OWNED: readonly (readonly [string, () => void])[] = [
  ['another address on a port', () => run('lsp-set-addresses', 'edge/web-0', '02:00:00:00:00:66 10.10.0.66')],
  ['port security switched off', () => run('lsp-set-port-security', 'edge/web-0')],
  ['a port disabled', () => run('lsp-set-enabled', 'edge/web-1', 'disabled')],
  ['a port of another type', () => run('lsp-set-type', 'edge/web-0', 'virtual')],
  ['a port renamed', () => run('set', 'Logical_Switch_Port', 'edge/bastion', 'name=edge/renamed')],
  ['a port deleted', () => run('lsp-del', 'edge/bastion')],
  [
    'a port moved to another switch',
    () => {
      const uuid = firstOf('Logical_Switch_Port', 'name=edge/web-1');
      run(
        'remove',
        'Logical_Switch',
        'shop-dmz',
        'ports',
        uuid,
        '--',
        'add',
        'Logical_Switch',
        'shop-app',
        'ports',
        uuid,
      );
    },
  ],
  [
    'a router option changed',
    () => run('set', 'Logical_Router', 'shop', 'options:dynamic_neigh_routers=false'),
  ],
  [
    'a router option removed',
    () => run('remove', 'Logical_Router', 'shop', 'options', 'dynamic_neigh_routers'),
  ],
  ['a router disabled', () => run('set', 'Logical_Router', 'shop', 'enabled=false')],
  ['a router bound to one chassis', () => run('set', 'Logical_Router', 'shop', 'options:chassis=gw-1')],
  ['a router renamed', () => run('set', 'Logical_Router', 'lab', 'name=laboratory')],
  ['a router deleted', () => run('lr-del', 'sandbox')],
  [
    'a router port with another network',
    () => run('set', 'Logical_Router_Port', 'shop:shop-dmz', 'networks=10.99.0.1/24'),
  ],
  ['a router port deleted', () => run('lrp-del', 'shop:shop-app')],
  ['a peer taken away', () => run('clear', 'Logical_Router_Port', 'shop:peering:shop-shared', 'peer')],
  ['a route deleted', () => run('lr-route-del', 'shop', '10.200.0.0/16')],
  [
    'a route to another next hop',
    () =>
      run(
        'set',
        'Logical_Router_Static_Route',
        firstOf('Logical_Router_Static_Route', 'ip_prefix=10.200.0.0/16'),
        'nexthop=10.10.0.9',
      ),
  ],
  [
    'a gateway chassis with another priority',
    () => run('set', 'Gateway_Chassis', firstOf('Gateway_Chassis', 'priority=100'), 'priority=7'),
  ],
  ['a translation deleted', () => run('lr-nat-del', 'shop', 'snat')],
  [
    'a translation to another address',
    () => run('set', 'NAT', firstOf('NAT', 'type=dnat_and_snat'), 'logical_ip=10.10.0.99'),
  ],
  [
    'a rule deleted',
    () =>
      run(
        'remove',
        'Port_Group',
        'sg..shop..shop_web',
        'acls',
        firstOf('ACL', 'action=drop', 'priority=15999') || firstOf('ACL', 'action=drop'),
      ),
  ],
  ['all rules of a group cleared', () => run('clear', 'Port_Group', 'sg..shop..shop_db', 'acls')],
  [
    'a rule that allows instead of drops',
    () => run('set', 'ACL', firstOf('ACL', 'action=drop'), 'action=allow'),
  ],
  [
    'a member taken out of a group',
    () =>
      run(
        'remove',
        'Port_Group',
        'sg..shop..shop_web',
        'ports',
        firstOf('Logical_Switch_Port', 'name=edge/web-0'),
      ),
  ],
  [
    'a member of ours put into a wrong group',
    () =>
      run(
        'add',
        'Port_Group',
        'sg..shop..shop_bastion',
        'ports',
        firstOf('Logical_Switch_Port', 'name=edge/web-0'),
      ),
  ],
  [
    'a backend taken away',
    () => run('set', 'Load_Balancer', firstOf('Load_Balancer'), 'vips:"198.51.100.80:80"="10.10.0.20:80"'),
  ],
  ['a balancer detached from a switch', () => run('clear', 'Logical_Switch', 'shop-dmz', 'load_balancer')],
  ['a balancer deleted', () => run('lb-del', firstOf('Load_Balancer'))],
  [
    'DHCP options changed',
    () => run('set', 'DHCP_Options', firstOf('DHCP_Options'), 'options:router=10.20.2.77'),
  ],
  ['a switch deleted with all in it', () => run('ls-del', 'lab-students')],
  ['our mark wiped off a row', () => run('clear', 'Logical_Switch', 'shop-app', 'external_ids')],
  [
    'our key forged',
    () => run('set', 'Logical_Switch', 'shop-db', 'external_ids:ovn-gitops\\:key=Logical_Switch/other'),
  ],
  [
    'our unit forged',
    () => run('set', 'Logical_Switch', 'shop-db', 'external_ids:ovn-gitops\\:unit=vpc/lab'),
  ],
  [
    'our fingerprint forged',
    () => run('set', 'Logical_Switch', 'shop-db', 'external_ids:ovn-gitops\\:hash=0000000000000000'),
  ],
];

/** What belongs to somebody else and must be as before when we are done. */
const FOREIGN: readonly (readonly [string, () => void, () => string])[] = [
  [
    'a key in a map of ours',
    () =>
      run('set', 'Logical_Router', 'shop', 'external_ids:team=net', 'options:mac_binding_age_threshold_x=9'),
    () => run('get', 'Logical_Router', 'shop', 'external_ids:team', 'options:mac_binding_age_threshold_x'),
  ],
  [
    'a rule on a switch of ours',
    () => run('acl-add', 'shop-dmz', 'to-lport', '17', 'ip4.src == 192.0.2.77', 'drop'),
    () => run('find', 'ACL', 'priority=17'),
  ],
  [
    'a route on a router of ours',
    () => run('lr-route-add', 'shop', '192.0.2.128/25', '10.10.0.200'),
    () => run('find', 'Logical_Router_Static_Route', 'ip_prefix=192.0.2.128/25'),
  ],
  [
    'a port on a switch of ours',
    () => run('lsp-add', 'shop-dmz', 'theirs'),
    () => run('find', 'Logical_Switch_Port', 'name=theirs'),
  ],
  [
    'a port of theirs in a group of ours',
    () =>
      run('add', 'Port_Group', 'sg..shop..shop_web', 'ports', firstOf('Logical_Switch_Port', 'name=theirs')),
    () =>
      String(
        run('get', 'Port_Group', 'sg..shop..shop_web', 'ports').includes(
          firstOf('Logical_Switch_Port', 'name=theirs'),
        ),
      ),
  ],
  [
    'a switch and a router of theirs',
    () => run('ls-add', 'their-switch', '--', 'lr-add', 'their-router'),
    () => run('list', 'Logical_Switch', 'their-switch') + run('list', 'Logical_Router', 'their-router'),
  ],
  [
    'a switch with the name of ours',
    () => run('--add-duplicate', 'ls-add', 'shop-replication'),
    () => run('--bare', '--columns=_uuid,external_ids', 'find', 'Logical_Switch', 'name=shop-replication'),
  ],
  [
    'a group of another system with its rules',
    () =>
      run(
        'pg-add',
        'pg_other',
        '--',
        'acl-add',
        'pg_other',
        'to-lport',
        '1002',
        'ip',
        'allow-related',
        '--',
        'set',
        'Port_Group',
        'pg_other',
        'external_ids:neutron\\:security_group_id=1',
      ),
    () => run('list', 'Port_Group', 'pg_other'),
  ],
  [
    'options of NB_Global',
    () => run('set', 'NB_Global', '.', 'options:their_option=1', 'external_ids:theirs=1'),
    () => run('get', 'NB_Global', '.', 'options:their_option', 'external_ids:theirs'),
  ],
  [
    'a row of another installation',
    () =>
      run(
        'ls-add',
        'second',
        '--',
        'set',
        'Logical_Switch',
        'second',
        'external_ids:ovn-gitops\\:owner=other',
        'external_ids:ovn-gitops\\:key=Logical_Switch/second',
        'external_ids:ovn-gitops\\:unit=global',
      ),
    () => run('list', 'Logical_Switch', 'second'),
  ],
];

beforeAll(async () => {
  server = await startOvsdbServer({ schemaFile: '/usr/share/ovn/ovn-nb.ovsschema' });
  run('init');
  northbound = await openTestNorthbound(server.endpoint);
  files = await exampleFiles();
  expect((await applyFiles(northbound, files)).failed).toEqual([]);
  wanted = await dumpOf(server.endpoint);
});

afterAll(async () => {
  await northbound?.close();
  await server?.stop();
});

describe('what is ours is put right', () => {
  test.each(OWNED)('%s', async (_what, edit) => {
    edit();
    await northbound.resynced(AbortSignal.timeout(10_000));
    expect(await dumpOf(server.endpoint)).not.toBe(wanted);
    const repaired = await applyFiles(northbound, files);
    expect(repaired.failed).toEqual([]);
    expect(
      repaired.written.flatMap((entry) => entry.plan.changes).every((change) => change.cause === 'drift'),
    ).toBe(true);
    expect(await dumpOf(server.endpoint)).toBe(wanted);
    expect((await applyFiles(northbound, files)).written).toEqual([]);
  });
});

test('what is not ours is never touched, whatever is repaired beside it', async () => {
  const before: string[] = [];
  for (const [, edit] of FOREIGN) edit();
  for (const [, , look] of FOREIGN) before.push(look());
  for (const text of before) expect(text.trim()).not.toBe('');
  await northbound.resynced(AbortSignal.timeout(10_000));
  expect((await applyFiles(northbound, files)).written).toEqual([]);
  for (const [, edit] of OWNED.filter(
    ([what]) => !what.includes('switch deleted') && !what.startsWith('our'),
  )) {
    edit();
    await northbound.resynced(AbortSignal.timeout(10_000));
    const repaired = await applyFiles(northbound, files);
    expect(repaired.failed).toEqual([]);
  }
  expect(FOREIGN.map(([, , look]) => look())).toEqual(before);
});

test('a fingerprint that another version computed is no reason to write', async () => {
  const text = run('get', 'Logical_Switch', 'shop-dmz', 'external_ids:ovn-gitops\\:hash').trim();
  const other = text.replaceAll('"', '').replace(/^\d+-/, '999-');
  run('set', 'Logical_Switch', 'shop-dmz', `external_ids:ovn-gitops\\:hash=${other}`);
  await northbound.resynced(AbortSignal.timeout(10_000));
  expect((await applyFiles(northbound, files)).written).toEqual([]);
});
