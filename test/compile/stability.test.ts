import { describe, expect, test } from 'vitest';
import { compareText } from '../../src/lib/order.ts';
import type { NbRow, RowKey } from '../../src/model/nb.ts';
import { compileText } from './resources.ts';

interface Difference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** `key column` */
  readonly changed: readonly string[];
}

/** How the rows of two revisions differ; where a row comes from does not count. */
function difference(before: readonly string[], after: readonly string[]): Difference {
  const [old, now] = [before, after].map((texts) => compileText(...texts).nb.rows) as [Rows, Rows];
  return {
    added: [...now.keys()].filter((key) => !old.has(key)),
    removed: [...old.keys()].filter((key) => !now.has(key)),
    changed: [...old.values()].flatMap((row) => changedColumns(row, now.get(row.key))),
  };
}
type Rows = ReadonlyMap<RowKey, NbRow>;

function changedColumns(before: NbRow, after: NbRow | undefined): readonly string[] {
  if (after === undefined) return [];
  const columns = new Set([...Object.keys(before.columns), ...Object.keys(after.columns)]);
  return [...columns]
    .filter((column) => JSON.stringify(before.columns[column]) !== JSON.stringify(after.columns[column]))
    .map((column) => `${before.key} ${column}`)
    .toSorted(compareText);
}

const NOTHING: Difference = { added: [], removed: [], changed: [] };

const BASE = `
kind: Vpc
metadata: {name: red}
spec: {routes: [{cidr: 192.0.2.0/24, via: 10.0.1.254}, {cidr: 198.51.100.0/24, via: 10.0.1.254}]}
---
kind: Subnet
metadata: {name: web}
spec: {vpc: red, cidrs: [10.0.1.0/24], gateways: [10.0.1.1], dhcp: {}}
---
kind: Port
metadata: {name: a, namespace: shop, labels: {app: web}}
spec: {subnet: web, addresses: [10.0.1.11]}
---
kind: SecurityGroup
metadata: {name: web}
spec:
  vpc: red
  selector: {}
  ingress:
    - {protocol: tcp, ports: [{from: 80}]}
    # more
    - {protocol: udp, ports: [{from: 53}]}
`;

describe('a change touches the rows that it is about', () => {
  test('a rule added in the middle is one new row', () => {
    const after = BASE.replace('# more', '- {protocol: icmp}');
    expect(difference([BASE], [after])).toEqual({
      ...NOTHING,
      added: [expect.stringMatching(/^ACL\/SecurityGroup\/red\/web\/ingress\/[0-9a-f]{20}$/)],
    });
  });

  test('one of two equal rules can go without a trace', () => {
    const twice = BASE.replace('# more', '- {protocol: tcp, ports: [{from: 80, to: 80}], priority: 100}');
    expect(difference([twice], [BASE])).toEqual(NOTHING);
  });

  test('a route added in front is one new row', () => {
    const after = BASE.replace('routes: [', 'routes: [{cidr: 203.0.113.0/24, via: 10.0.1.254}, ');
    expect(difference([BASE], [after])).toEqual({
      ...NOTHING,
      added: ['Logical_Router_Static_Route/red/dst-ip/203.0.113.0/24/10.0.1.254'],
    });
  });

  test('a subnet that grows keeps its rows and its ports', () => {
    const after = BASE.replace('cidrs: [10.0.1.0/24]', 'cidrs: [10.0.0.0/23]');
    expect(difference([BASE], [after])).toEqual({
      ...NOTHING,
      changed: ['DHCP_Options/web/ip4 cidr', 'Logical_Router_Port/red:web networks'],
    });
  });

  test('another VPC with equal networks is none of this one', () => {
    const blue = BASE.replaceAll('red', 'blue')
      .replaceAll('name: web', 'name: blue-web')
      .replaceAll('subnet: web', 'subnet: blue-web')
      .replaceAll('namespace: shop', 'namespace: blue-shop');
    const { removed, changed } = difference([BASE], [BASE, blue]);
    expect({ removed, changed }).toEqual({ removed: [], changed: [] });
  });

  test('a new member of a group grows the group and nothing else', () => {
    const port = `
kind: Port
metadata: {name: z, namespace: shop}
spec: {subnet: web, addresses: [10.0.1.12]}
`;
    expect(difference([BASE], [BASE, port])).toEqual({
      added: ['Logical_Switch_Port/shop/z'],
      removed: [],
      changed: ['Port_Group/SecurityGroup/red/web ports'],
    });
  });

  test('a file that is renamed or reordered changes nothing', () => {
    const [vpc = '', ...rest] = BASE.split('---');
    expect(difference([BASE], [rest.toReversed().join('---'), vpc])).toEqual(NOTHING);
  });
});

const PEERS = ['red', 'blue'].map(
  (vpc, index) => `
kind: Vpc
metadata: {name: ${vpc}}
spec: {}
---
kind: Subnet
metadata: {name: ${vpc}-net}
spec: {vpc: ${vpc}, cidrs: [10.${index}.0.0/16]}
`,
);

test('a peering brings rows of its own unit only', () => {
  const peering = `
kind: Peering
metadata: {name: link}
spec: {ends: [{vpc: red, addresses: [169.254.1.1/30]}, {vpc: blue, addresses: [169.254.1.2/30]}]}
`;
  expect(difference(PEERS, [...PEERS, peering])).toEqual({
    ...NOTHING,
    added: [
      'Logical_Router_Port/blue:peering:link',
      'Logical_Router_Port/red:peering:link',
      'Logical_Router_Static_Route/blue/peering/link/10.0.0.0/16',
      'Logical_Router_Static_Route/red/peering/link/10.1.0.0/16',
    ],
  });
  const units = [...compileText(...PEERS, peering).nb.rows.values()]
    .filter(({ key }) => key.includes('peering'))
    .map(({ unit }) => unit);
  expect(new Set(units)).toEqual(new Set(['peering/link']));
});

test('rows belong to the unit of their VPC, also the port on an external switch', () => {
  const { nb } = compileText(`
kind: ProviderNetwork
metadata: {name: uplink}
spec: {physicalNetwork: physnet1}
---
kind: Subnet
metadata: {name: internet}
spec: {cidrs: [203.0.113.0/24], provider: {network: uplink}}
---
kind: Port
metadata: {name: outside}
spec: {subnet: internet}
---
kind: Vpc
metadata: {name: red}
spec: {external: [{subnet: internet, addresses: [203.0.113.2], gateways: [node-1]}]}
`);
  const units = Object.fromEntries([...nb.rows.values()].map(({ key, unit }) => [key, unit]));
  expect(units).toEqual({
    'Gateway_Chassis/red:internet:node-1': 'vpc/red',
    'Logical_Router/red': 'vpc/red',
    'Logical_Router_Port/red:internet': 'vpc/red',
    'Logical_Router_Static_Route/red/external/internet/ip4': 'vpc/red',
    'Logical_Switch/internet': 'global',
    'Logical_Switch_Port/internet:localnet': 'global',
    'Logical_Switch_Port/internet:router:red': 'vpc/red',
    'Logical_Switch_Port/outside': 'global',
  });
});
