import { describe, expect, test } from 'vitest';
import type { SubnetPool } from '../../src/compile/addresses.ts';
import { compile } from '../../src/compile/compile.ts';
import { compileText, setOf } from './resources.ts';

const VPC = `
kind: Vpc
metadata: {name: red}
spec: {}
---`;

function subnet(spec: string): string {
  return `${VPC}
kind: Subnet
metadata: {name: web}
spec: {vpc: red, ${spec}}
`;
}

function ports(count: number, prefix = 'p'): string {
  return Array.from(
    { length: count },
    (_, index) => `
kind: Port
metadata: {name: ${prefix}${index}}
spec: {subnet: web}
`,
  ).join('---');
}

/** The automatic addresses by port. */
function addressesOf(...texts: readonly string[]): ReadonlyMap<string, string> {
  const { addresses } = compileText(...texts);
  return new Map(
    [...addresses].map(([name, each]) => [name, each.addresses.map(({ address }) => address).join(' ')]),
  );
}

function poolOf(...texts: readonly string[]): SubnetPool | undefined {
  return compileText(...texts).pools.find(({ subnet }) => subnet === 'web');
}

describe('a pool', () => {
  test('of a /64 is counted exactly', () => {
    const wide = subnet("cidrs: ['2001:db8:0:1::/64'], exclude: ['2001:db8:0:1::2..2001:db8:0:1::ff']");
    expect(poolOf(wide)).toMatchObject({ free: 18446744073709551360n, used: 0n });
    expect(poolOf(wide, ports(1))).toMatchObject({ free: 18446744073709551359n, used: 1n });
  });

  test('counts excludes that overlap or run past the last host once', () => {
    const small = subnet(
      'cidrs: [10.0.6.0/24], exclude: [10.0.6.1, 10.0.6.2, 10.0.6.20..10.0.6.255, 10.0.6.20..10.0.6.30]',
    );
    expect(poolOf(small)).toMatchObject({ total: 254n, reserved: 237n, free: 17n });
    const inside = addressesOf(small, ports(17));
    const last = [...inside.values()]
      .map((address) => Number(address.split('.')[3]))
      .toSorted((a, b) => a - b);
    expect(last).toEqual(Array.from({ length: 17 }, (_, index) => index + 3));
  });

  test('counts a fixed address inside an exclude as reserved, not twice', () => {
    const fixed = `
kind: Port
metadata: {name: fixed}
spec: {subnet: web, addresses: [10.0.6.25]}
`;
    const small = subnet('cidrs: [10.0.6.0/24], exclude: [10.0.6.20..10.0.6.254]');
    expect(poolOf(small, fixed)).toMatchObject({ reserved: 236n, used: 0n, free: 18n });
  });

  test('of two addresses has one for a port', () => {
    const pair = subnet('cidrs: [192.0.2.0/31], gateways: [192.0.2.0]');
    expect(poolOf(pair)).toMatchObject({ total: 2n, free: 1n });
    expect(addressesOf(pair, ports(1)).get('p0')).toBe('192.0.2.1');
  });

  test('that is exhausted is an error at each port that gets nothing', () => {
    const { diagnostics, addresses } = compile(setOf(subnet('cidrs: [10.0.6.0/29]'), ports(7)));
    expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([
      ['ADR407', 'error'],
      ['ADR407', 'error'],
    ]);
    expect(diagnostics[0]?.message).toBe(
      'Port/p5 gets no IPv4 address: 10.0.6.0/29 of Subnet/web has none free',
    );
    expect(addresses.get('p6')?.addresses).toEqual([]);
  });
});

describe('automatic addresses', () => {
  const web = subnet('cidrs: [10.0.0.0/20]');

  test('are all different and never one that something else has', () => {
    const full = addressesOf(subnet('cidrs: [10.0.6.0/24], exclude: [10.0.6.9]'), ports(252));
    expect(new Set(full.values()).size).toBe(252);
    for (const taken of ['10.0.6.0', '10.0.6.1', '10.0.6.9', '10.0.6.255']) {
      expect([...full.values()]).not.toContain(taken);
    }
  });

  test('keep clear of routers, Eips, virtual addresses and sources of health checks', () => {
    const external = `
kind: ProviderNetwork
metadata: {name: uplink}
spec: {physicalNetwork: physnet1}
---
kind: Subnet
metadata: {name: internet}
spec: {cidrs: [203.0.113.0/29], provider: {network: uplink}}
---
kind: Vpc
metadata: {name: red}
spec: {external: [{subnet: internet, addresses: [203.0.113.2], gateways: [node-1]}]}
---
kind: Eip
metadata: {name: out}
spec: {subnet: internet, address: 203.0.113.4}
---
kind: Subnet
metadata: {name: web}
spec: {vpc: red, cidrs: [10.0.6.0/29], exclude: [10.0.6.4]}
---
kind: LoadBalancer
metadata: {name: lb}
spec:
  vpc: red
  vip: 10.0.6.4
  listeners: [{port: 80, protocol: tcp, backends: [{target: p0, port: 80}]}]
  healthCheck: {sources: [{subnet: web, address: 10.0.6.2}]}
---
${ports(3)}---
${ports(3, 'x').replaceAll('subnet: web', 'subnet: internet')}`;
    const given = addressesOf(external);
    expect([...given.values()].toSorted()).toEqual([
      '10.0.6.3',
      '10.0.6.5',
      '10.0.6.6',
      '203.0.113.3',
      '203.0.113.5',
      '203.0.113.6',
    ]);
  });

  test('move only when another port takes their place', () => {
    const before = addressesOf(web, ports(500));
    const after = addressesOf(web, ports(500), ports(20, 'added-'));
    const added = new Set([...after].filter(([name]) => !before.has(name)).map(([, address]) => address));
    const moved = [...before].filter(([name, address]) => after.get(name) !== address);
    for (const [, address] of moved) expect(added.has(address)).toBe(true);
    expect(moved.length).toBeLessThan(10);
  });

  test('stay when something far away is excluded', () => {
    const before = addressesOf(web, ports(50));
    const excluded = [...before.values()][0] ?? '';
    const after = addressesOf(subnet(`cidrs: [10.0.0.0/20], exclude: [${excluded}]`), ports(50));
    const moved = [...before].filter(([name, address]) => after.get(name) !== address);
    expect(moved.map(([, address]) => address)).toEqual([excluded]);
  });

  test('stay where a lock pins them, whoever comes', () => {
    const pinned = addressesOf(web, ports(50));
    const lock = `
kind: AddressLock
metadata: {name: lock}
spec: {ports: {${[...pinned].map(([name, address]) => `${name}: [${address}]`).join(', ')}}}
`;
    const after = addressesOf(web, ports(50), ports(300, 'a-'), lock);
    for (const [name, address] of pinned) expect(after.get(name)).toBe(address);
  });

  test('say whether Git fixes them', () => {
    const { addresses } = compileText(
      subnet("cidrs: [10.0.6.0/24, 'fd00::/64']"),
      `
kind: Port
metadata: {name: a, namespace: shop}
spec: {subnet: web, addresses: [10.0.6.9], mac: '02:00:00:00:00:0A'}
`,
    );
    expect(addresses.get('shop/a')).toMatchObject({
      subnet: 'web',
      mac: '02:00:00:00:00:0a',
      addresses: [
        { family: 4, address: '10.0.6.9', automatic: false },
        { family: 6, automatic: true },
      ],
    });
  });
});

test('a generated MAC that meets a fixed one is an error that names both', () => {
  const generated = compileText(subnet('cidrs: [10.0.6.0/24]'), ports(1)).addresses.get('p0')?.mac ?? '';
  const { diagnostics } = compile(
    setOf(
      subnet('cidrs: [10.0.6.0/24]'),
      ports(1),
      `
kind: Port
metadata: {name: q}
spec: {subnet: web, mac: '${generated}'}
`,
    ),
  );
  expect(diagnostics).toMatchObject([
    { code: 'ADR410', message: `Port/q and Port/p0 have the MAC address ${generated} on one switch` },
  ]);
});
