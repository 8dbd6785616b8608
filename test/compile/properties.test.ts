import { fc, test } from '@fast-check/vitest';
import { describe, expect, test as example } from 'vitest';
import { compile } from '../../src/compile/compile.ts';
import { peeringMac, routerMac } from '../../src/compile/macs.ts';
import { renderNb } from '../../src/compile/render-nb.ts';
import {
  gatewayChassisName,
  localnetPortName,
  routerSidePortName,
  setName,
} from '../../src/compile/names.ts';
import type { NbState } from '../../src/model/nb.ts';
import type { Resource } from '../../src/model/resource.ts';
import { peeringPortName, routerPortName } from '../../src/model/router-port-name.ts';
import { ResourceSet } from '../../src/model/resource-set.ts';
import { largeNetwork, resource } from './large-network.ts';

/** Names as documents have them: short, from few characters, so that mangled ones would meet soon. */
const label = fc.stringMatching(/^[a0](?:[a0.-]{0,4}[a0])?$/).filter((name) => !name.includes('..'));

const port = fc.record({
  name: label,
  namespace: fc.option(fc.constantFrom('shop', 'ops'), { nil: undefined }),
  subnet: fc.constantFrom('web', 'db', 'lonely'),
  labels: fc.dictionary(fc.constantFrom('app', 'tier'), fc.constantFrom('a', 'b')),
  ports: fc.array(fc.record({ name: fc.constantFrom('http', 'dns'), port: fc.constantFrom(80, 8080) }), {
    maxLength: 2,
  }),
});

const selector = fc.oneof(
  fc.constant({}),
  fc.record({ matchLabels: fc.dictionary(fc.constantFrom('app', 'tier'), fc.constantFrom('a', 'b')) }),
);

const policy = fc.record({
  name: label,
  podSelector: selector,
  from: fc.array(
    fc.oneof(
      fc.record({ podSelector: selector }),
      fc.record({ namespaceSelector: selector }),
      fc.constant({ ipBlock: { cidr: '10.0.0.0/8', except: ['10.0.1.0/24'] } }),
    ),
    { maxLength: 3 },
  ),
  ports: fc.array(
    fc.constantFrom<object>({ port: 'http' }, { port: 80 }, { protocol: 'UDP' }, { port: 1, endPort: 9 }),
    { maxLength: 3 },
  ),
});

interface Network {
  readonly ports: readonly Resource[];
  readonly rest: readonly Resource[];
}

const network: fc.Arbitrary<Network> = fc
  .record({ ports: fc.array(port, { maxLength: 20 }), policies: fc.array(policy, { maxLength: 4 }) })
  .map(({ ports, policies }) => ({
    ports: ports.map(({ name, namespace, labels, ...spec }) =>
      resource('Port', name, spec, { labels, ...(namespace === undefined ? {} : { namespace }) }),
    ),
    rest: [
      resource('Vpc', 'red', {}),
      resource('Subnet', 'web', { vpc: 'red', cidrs: ['10.0.1.0/24', 'fd00:1::/64'], dhcp: {} }),
      resource('Subnet', 'db', { vpc: 'red', cidrs: ['10.0.2.0/24'], exclude: ['10.0.2.9..10.0.2.200'] }),
      resource('Subnet', 'lonely', { cidrs: ['10.0.1.0/24'] }),
      ...policies.map(({ name, podSelector, from, ports }) =>
        resource(
          'NetworkPolicy',
          name,
          { podSelector, ingress: [{ from, ports }], egress: [{ to: from, ports }] },
          { namespace: 'shop' },
        ),
      ),
    ],
  }));

function rowsOf(resources: readonly Resource[]): NbState['rows'] {
  return compile(new ResourceSet(resources)).nb.rows;
}

describe('compiling', () => {
  test.prop([network, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true }))])(
    'does not depend on the order of the resources',
    ({ ports, rest }, order) => {
      // Of two Ports of one name the first one counts, so only distinct ones can change places.
      const distinct = [
        ...new Map(
          [...ports, ...rest].map((each) => [`${each.kind}/${each.namespace}/${each.name}`, each]),
        ).values(),
      ];
      const shuffled = distinct
        .map((each): [number, Resource] => [order.next().value ?? 0, each])
        .toSorted(([a], [b]) => a - b)
        .map(([, each]) => each);
      const [straight, crooked] = [distinct, shuffled].map((each) => compile(new ResourceSet(each)));
      expect([...(crooked?.nb.rows ?? [])]).toEqual([...(straight?.nb.rows ?? [])]);
      expect(crooked?.addresses).toEqual(straight?.addresses);
    },
  );

  test.prop([network])('refers only to rows that exist, and holds every non-root row', ({ ports, rest }) => {
    const rows = rowsOf([...ports, ...rest]);
    const roots = new Set([
      'Logical_Switch',
      'Logical_Router',
      'Load_Balancer',
      'DHCP_Options',
      'Port_Group',
      'Address_Set',
    ]);
    for (const row of rows.values()) {
      expect(row.parent === undefined).toBe(roots.has(row.table));
      if (row.parent !== undefined) expect(rows.has(row.parent.key)).toBe(true);
      for (const value of Object.values(row.columns)) {
        for (const member of Array.isArray(value) ? value : [value]) {
          if (typeof member === 'object' && 'ref' in member) expect(rows.has(member.ref as never)).toBe(true);
        }
      }
    }
  });

  test.prop([network])(
    'gives sets names that OVN can read in a match, and only refers to sets that exist',
    ({ ports, rest }) => {
      const rows = [...rowsOf([...ports, ...rest]).values()];
      const groups = new Set(
        rows.filter(({ table }) => table === 'Port_Group').map(({ columns }) => columns['name']),
      );
      const sets = new Set(
        rows.filter(({ table }) => table === 'Address_Set').map(({ columns }) => columns['name']),
      );
      for (const name of [...groups, ...sets]) expect(name).toMatch(/^[a-zA-Z_.][a-zA-Z_.0-9]*$/);
      for (const { columns, table } of rows) {
        if (table !== 'ACL') continue;
        const match = columns['match'] as string;
        for (const [, name] of match.matchAll(/@([\w.]+)/g)) expect(groups).toContain(name);
        for (const [, name] of match.matchAll(/\$([\w.]+)/g)) expect(sets).toContain(name);
      }
    },
  );

  test.prop([network, port])(
    'adds a port without touching others that do not lose their address to it',
    ({ ports, rest }, added) => {
      const { name, namespace, labels, ...spec } = added;
      const before = compile(new ResourceSet([...ports, ...rest]));
      const extra = resource('Port', `zz-${name}`, spec, {
        labels,
        ...(namespace === undefined ? {} : { namespace }),
      });
      const after = compile(new ResourceSet([...ports, ...rest, extra]));
      for (const [key, row] of before.nb.rows) {
        const now = after.nb.rows.get(key);
        expect(now).toBeDefined();
        // Rules stay as they are; only sets of members grow, and addresses may move.
        if (row.table === 'ACL' || row.table === 'DHCP_Options' || row.table === 'Logical_Router_Port')
          expect(now).toEqual(row);
      }
      const moved = [...before.addresses].filter(([port, { addresses }]) =>
        addresses.some(
          ({ address }, index) => after.addresses.get(port)?.addresses[index]?.address !== address,
        ),
      );
      const taken = new Set(
        after.addresses
          .get(namespace === undefined ? `zz-${name}` : `${namespace}/zz-${name}`)
          ?.addresses.map(({ address }) => address),
      );
      // A port that moved was pushed: by the new one, or by one that was pushed itself.
      if (moved.length > 0) {
        expect(moved.some(([, { addresses }]) => addresses.some(({ address }) => taken.has(address)))).toBe(
          true,
        );
      }
    },
  );
});

describe('names', () => {
  test.prop([fc.array(fc.tuple(label, label, label), { minLength: 300, maxLength: 300 })], { numRuns: 50 })(
    'of different parts are different',
    (parts) => {
      const distinct = [...new Map(parts.map((each) => [JSON.stringify(each), each])).values()];
      const names = distinct.flatMap(([a, b, c]) => [
        setName('sg', a, b, c),
        setName('np', a, b, c),
        setName('nps', a, b, c),
        gatewayChassisName(routerPortName(a, b), c),
      ]);
      expect(new Set(names).size).toBe(names.length);
      const pairs = [...new Map(parts.map(([a, b]) => [JSON.stringify([a, b]), [a, b] as const])).values()];
      const portNames = pairs.flatMap(([a, b]) => [
        routerPortName(a, b),
        peeringPortName(a, b),
        routerSidePortName(a, b),
        `cr-${routerPortName(a, b)}`,
        a,
        `${a}/${b}`,
      ]);
      const singles = new Set(pairs.flatMap(([a]) => [a]));
      const expected = pairs.length * 5 + singles.size;
      expect(new Set(portNames).size).toBe(expected);
      expect(new Set([...singles].map(localnetPortName)).size).toBe(singles.size);
    },
  );

  example('row keys, MACs and names of a hundred thousand rows are all different', () => {
    const { nb, addresses } = compile(largeNetwork(100, 900));
    const rows = [...nb.rows.values()];
    expect(rows.length).toBeGreaterThan(90_000);
    const names = rows
      .filter(({ table }) => table !== 'ACL')
      .map(({ table, columns }) => `${table}/${columns['name'] as string}`)
      .filter((name) => !name.endsWith('/undefined'));
    expect(new Set(names).size).toBe(names.length);
    const macs = [...addresses.values()].map(({ mac, subnet }) => `${subnet}/${mac}`);
    expect(new Set(macs).size).toBe(macs.length);
  });

  example('MACs are unicast, locally administered and a function of what they belong to', () => {
    expect(routerMac('red', 'web')).toMatch(/^0a(?::[0-9a-f]{2}){5}$/);
    expect(routerMac('red', 'web')).toBe(routerMac('red', 'web'));
    expect(routerMac('red', 'web')).not.toBe(peeringMac('red', 'web'));
  });
});

describe('rendering', () => {
  example('puts rows into the sets of their parents in canonical order', () => {
    const rendered = renderNb(compile(largeNetwork(1, 3)).nb);
    expect(rendered['Logical_Switch']?.['Logical_Switch/vpc-0-web']?.['ports']).toEqual([
      'Logical_Switch_Port/team-0/p-0',
      'Logical_Switch_Port/team-0/p-2',
      'Logical_Switch_Port/vpc-0-web:router:vpc-0',
    ]);
  });
});
