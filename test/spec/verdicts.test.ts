import { fc, test as check } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { validateFiles } from '../../src/spec/validate.ts';

/** A small network that may or may not be right. */
interface Network {
  readonly subnets: readonly {
    readonly vpc: number;
    readonly third: number;
    readonly prefix: number;
    readonly gateway: number;
  }[];
  readonly ports: readonly { readonly subnet: number; readonly third: number; readonly host: number }[];
  readonly peered: boolean;
}

const network: fc.Arbitrary<Network> = fc.record({
  subnets: fc.array(
    fc.record({
      vpc: fc.nat({ max: 1 }),
      third: fc.nat({ max: 3 }),
      prefix: fc.constantFrom(23, 24, 25),
      gateway: fc.constantFrom(0, 1, 2),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  ports: fc.array(
    fc.record({
      subnet: fc.nat({ max: 3 }),
      third: fc.nat({ max: 3 }),
      host: fc.constantFrom(0, 1, 2, 3, 200),
    }),
    { maxLength: 4 },
  ),
  peered: fc.boolean(),
});

interface Spelling {
  readonly name: (name: string) => string;
  readonly ip: (third: number, host: number) => string;
  readonly prefix: (prefix: number) => number;
  readonly link: readonly [string, string];
}

const V4: Spelling = {
  name: (name) => name,
  ip: (third, host) => `10.0.${third}.${host}`,
  prefix: (prefix) => prefix,
  link: ['169.254.1.1/30', '169.254.1.2/30'],
};
const V6: Spelling = {
  ...V4,
  ip: (third, host) => `"fd00::${third.toString(16)}${host.toString(16).padStart(2, '0')}"`,
  prefix: (prefix) => prefix + 96,
  link: ['"fd01::1/126"', '"fd01::2/126"'],
};

function write({ subnets, ports, peered }: Network, { name, ip, prefix, link }: Spelling): readonly string[] {
  const doc = (kind: string, id: string, spec: string): string =>
    `apiVersion: ovn-gitops.io/v1\nkind: ${kind}\nmetadata: { name: ${name(id)} }\nspec: { ${spec} }\n`;
  const cidr = (third: number, bits: number): string => {
    const masked = bits === 23 ? third & 2 : third;
    return ip(masked, 0).replace(/"?$/, `/${prefix(bits)}$&`);
  };
  return [
    doc('Vpc', 'red', ''),
    doc('Vpc', 'blue', ''),
    ...subnets.map(({ vpc, third, prefix: bits, gateway }, index) => {
      const owner = name(vpc === 0 ? 'red' : 'blue');
      const gateways = gateway === 2 ? '' : `, gateways: [${ip(bits === 23 ? third & 2 : third, gateway)}]`;
      return doc('Subnet', `subnet-${index}`, `vpc: ${owner}, cidrs: [${cidr(third, bits)}]${gateways}`);
    }),
    ...ports.map(({ subnet, third, host }, index) =>
      doc('Port', `port-${index}`, `subnet: ${name(`subnet-${subnet}`)}, addresses: [${ip(third, host)}]`),
    ),
    ...(peered
      ? [
          doc(
            'Peering',
            'link',
            `ends: [{ vpc: ${name('red')}, addresses: [${link[0]}] }, { vpc: ${name('blue')}, addresses: [${link[1]}] }]`,
          ),
        ]
      : []),
  ];
}

function verdict(texts: readonly string[]): readonly string[] {
  return validateFiles(texts.map((text, index) => ({ path: `${String(index).padStart(3, '0')}.yaml`, text })))
    .diagnostics.map(({ code, field }) => `${code} ${field}`)
    .toSorted();
}

describe('verdicts', () => {
  check.prop([network])('are the same in IPv4 and IPv6', (wanted) => {
    expect(verdict(write(wanted, V6))).toEqual(verdict(write(wanted, V4)));
  });

  check.prop([network])('do not depend on names', (wanted) => {
    const turned = {
      ...V4,
      name: (name: string) => `x${Array.from(name.replaceAll('-', 'a')).toReversed().join('')}.z`,
    };
    const [one, two] = [verdict(write(wanted, turned)), verdict(write(wanted, V4))];
    expect(one.map((line) => line.split(' ')[0])).toEqual(two.map((line) => line.split(' ')[0]));
  });

  check.prop([network])('only get worse when a VPC is joined to another', (wanted) => {
    const apart = verdict(write({ ...wanted, peered: false }, V4));
    const joined = verdict(write({ ...wanted, peered: true }, V4));
    expect(joined.length).toBeGreaterThanOrEqual(apart.length);
  });

  test('right networks exist among them', () => {
    const right = {
      subnets: [{ vpc: 0, third: 0, prefix: 24, gateway: 1 }],
      ports: [{ subnet: 0, third: 0, host: 2 }],
      peered: true,
    };
    expect(verdict(write(right, V4))).toEqual([]);
  });
});

test('an IPv6 range of 2^64 addresses costs nothing', () => {
  const text = `apiVersion: ovn-gitops.io/v1\nkind: Subnet\nmetadata: { name: a }\nspec: { vpc: v, cidrs: ["2001:db8:0:1::/64"], exclude: ["2001:db8:0:1::2..2001:db8:0:1:ffff:ffff:ffff:ffff"] }\n---\napiVersion: ovn-gitops.io/v1\nkind: Vpc\nmetadata: { name: v }\nspec: {}\n`;
  expect(validateFiles([{ path: 'a.yaml', text }]).diagnostics.map(({ code }) => code)).toEqual(['ADR407']);
});
