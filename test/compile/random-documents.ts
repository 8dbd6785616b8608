import type { Kind } from '../../src/model/specs.ts';

/** A document as it is written: what its kind takes. */
export interface RandomDocument {
  readonly kind: Kind;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: object;
}

const VPCS = ['red', 'green', 'blue'];
const NAMESPACES = ['shop', 'ops'];
const EXTERNALS = ['internet', 'partner'];
const LONELY = ['lonely', 'tagged'];
const GROUPS = VPCS.flatMap((vpc) => [`${vpc}-web`, `${vpc}-db`]);
const EIPS = ['eip-0', 'eip-1', 'eip-2', 'eip-3'];
const PORTS = Array.from({ length: 24 }, (_, index) => `port-${index}`);

type Choose = <T>(choices: readonly T[]) => T;

/**
 * Documents over few names, so that they meet: most fit each other, some do not. Whatever is drawn passes its schema; what
 * is wrong is wrong between documents.
 */
export class RandomDocuments {
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** A document of any kind. */
  any(): RandomDocument {
    const kinds = Object.keys(this.#makers) as Kind[];
    // Ports are most of any repository.
    return this.of(this.#chance(0.35) ? 'Port' : this.choose(kinds));
  }

  of(kind: Kind): RandomDocument {
    const { name, ...rest } = this.#makers[kind]();
    const { namespace, labels, spec } = { namespace: undefined, labels: undefined, ...rest };
    return {
      kind,
      metadata: {
        name,
        ...(namespace === undefined ? {} : { namespace }),
        ...(labels === undefined ? {} : { labels }),
      },
      spec,
    };
  }

  readonly choose: Choose = (choices) => choices[Math.floor(this.#random() * choices.length)]!;

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #some<T>(probability: number, value: () => T): T | undefined {
    return this.#chance(probability) ? value() : undefined;
  }

  #list<T>(most: number, value: () => T): readonly T[] {
    return Array.from({ length: Math.floor(this.#random() * (most + 1)) }, value);
  }

  readonly #makers: Readonly<Record<Kind, () => Made>> = {
    Repository: () => ({
      name: this.#chance(0.9) ? 'repository' : 'another',
      spec: {
        reserved: this.#some(0.3, () => [
          {
            name: 'old',
            cidrs: [this.choose(['10.9.0.0/16', '10.1.0.0/24'])],
            vpcs: this.#some(0.5, () => [this.choose(VPCS)]),
          },
        ]),
      },
    }),
    Vpc: () => this.#vpc(),
    Subnet: () => this.#subnet(),
    Port: () => this.#port(),
    Peering: () => this.#peering(),
    ProviderNetwork: () => ({
      name: this.choose(['datacenter', 'campus']),
      spec: {
        physicalNetwork: this.#chance(0.8) ? 'physnet' : 'other',
        vlans: this.#some(0.2, () => [{ from: 0, to: this.choose([99, 4000]) }]),
        mtu: this.#some(0.2, () => 1500),
      },
    }),
    Eip: () => {
      const name = this.choose(EIPS);
      const host = this.#chance(0.9) ? EIPS.indexOf(name) + 20 : 20;
      const subnet = this.#chance(0.9) ? 'internet' : 'partner';
      return {
        name,
        spec: { subnet, address: `${subnet === 'internet' ? '198.51.100' : '203.0.113'}.${host}` },
      };
    },
    Nat: () => this.#nat(),
    LoadBalancer: () => this.#balancer(),
    SecurityGroup: () => this.#group(),
    NetworkPolicy: () => this.#policy(),
    Namespace: () => ({
      name: this.choose(NAMESPACES),
      labels: { team: this.choose(['one', 'two']) },
      spec: {},
    }),
    AddressLock: () => ({
      name: this.#chance(0.8) ? 'addresses' : 'more',
      spec: {
        ports: Object.fromEntries(
          this.#list(4, () => [
            this.#portName(),
            [`10.${this.choose([1, 2, 3])}.0.${this.choose([50, 51, 52, 53])}`],
          ]),
        ),
      },
    }),
  };

  #vpc(): Made {
    const name = this.choose(VPCS);
    const index = VPCS.indexOf(name);
    const external = this.#some(0.6, () => [
      {
        subnet: 'internet',
        addresses: [`198.51.100.${10 + index}`],
        gateways: ['chassis-1', this.choose(['chassis-1', 'chassis-2', 'chassis-3'])],
        defaultRoute: this.#some(0.2, () => false),
      },
      ...this.#list(0.6, () => ({
        subnet: this.choose(EXTERNALS),
        addresses: [`203.0.113.${10 + index}`],
        gateways: ['chassis-1'],
        defaultRoute: this.#some(0.8, () => false),
      })),
    ]);
    const via = (): string => this.choose([`10.${index + 1}.0.9`, '198.51.100.1', '100.64.0.2', '192.0.2.1']);
    return {
      name,
      spec: {
        external,
        routes: this.#some(0.3, () =>
          this.#list(2, () => ({
            cidr: this.choose(['172.16.0.0/12', '10.2.0.0/16', '0.0.0.0/0']),
            via: via(),
          })),
        ),
        policyRoutes: this.#some(0.2, () => [
          {
            priority: this.choose([10, 20]),
            match: this.choose([
              `ip4.src == 10.${index + 1}.0.0/24`,
              `inport == "${name}:${name}-0"`,
              `inport == "${name}:nowhere"`,
            ]),
            action: this.choose(['allow', 'drop']),
          },
        ]),
      },
    };
  }

  #subnet(): Made {
    if (this.#chance(0.2)) {
      const name = this.choose(EXTERNALS);
      const cidr = name === 'internet' ? '198.51.100.0/24' : '203.0.113.0/24';
      const vlan = this.choose([100, name === 'internet' ? 100 : 200]);
      return {
        name,
        spec: { cidrs: [cidr], provider: { network: this.choose(['datacenter', 'campus']), vlan } },
      };
    }
    if (this.#chance(0.2)) {
      const name = this.choose(LONELY);
      const provider =
        name === 'tagged' ? { network: 'datacenter', vlan: this.choose([100, 300]) } : undefined;
      return { name, spec: { cidrs: ['10.8.0.0/28'], provider, dhcp: this.#some(0.5, () => ({})) } };
    }
    const vpc = this.choose(VPCS);
    const index = this.choose([0, 1, 2]);
    const third = this.#chance(0.95) ? index : 0;
    const base = `10.${VPCS.indexOf(vpc) + 1}.${third}`;
    const six = this.#some(0.3, () => `fd00:${VPCS.indexOf(vpc) + 1}:${index}::/64`);
    return {
      name: `${vpc}-${index}`,
      spec: {
        vpc: this.#chance(0.95) ? vpc : this.choose(VPCS),
        cidrs: [`${base}.0/${this.choose([24, 24, 29])}`, ...(six === undefined ? [] : [six])],
        gateways: this.#some(0.3, () => [`${base}.${this.choose([1, 2, 6])}`]),
        exclude: this.#some(0.3, () => [`${base}.3..${base}.${this.choose([4, 5])}`]),
        gateway: this.#some(0.1, () => ({ mode: 'centralized', chassis: ['chassis-1'] })),
        dhcp: this.#some(0.5, () => ({ mtu: this.#some(0.2, () => 1300) })),
        isolation: this.#some(0.2, () => ({
          mode: 'private',
          allow: this.#some(0.5, () => ['10.2.0.0/16']),
        })),
      },
    };
  }

  #port(): Made {
    const [namespace, name] = this.#scoped();
    const vpc = this.choose(VPCS);
    const subnet = this.#chance(0.85)
      ? `${vpc}-${this.choose([0, 1, 2])}`
      : this.choose([...LONELY, 'internet']);
    const base = `10.${VPCS.indexOf(vpc) + 1}.${subnet.slice(-1)}`;
    return {
      name,
      namespace,
      labels: { app: this.choose(['web', 'db']), tier: this.choose(['a', 'b']) },
      spec: {
        subnet,
        addresses: this.#some(0.2, () => [`${base}.${this.choose([3, 4, 5, 6, 50, 51])}`]),
        mac: this.#some(0.15, () =>
          this.choose(['0A:00:00:00:00:01', '0a:00:00:00:00:02', '01:00:00:00:00:01']),
        ),
        interfaceId: this.#some(0.15, () => this.choose(['nic-0', 'nic-1', this.#portName()])),
        portSecurity: this.#some(0.1, () => false),
        ports: this.#some(0.3, () => [{ name: this.choose(['http', 'dns']), port: this.choose([80, 8080]) }]),
        securityGroups: this.#some(0.2, () => [`${this.#chance(0.9) ? vpc : this.choose(VPCS)}-web`]),
      },
    };
  }

  #scoped(): readonly [namespace: string | undefined, name: string] {
    const name = this.choose(PORTS);
    const index = PORTS.indexOf(name);
    if (this.#chance(0.05)) return [this.choose(NAMESPACES), name];
    return [index < 8 ? 'shop' : index < 16 ? 'ops' : undefined, name];
  }

  #portName(): string {
    const [namespace, name] = this.#scoped();
    return namespace === undefined ? name : `${namespace}/${name}`;
  }

  #peering(): Made {
    const [one, two] = this.choose([
      ['red', 'green'],
      ['green', 'blue'],
      ['red', 'blue'],
      ['red', 'red'],
    ] as const);
    const link = one === 'red' ? (two === 'green' ? 0 : 8) : 4;
    const end = (vpc: string, host: number): object => ({
      vpc,
      addresses: [`100.64.0.${link + host}/30`],
      advertise: this.#some(0.3, () => [`10.${VPCS.indexOf(vpc) + 1}.${this.choose([0, 1])}.0/24`]),
    });
    const name = this.#chance(0.9) ? `${one}-${two}` : 'spare';
    return { name, spec: { ends: [end(one, 1), end(two, 2)] } };
  }

  #nat(): Made {
    const vpc = this.choose(VPCS);
    const index = VPCS.indexOf(vpc);
    const eip = this.#chance(0.8) ? `eip-${index}` : this.choose(EIPS);
    const target = (): string =>
      this.#chance(0.7) ? this.#portName() : `10.${index + 1}.0.${this.choose([5, 6])}`;
    const spec = this.choose([
      { type: 'snat', vpc, eip, internal: `10.${index + 1}.${this.choose([0, 1])}.0/24` },
      { type: 'dnat_and_snat', vpc, eip, internal: target(), mode: this.#some(0.3, () => 'distributed') },
      {
        type: 'port_forward',
        vpc,
        eip,
        protocol: 'tcp',
        externalPort: this.choose([80, 443]),
        internal: target(),
        internalPort: 8080,
      },
    ]);
    return { name: `${vpc}-nat-${this.choose([0, 1])}`, spec };
  }

  #balancer(): Made {
    const vpc = this.choose(VPCS);
    const index = VPCS.indexOf(vpc);
    const subnet = `${vpc}-0`;
    return {
      name: `${vpc}-lb-${this.choose([0, 1])}`,
      spec: {
        vpc,
        ...(this.#chance(0.8)
          ? { vip: this.choose(['10.96.0.1', `10.${index + 1}.0.60`, '198.51.100.60']) }
          : { eip: this.choose(EIPS) }),
        listeners: this.#list(2, () => ({
          port: this.choose([80, 443]),
          protocol: this.choose(['tcp', 'udp']),
          backends: this.#list(3, () => ({ target: this.#portName(), port: 80 })),
        })),
        healthCheck: this.#some(0.2, () => ({ sources: [{ subnet, address: `10.${index + 1}.0.61` }] })),
      },
    };
  }

  #group(): Made {
    const name = this.choose(GROUPS);
    const vpc = this.#chance(0.95) ? name.slice(0, name.indexOf('-')) : this.choose(VPCS);
    const rule = (): object => ({
      protocol: this.choose(['tcp', 'any', 'icmp']),
      remote: this.#some(0.5, () => [this.choose([{ cidr: '10.0.0.0/8' }, { group: this.choose(GROUPS) }])]),
      log: this.#some(0.2, () => true),
    });
    return {
      name,
      spec: {
        vpc,
        selector: this.#some(0.5, () => this.#selector()),
        ingress: this.#some(0.4, () => this.#list(2, rule)),
        egress: this.#some(0.2, () => this.#list(1, rule)),
      },
    };
  }

  #policy(): Made {
    const peer = (): object =>
      this.choose([
        { podSelector: this.#selector() },
        {
          namespaceSelector: this.choose([{}, { matchLabels: { team: 'one' } }]),
          podSelector: this.#selector(),
        },
        { ipBlock: { cidr: '10.0.0.0/8', except: [this.choose(['10.1.0.0/16', '10.0.0.0/8'])] } },
      ]);
    const ports = (): readonly object[] =>
      this.#list(2, () => this.choose([{ port: 80 }, { port: 'http' }, { port: 'dns', protocol: 'TCP' }]));
    return {
      name: `policy-${this.choose([0, 1, 2])}`,
      namespace: this.#chance(0.95) ? this.choose(NAMESPACES) : 'nowhere',
      spec: {
        podSelector: this.#selector(),
        ingress: this.#some(0.7, () => this.#list(2, () => ({ from: this.#list(2, peer), ports: ports() }))),
        egress: this.#some(0.3, () => this.#list(1, () => ({ to: this.#list(2, peer), ports: ports() }))),
      },
    };
  }

  #selector(): object {
    return this.choose([
      {},
      { matchLabels: { app: this.choose(['web', 'db']) } },
      { matchLabels: { app: 'web', tier: this.choose(['a', 'b']) } },
      { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['a'] }] },
    ]);
  }
}

interface Made {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec: object;
}
