import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Compiled } from '../../src/compile/compile.ts';
import { loadNb } from '../support/load-nb.ts';
import { type OvnCentral, startCentral } from '../support/ovn-central.ts';
import { Packets } from './packets.ts';
import { compileText } from './resources.ts';

let central: OvnCentral;
let compiled: Compiled;
beforeAll(async () => {
  central = await startCentral();
});
afterAll(async () => {
  await central.stop();
});

/** Loads compiled documents into a real ovn-northd, which must not complain about any of them. */
async function load(...texts: readonly string[]): Promise<Packets> {
  compiled = compileText(...texts);
  await loadNb(central.nb, compiled.nb);
  central.settle();
  expect(central.northdComplaints()).toEqual([]);
  return new Packets(central, compiled);
}

const RED = `
kind: Vpc
metadata: {name: red}
spec: {}
---
kind: Subnet
metadata: {name: web}
spec:
  vpc: red
  cidrs: [10.0.1.0/24, 'fd00:1::/64']
  dhcp:
    domain: red.example
    dnsServers: [192.0.2.53, 192.0.2.54, 'fd00::53']
    ntpServers: [192.0.2.1]
---
kind: Subnet
metadata: {name: db}
spec: {vpc: red, cidrs: [10.0.2.0/24, 'fd00:2::/64']}
---
kind: Port
metadata: {name: a, namespace: shop, labels: {app: web}}
spec: {subnet: web, addresses: [10.0.1.11]}
---
kind: Port
metadata: {name: a2, namespace: shop, labels: {app: web, tier: front}}
spec: {subnet: web, ports: [{name: http, port: 8080}]}
---
kind: Port
metadata: {name: b, namespace: shop, labels: {app: db}}
spec: {subnet: db, addresses: [10.0.2.12], mac: '02:00:00:00:02:0C', ports: [{name: http, port: 9090}]}
---
kind: Port
metadata: {name: lone}
spec: {subnet: db, interfaceId: 8c6e-lone}
`;

describe('a VPC', () => {
  test('switches inside a subnet and routes between subnets in both families', async () => {
    const packets = await load(RED);
    expect(packets.arrivals({ from: 'shop/a', to: 'shop/a2' })).toEqual(['shop/a2']);
    expect(packets.arrivals({ from: 'shop/a', to: 'shop/b' })).toEqual(['shop/b']);
    expect(packets.arrivals({ from: 'shop/a', to: 'lone', family: 6 })).toEqual(['8c6e-lone']);
  });

  test('answers DHCP and sends router advertisements with the options of the subnet', async () => {
    await load(RED);
    const flows = central.sbctl('lflow-list', 'web');
    expect(flows).toMatch(
      /put_dhcp_opts\(offerip = 10\.0\.1\.11, .*dns_server = \{192\.0\.2\.53, 192\.0\.2\.54\}/,
    );
    expect(flows).toMatch(/domain_name = "red\.example"/);
    expect(flows).toMatch(/put_dhcpv6_opts\(ia_addr = fd00:1:/);
    expect(flows).toMatch(/domain_search = "red\.example"/);
    expect(central.sbctl('lflow-list', 'red')).toMatch(
      /put_nd_ra_opts\(addr_mode = "dhcpv6_stateful", slla = .*, mtu = 1442/,
    );
  });
});

const TWINS = ['red', 'blue']
  .map(
    (vpc) => `
kind: Vpc
metadata: {name: ${vpc}}
spec: {}
---
kind: Subnet
metadata: {name: ${vpc}-net}
spec: {vpc: ${vpc}, cidrs: [192.0.2.0/24], exclude: [192.0.2.1]}
---
kind: Port
metadata: {name: ${vpc}-1}
spec: {subnet: ${vpc}-net, addresses: [192.0.2.11]}
---
kind: Port
metadata: {name: ${vpc}-2}
spec: {subnet: ${vpc}-net, addresses: [192.0.2.12]}
`,
  )
  .join('---');

describe('VPCs with equal networks', () => {
  test('are separate: an address means the port of the own VPC', async () => {
    const packets = await load(TWINS);
    expect(packets.arrivals({ from: 'red-1', to: 'red-2' })).toEqual(['red-2']);
    expect(packets.arrivals({ from: 'blue-1', to: 'blue-2' })).toEqual(['blue-2']);
    expect(compiled.pools.map(({ free, used }) => [free, used])).toEqual([
      [251n, 2n],
      [251n, 2n],
    ]);
  });
});

/** A policy of the namespace shop for the pods labelled app=db. */
function policy(spec: string): string {
  return `
kind: NetworkPolicy
metadata: {name: under-test, namespace: shop}
spec: ${spec}
`;
}

const HTTP = 'tcp.src == 40000 && tcp.dst == 80';

describe('a NetworkPolicy without rules', () => {
  test('lets nothing in but replies, neighbour discovery and DHCP', async () => {
    const packets = await load(RED, policy('{podSelector: {matchLabels: {app: db}}}'));
    expect(packets.arrivals({ from: 'shop/a', to: 'shop/b' })).toEqual([]);
    expect(packets.arrivals({ from: 'shop/a', to: 'shop/b', family: 6 })).toEqual([]);
    expect(packets.arrivals({ from: 'shop/a', to: 'lone' })).toEqual(['8c6e-lone']);
    expect(packets.arrivals({ from: 'shop/b', to: 'shop/a' })).toEqual(['shop/a']);
    const reply = { from: 'shop/a', to: 'shop/b', traffic: 'tcp.src == 80 && tcp.dst == 40000' };
    expect(packets.arrivals({ ...reply, ct: ['trk,est,rpl', 'trk,est,rpl', 'trk,est,rpl'] })).toEqual([
      'shop/b',
    ]);
    const solicit = {
      from: 'lone',
      to: 'shop/b',
      family: 6 as const,
      ttl: 255,
      traffic: 'icmp6.type == 135 && icmp6.code == 0 && nd.target == fd00:2::99',
    };
    expect(packets.arrivals(solicit)).toEqual(['shop/b']);
  });

  test('lets nothing out but DHCP when it isolates egress', async () => {
    const packets = await load(
      RED,
      policy('{podSelector: {matchLabels: {app: web}}, policyTypes: [Egress]}'),
    );
    expect(packets.arrivals({ from: 'shop/a', to: 'shop/b' })).toEqual([]);
    expect(packets.arrivals({ from: 'shop/b', to: 'shop/a' })).toEqual(['shop/a']);
    expect(
      packets.trace({ from: 'shop/a', to: '255.255.255.255', traffic: 'udp.src == 68 && udp.dst == 67' }),
    ).toMatch(/put_dhcp_opts/);
  });
});

describe('a NetworkPolicy with rules', () => {
  test('keeps the exception of a block away from other peers', async () => {
    const packets = await load(
      RED,
      policy(`
  podSelector: {matchLabels: {app: db}}
  policyTypes: [Egress]
  egress:
    - to:
        - ipBlock: {cidr: 0.0.0.0/0, except: [10.0.0.0/8]}
        - podSelector: {matchLabels: {tier: front}}
        - ipBlock: {cidr: 10.0.1.0/28}`),
    );
    expect(packets.arrivals({ from: 'shop/b', to: 'shop/a2' })).toEqual(['shop/a2']);
    expect(packets.arrivals({ from: 'shop/b', to: 'shop/a' })).toEqual(['shop/a']);
    expect(packets.arrivals({ from: 'shop/b', to: 'lone' })).toEqual([]);
    expect(packets.arrivals({ from: 'shop/b', to: 'shop/a2', family: 6 })).toEqual(['shop/a2']);
    expect(packets.arrivals({ from: 'shop/b', to: 'shop/a', family: 6 })).toEqual([]);
    expect(packets.trace({ from: 'shop/b', to: '198.51.100.7' })).toMatch(/ip\.ttl--/);
    expect(packets.trace({ from: 'shop/b', to: '10.9.9.9' })).not.toMatch(/ip\.ttl--/);
  });

  test('takes a named port for what it is on each destination', async () => {
    const packets = await load(
      RED,
      policy('{podSelector: {}, ingress: [{ports: [{port: http}, {port: nosuch}]}]}'),
    );
    const to = (port: string, number: number): readonly string[] =>
      packets.arrivals({ from: 'lone', to: port, traffic: `tcp.src == 4000 && tcp.dst == ${number}` });
    expect(to('shop/b', 9090)).toEqual(['shop/b']);
    expect(to('shop/b', 8080)).toEqual([]);
    expect(to('shop/a2', 8080)).toEqual(['shop/a2']);
    expect(to('shop/a2', 9090)).toEqual([]);
    expect(to('shop/a', 8080)).toEqual([]);
  });

  test('takes a named port on egress for what it is on the destination', async () => {
    const packets = await load(
      RED,
      policy(`
  podSelector: {matchLabels: {app: web}}
  egress: [{to: [{podSelector: {}}], ports: [{port: http}, {port: 6000, endPort: 6010, protocol: UDP}]}]`),
    );
    const to = (port: string, traffic: string): readonly string[] =>
      packets.arrivals({ from: 'shop/a', to: port, traffic });
    expect(to('shop/b', 'tcp.src == 1 && tcp.dst == 9090')).toEqual(['shop/b']);
    expect(to('shop/b', 'tcp.src == 1 && tcp.dst == 8080')).toEqual([]);
    expect(to('shop/b', 'udp.src == 1 && udp.dst == 6010')).toEqual(['shop/b']);
    expect(to('shop/b', 'udp.src == 1 && udp.dst == 6011')).toEqual([]);
    expect(to('lone', 'udp.src == 1 && udp.dst == 6005')).toEqual([]);
  });

  test.each([
    ['[{}]', ['shop/a', 'lone']],
    ['[{from: []}]', ['shop/a', 'lone']],
    ['[{from: null}]', ['shop/a', 'lone']],
    ['[{from: [{podSelector: {}}]}]', ['shop/a']],
    ['[{from: [{namespaceSelector: {}}]}]', ['shop/a']],
    ['[{from: [{namespaceSelector: {}, podSelector: {matchLabels: {app: none}}}]}]', []],
    ['[{from: [{podSelector: {matchLabels: {app: none}}}]}]', []],
    ['[{from: [{ipBlock: {cidr: 10.0.0.0/8, except: [10.0.1.0/24]}}]}]', ['lone']],
    ['[]', []],
    ['null', []],
  ])('ingress: %s lets in %j', async (ingress, allowed) => {
    const packets = await load(RED, policy(`{podSelector: {matchLabels: {app: db}}, ingress: ${ingress}}`));
    const arrived = ['shop/a', 'lone'].filter(
      (from) => packets.arrivals({ from, to: 'shop/b', traffic: HTTP }).length > 0,
    );
    expect(arrived).toEqual(allowed);
  });
});

const GROUPS = `
kind: SecurityGroup
metadata: {name: web-servers}
spec:
  vpc: red
  selector: {matchLabels: {app: web}}
  ingress:
    - {protocol: tcp, ports: [{from: 80}, {from: 8000, to: 8100}]}
    - {protocol: icmp, remote: [{group: db-servers}], log: true}
---
kind: SecurityGroup
metadata: {name: db-servers}
spec:
  vpc: red
  selector: {matchLabels: {app: db}}
  ingress:
    - {remote: [{group: web-servers}, {cidr: 10.0.2.128/25}]}
    - {action: drop, priority: 50, protocol: tcp, ports: [{from: 22}]}
  egress: [{protocol: any, remote: [{cidr: 10.0.1.0/24}]}]
---
kind: SecurityGroup
metadata: {name: empty}
spec: {vpc: red, ingress: []}
`;

describe('security groups', () => {
  test('let in what a rule allows, by port, address and group', async () => {
    const packets = await load(RED, GROUPS);
    expect(packets.arrivals({ from: 'lone', to: 'shop/a', traffic: HTTP })).toEqual(['shop/a']);
    expect(packets.arrivals({ from: 'lone', to: 'shop/a', family: 6, traffic: HTTP })).toEqual(['shop/a']);
    expect(packets.arrivals({ from: 'lone', to: 'shop/a' })).toEqual([]);
    expect(packets.arrivals({ from: 'shop/b', to: 'shop/a' })).toEqual(['shop/a']);
    expect(packets.arrivals({ from: 'shop/a', to: 'shop/b', family: 6 })).toEqual(['shop/b']);
    const ssh = 'tcp.src == 1 && tcp.dst == 22';
    expect(packets.arrivals({ from: 'shop/a', to: 'shop/b', traffic: ssh })).toEqual([]);
    expect(packets.arrivals({ from: 'shop/b', to: 'lone' })).toEqual([]);
  });

  test('pass replies to what a closed member opened', async () => {
    const packets = await load(
      RED,
      `
kind: SecurityGroup
metadata: {name: closed}
spec: {vpc: red, selector: {}, ingress: []}
`,
    );
    const web = { from: 'shop/b', to: 'shop/a', traffic: 'tcp.src == 80 && tcp.dst == 40000' };
    expect(packets.arrivals(web)).toEqual([]);
    expect(packets.arrivals({ ...web, ct: ['est,rpl', 'est,rpl', 'est,rpl', 'est,rpl'] })).toEqual([
      'shop/a',
    ]);
  });
});

const PRIVATE = RED.replace(
  "spec: {vpc: red, cidrs: [10.0.2.0/24, 'fd00:2::/64']}",
  "spec: {vpc: red, cidrs: [10.0.2.0/24, 'fd00:2::/64'], isolation: {mode: private, allow: [10.0.1.11/32]}}",
);

describe('a private subnet', () => {
  test('talks to itself and to what it allows, both ways, and to nothing else', async () => {
    const packets = await load(PRIVATE);
    expect(packets.arrivals({ from: 'shop/a', to: 'shop/b' })).toEqual(['shop/b']);
    expect(packets.arrivals({ from: 'shop/b', to: 'shop/a' })).toEqual(['shop/a']);
    expect(packets.arrivals({ from: 'lone', to: 'shop/b' })).toEqual(['shop/b']);
    expect(packets.arrivals({ from: 'lone', to: 'shop/b', family: 6 })).toEqual(['shop/b']);
    expect(packets.arrivals({ from: 'shop/a2', to: 'shop/b' })).toEqual([]);
    expect(packets.arrivals({ from: 'shop/b', to: 'shop/a2' })).toEqual([]);
    expect(packets.arrivals({ from: 'shop/a', to: 'shop/b', family: 6 })).toEqual([]);
  });

  test('leaves the verdict on what it allows to security groups, and passes replies through both', async () => {
    const packets = await load(
      PRIVATE,
      `
kind: SecurityGroup
metadata: {name: closed}
spec: {vpc: red, selector: {matchLabels: {app: db}}, ingress: []}
`,
    );
    const web = { from: 'shop/a', to: 'shop/b', traffic: 'tcp.src == 80 && tcp.dst == 40000' };
    expect(packets.arrivals(web)).toEqual([]);
    expect(packets.arrivals({ ...web, ct: ['est,rpl', 'est,rpl', 'est,rpl', 'est,rpl'] })).toEqual([
      'shop/b',
    ]);
  });
});
