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
      RED.replace('spec: {}', 'spec: {routes: [{cidr: 0.0.0.0/0, via: 10.0.1.254}]}'),
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

const PEERED = `
kind: Vpc
metadata: {name: red}
spec: {}
---
kind: Vpc
metadata: {name: blue}
spec: {}
---
kind: Subnet
metadata: {name: red-net}
spec: {vpc: red, cidrs: [10.10.0.0/16, 'fd10::/64']}
---
kind: Subnet
metadata: {name: blue-net}
spec: {vpc: blue, cidrs: [10.20.0.0/16, 'fd20::/64']}
---
kind: Subnet
metadata: {name: blue-hidden}
spec: {vpc: blue, cidrs: [10.21.0.0/16]}
---
kind: Port
metadata: {name: r, namespace: shop}
spec: {subnet: red-net}
---
kind: Port
metadata: {name: b, namespace: shop, labels: {app: db}}
spec: {subnet: blue-net}
---
kind: Port
metadata: {name: b2, namespace: other}
spec: {subnet: blue-net}
---
kind: Port
metadata: {name: h}
spec: {subnet: blue-hidden}
---
kind: Peering
metadata: {name: red-blue}
spec:
  ends:
    - {vpc: red, addresses: [169.254.1.1/30, 'fe00::1/126']}
    - {vpc: blue, addresses: [169.254.1.2/30, 'fe00::2/126'], advertise: [10.20.0.0/16, 'fd20::/64']}
`;

describe('a peering', () => {
  test('joins what its ends advertise, both ways and in both families', async () => {
    const packets = await load(PEERED);
    expect(packets.arrivals({ from: 'shop/r', to: 'shop/b' })).toEqual(['shop/b']);
    expect(packets.arrivals({ from: 'shop/b', to: 'shop/r' })).toEqual(['shop/r']);
    expect(packets.arrivals({ from: 'shop/r', to: 'shop/b', family: 6 })).toEqual(['shop/b']);
    expect(packets.arrivals({ from: 'shop/r', to: 'h' })).toEqual([]);
  });

  test('brings ports of the other VPC within reach of selectors', async () => {
    const packets = await load(
      PEERED,
      policy('{podSelector: {}, ingress: [{from: [{podSelector: {matchLabels: {app: db}}}]}]}'),
    );
    expect(packets.arrivals({ from: 'shop/b', to: 'shop/r' })).toEqual(['shop/r']);
    expect(packets.arrivals({ from: 'other/b2', to: 'shop/r' })).toEqual([]);
  });
});

const EXTERNAL = `
kind: ProviderNetwork
metadata: {name: uplink}
spec: {physicalNetwork: physnet1}
---
kind: Subnet
metadata: {name: internet}
spec: {cidrs: [203.0.113.0/24, '2001:db8::/64'], gateways: [203.0.113.1, '2001:db8::1'], provider: {network: uplink, vlan: 100}}
---
kind: Vpc
metadata: {name: red}
spec:
  external:
    - {subnet: internet, addresses: [203.0.113.2, '2001:db8::2'], gateways: [node-1, node-2]}
---
kind: Subnet
metadata: {name: web}
spec: {vpc: red, cidrs: [10.0.1.0/24, 'fd00:1::/64']}
---
kind: Subnet
metadata: {name: db}
spec: {vpc: red, cidrs: [10.0.2.0/24, 'fd00:2::/64']}
---
kind: Port
metadata: {name: a}
spec: {subnet: web, addresses: [10.0.1.11, 'fd00:1::11']}
---
kind: Port
metadata: {name: b}
spec: {subnet: db, addresses: [10.0.2.12, 'fd00:2::12']}
---
kind: Port
metadata: {name: c}
spec: {subnet: db, addresses: [10.0.2.13, 'fd00:2::13']}
---
kind: Port
metadata: {name: outside}
spec: {subnet: internet, addresses: [203.0.113.200]}
---
kind: Eip
metadata: {name: out}
spec: {subnet: internet, address: 203.0.113.10}
---
kind: Eip
metadata: {name: float}
spec: {subnet: internet, address: 203.0.113.11}
---
kind: Eip
metadata: {name: shared}
spec: {subnet: internet, address: 203.0.113.12}
---
kind: Nat
metadata: {name: out}
spec: {type: snat, vpc: red, eip: out, internal: 10.0.1.0/24}
---
kind: Nat
metadata: {name: float}
spec: {type: dnat_and_snat, vpc: red, eip: float, internal: b, mode: distributed}
---
kind: Nat
metadata: {name: forward}
spec: {type: port_forward, vpc: red, eip: shared, protocol: tcp, externalPort: 8080, internal: a, internalPort: 80}
`;

/** A flow from the port on the external subnet to a router address, as it comes from the physical network. */
function fromOutside(address: string, traffic: string): string {
  const mac = compiled.addresses.get('outside')?.mac ?? '';
  const router = [...compiled.nb.rows.values()].find(({ key }) => key === 'Logical_Router_Port/red:internet');
  return [
    'inport == "outside"',
    `eth.src == ${mac}`,
    `eth.dst == ${router?.columns['mac'] as string}`,
    'ip4.src == 203.0.113.200',
    `ip4.dst == ${address}`,
    'ip.ttl == 64',
    traffic,
  ].join(' && ');
}

const NEW = ['new', 'new', 'new', 'new', 'new', 'new'];

describe('an external subnet', () => {
  test('carries traffic out through the gateway with the translated source', async () => {
    const packets = await load(EXTERNAL);
    expect(packets.trace({ from: 'a', to: '203.0.113.200' })).toMatch(/ip4\.src=203\.0\.113\.10/);
    expect(packets.trace({ from: 'b', to: '203.0.113.200' })).toMatch(/203\.0\.113\.11/);
    expect(packets.trace({ from: 'a', to: '198.51.100.7' })).toMatch(/ip\.ttl--/);
  });

  test('brings a floating address and a forwarded port to their Port', async () => {
    await load(EXTERNAL);
    const floating = central.trace({ flow: fromOutside('203.0.113.11', 'icmp4.type == 8'), ct: NEW });
    expect(floating).toMatch(/output\("b"\)/);
    const forwarded = fromOutside('203.0.113.12', 'tcp.src == 1 && tcp.dst == 8080');
    expect(central.trace({ flow: forwarded, ct: NEW })).toMatch(/output\("a"\)/);
    const other = fromOutside('203.0.113.12', 'tcp.src == 1 && tcp.dst == 8081');
    expect(central.trace({ flow: other, ct: NEW })).not.toMatch(/output\("a"\)/);
  });

  test('lets the router announce its addresses and fail over in the order of its gateways', async () => {
    await load(EXTERNAL);
    const bindings = central.sbctl(
      '--format=json',
      '--columns=nat_addresses',
      'find',
      'Port_Binding',
      'type=patch',
    );
    expect(bindings).toContain('203.0.113.12');
    const chassis = central.sbctl('--bare', '--columns=name', 'list', 'HA_Chassis_Group');
    expect(chassis.trim()).toBe('red:internet');
  });
});

const BALANCERS = `
kind: LoadBalancer
metadata: {name: shop}
spec:
  vpc: red
  vip: 10.96.0.10
  listeners:
    - {port: 80, protocol: tcp, backends: [{target: b, port: 8080}, {target: c, port: 8080}]}
    - {port: 53, protocol: udp, backends: [{target: c, port: 5353}]}
    - {port: 443, protocol: tcp, backends: []}
  healthCheck: {sources: [{subnet: db, address: 10.0.2.250}], interval: 1s, failureCount: 2}
---
kind: LoadBalancer
metadata: {name: shop6}
spec:
  vpc: red
  vip: 'fd96::a'
  listeners: [{port: 80, protocol: tcp, backends: [{target: b, port: 8080}]}]
  healthCheck: {sources: [{subnet: db, address: 'fd00:2::250'}]}
---
kind: LoadBalancer
metadata: {name: public}
spec: {vpc: red, eip: shared, listeners: [{port: 443, protocol: tcp, backends: [{target: c, port: 8443}]}]}
---
kind: LoadBalancer
metadata: {name: sticky}
spec:
  vpc: red
  vip: 10.96.0.11
  affinity: 10m
  listeners: [{port: 80, protocol: tcp, backends: [{target: b, port: 80}, {target: c, port: 80}]}]
`;

describe('load balancers', () => {
  test('take connections to their address to the backends of that protocol, from inside and outside', async () => {
    const packets = await load(EXTERNAL, BALANCERS);
    const web = packets.arrivals({ from: 'a', to: '10.96.0.10', traffic: 'tcp.src == 1 && tcp.dst == 80' });
    expect(['b', 'c']).toEqual(expect.arrayContaining([...web]));
    expect(web).toHaveLength(1);
    const dns = { from: 'a', to: '10.96.0.10', traffic: 'udp.src == 1 && udp.dst == 53' };
    expect(packets.arrivals(dns)).toEqual(['c']);
    const web6 = { from: 'a', to: 'fd96::a', family: 6 as const, traffic: 'tcp.src == 1 && tcp.dst == 80' };
    expect(packets.arrivals(web6)).toEqual(['b']);
    const outside = fromOutside('203.0.113.12', 'tcp.src == 1 && tcp.dst == 443');
    expect(central.trace({ flow: outside, ct: NEW })).toMatch(/output\("c"\)/);
  });

  test('remember the backend of a client for as long as they say', async () => {
    const packets = await load(EXTERNAL, BALANCERS);
    // ovn-trace ends where the backend is learnt.
    const sticky = packets.trace({ from: 'a', to: '10.96.0.11', traffic: 'tcp.src == 1 && tcp.dst == 80' });
    expect(sticky).toMatch(/ct_lb_mark/);
    expect(central.sbctl('lflow-list', 'web')).toMatch(
      /commit_lb_aff\(vip = "10\.96\.0\.11:80", .*timeout = 600\)/,
    );
  });

  test('refuse connections that no backend can take', async () => {
    const packets = await load(EXTERNAL, BALANCERS);
    const refused = packets.trace({ from: 'a', to: '10.96.0.10', traffic: 'tcp.src == 1 && tcp.dst == 443' });
    expect(refused).toMatch(/tcp_reset/);
  });

  test('probe each backend from the address that its subnet lends', async () => {
    await load(EXTERNAL, BALANCERS);
    const monitors = central.sbctl(
      '--format=csv',
      '--no-heading',
      '--columns=logical_port,ip,port,src_ip',
      'list',
      'Service_Monitor',
    );
    expect(monitors.replaceAll('"', '').trim().split('\n').toSorted()).toEqual(
      [
        'b,10.0.2.12,8080,10.0.2.250',
        'b,fd00:2::12,8080,fd00:2::250',
        'c,10.0.2.13,8080,10.0.2.250',
        'c,10.0.2.13,5353,10.0.2.250',
      ].toSorted(),
    );
  });
});

describe('a subnet without a VPC', () => {
  test('has its policies in force as well', async () => {
    const packets = await load(
      `
kind: Subnet
metadata: {name: lonely}
spec: {cidrs: [10.9.0.0/24]}
---
kind: Port
metadata: {name: a, namespace: shop}
spec: {subnet: lonely}
---
kind: Port
metadata: {name: b, namespace: other}
spec: {subnet: lonely}
`,
      policy('{podSelector: {}, ingress: [{from: [{namespaceSelector: {}}], ports: [{port: 80}]}]}'),
    );
    expect(packets.arrivals({ from: 'other/b', to: 'shop/a', traffic: HTTP })).toEqual(['shop/a']);
    expect(packets.arrivals({ from: 'other/b', to: 'shop/a' })).toEqual([]);
    expect(packets.arrivals({ from: 'shop/a', to: 'other/b' })).toEqual(['other/b']);
  });
});
