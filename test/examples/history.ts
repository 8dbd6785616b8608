import { compile } from '../../src/compile/compile.ts';
import { scopedName } from '../../src/model/resource.ts';
import { validateMap } from './example-files.ts';

type Files = Map<string, string>;

/** A commit: what it is for, and what it does to the files by path. */
export interface Step {
  readonly subject: string;
  edit(files: Files): void;
}

/** A season of the example network, commit by commit. Each step starts from the files that the one before left. */
export const HISTORY: readonly Step[] = [
  { subject: 'shop: Add a third web server', edit: addWebServer },
  {
    subject: 'policies: Let customers reach the new web interface',
    edit: (files) => {
      replace(
        files,
        'policies/shop-groups.yaml',
        '        - from: 443\n',
        '        - from: 443\n        - from: 8443\n',
      );
    },
  },
  { subject: 'Pin the automatic addresses', edit: pinAddresses },
  { subject: 'lab: Double the network of the machines', edit: widenLab },
  { subject: 'Add the VPC of the billing team', edit: addBilling },
  {
    subject: 'shop: Rename the file of the DMZ',
    edit: (files) => {
      const text = take(files, 'tenants/shop/edge.yaml');
      files.set('tenants/shop/dmz.yaml', text);
    },
  },
  { subject: 'lab: Move the proxy to a file of its own', edit: moveProxy },
  { subject: 'shop: Let the application leave as an address of its own', edit: separateApplication },
  {
    subject: "lab: Remove the notebooks' load balancer",
    edit: (files) => {
      take(files, 'tenants/lab/load-balancers.yaml');
    },
  },
  {
    subject: 'shop: Renumber the second database',
    edit: (files) => {
      replace(files, 'tenants/shop/databases.yaml', '10.10.2.11', '10.10.2.21');
      replace(files, 'tenants/shop/databases.yaml', '2001:db8:10:2::11', '2001:db8:10:2::21');
    },
  },
  {
    subject: 'lab: Tell the desks their time server and a smaller MTU',
    edit: (files) => {
      const before = '    ntpServers: [10.20.1.254]\n';
      replace(
        files,
        'tenants/lab/subnets.yaml',
        before,
        '    ntpServers: [10.20.1.254, 10.0.0.53]\n    mtu: 1400\n',
      );
    },
  },
  {
    subject: 'lab: Add a third gateway node',
    edit: (files) => {
      replace(files, 'tenants/lab/vpc.yaml', 'gateways: [gw-2, gw-1]', 'gateways: [gw-3, gw-2, gw-1]');
    },
  },
  { subject: "policies: Close the bastion's way to the web servers", edit: closeSsh },
  { subject: 'policies: Let builds meet each other', edit: letBuildsMeet },
  { subject: 'shop: Retire the third web server', edit: retireWebServer },
  { subject: 'shop: Send only half of the offices through the VPN box', edit: narrowOffices },
  { subject: 'lab: Close the sandbox', edit: closeSandbox },
];

const WEB_SERVER = `---
# For the season only.
apiVersion: ovn-gitops.io/v1
kind: Port
metadata:
  name: web-2
  namespace: edge
  labels: { app: web }
spec:
  subnet: shop-dmz
  addresses: [10.10.0.23, '2001:db8:10::23']
`;

const BACKENDS = [80, 443].map((port) => ({
  before: `        - { target: edge/web-1, port: ${port} }\n`,
  after: `        - { target: edge/web-1, port: ${port} }\n        - { target: edge/web-2, port: ${port} }\n`,
}));

function addWebServer(files: Files): void {
  append(files, 'tenants/shop/edge.yaml', WEB_SERVER);
  for (const { before, after } of BACKENDS) {
    replace(files, 'tenants/shop/load-balancers.yaml', before, after);
  }
}

function retireWebServer(files: Files): void {
  replace(files, 'tenants/shop/dmz.yaml', WEB_SERVER, '');
  for (const { before, after } of BACKENDS) {
    replace(files, 'tenants/shop/load-balancers.yaml', after, before);
  }
}

/** What `ovn-gitops lock` writes: the addresses that the ports have now, so that nothing below moves them. */
function pinAddresses(files: Files): void {
  const { set } = validateMap(files);
  const { addresses } = compile(set);
  const ports = set.all('Port').flatMap((port) => {
    const given = addresses.get(scopedName(port))?.addresses ?? [];
    const pinned = given.filter(({ automatic }) => automatic).map(({ address }) => `"${address}"`);
    return pinned.length === 0 ? [] : [`    "${scopedName(port)}": [${pinned.join(', ')}]\n`];
  });
  files.set(
    'ovn-gitops.lock.yaml',
    `apiVersion: ovn-gitops.io/v1
kind: AddressLock
metadata:
  name: addresses
spec:
  ports:
${ports.join('')}`,
  );
}

/** The gateway stays where the machines know it; the peering, the translation and the hub follow. */
function widenLab(files: Files): void {
  replace(
    files,
    'tenants/lab/subnets.yaml',
    "  cidrs: [10.20.1.0/24, '2001:db8:20:1::/64']\n",
    "  cidrs: [10.20.0.0/23, '2001:db8:20:1::/64']\n  gateways: [10.20.1.1, '2001:db8:20:1::1']\n",
  );
  replace(files, 'network/peerings.yaml', '10.20.1.0/24', '10.20.0.0/23');
  replace(files, 'tenants/lab/nat.yaml', '10.20.1.0/24', '10.20.0.0/23');
  replace(files, 'shared/vpc.yaml', '10.20.1.0/24', '10.20.0.0/23');
}

function addBilling(files: Files): void {
  const header = 'apiVersion: ovn-gitops.io/v1\n';
  files.set('tenants/billing/vpc.yaml', `${header}kind: Vpc\nmetadata:\n  name: billing\nspec: {}\n`);
  files.set(
    'tenants/billing/subnets.yaml',
    `${header}kind: Subnet
metadata:
  name: billing
spec:
  vpc: billing
  cidrs: [10.30.0.0/24, '2001:db8:30::/64']
`,
  );
  files.set(
    'tenants/billing/machines.yaml',
    ['billing-0', 'billing-1']
      .map((name) => `${header}kind: Port\nmetadata:\n  name: ${name}\nspec:\n  subnet: billing\n`)
      .join('---\n'),
  );
  append(
    files,
    'network/peerings.yaml',
    `---
${header}kind: Peering
metadata:
  name: billing-shared
spec:
  ends:
    - vpc: billing
      addresses: [100.64.0.10/30, 'fd64:0:0:3::2/64']
    - vpc: shared
      addresses: [100.64.0.9/30, 'fd64:0:0:3::1/64']
`,
  );
  replace(files, 'shared/vpc.yaml', '10.20.0.0/23}', '10.20.0.0/23, 10.30.0.0/24}');
}

function moveProxy(files: Files): void {
  const machines = documents(files, 'tenants/lab/machines.yaml');
  const proxy = machines.filter((text) => text.includes('name: lab-proxy'));
  const [modeline = ''] = (machines[0] ?? '').split('\n');
  files.set('tenants/lab/proxy.yaml', `${modeline}\n${proxy.join('')}`);
  files.set('tenants/lab/machines.yaml', machines.filter((text) => !proxy.includes(text)).join('---\n'));
}

function separateApplication(files: Files): void {
  append(
    files,
    'network/eips.yaml',
    `---
apiVersion: ovn-gitops.io/v1
kind: Eip
metadata:
  name: shop-app-out
spec:
  subnet: internet
  address: 198.51.100.15
`,
  );
  const before = '  eip: shop-out\n  internal: 10.10.4.0/24\n';
  replace(files, 'tenants/shop/nat.yaml', before, before.replace('shop-out', 'shop-app-out'));
}

function closeSsh(files: Files): void {
  const rule = `    - protocol: tcp
      ports:
        - from: 22
      remote:
        - group: shop-bastion
`;
  replace(files, 'policies/shop-groups.yaml', rule, '');
}

function letBuildsMeet(files: Files): void {
  append(
    files,
    'policies/ci.yaml',
    `---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: same-namespace
  namespace: ci
spec:
  podSelector: {}
  policyTypes: [Ingress, Egress]
  ingress:
    - from:
        - podSelector: {}
  egress:
    - to:
        - podSelector: {}
`,
  );
}

function narrowOffices(files: Files): void {
  replace(files, 'tenants/shop/vpc.yaml', 'cidr: 10.200.0.0/16', 'cidr: 10.200.0.0/17');
  replace(files, 'tenants/shop/vpc.yaml', '10.10.0.0/16, 10.200.0.0/16}', '10.10.0.0/16, 10.200.0.0/17}');
}

/** Its ports leave the lock as well, which names only ports that exist. */
function closeSandbox(files: Files): void {
  for (const part of ['vpc', 'subnets', 'machines']) take(files, `tenants/lab/sandbox-${part}.yaml`);
  const lock = take(files, 'ovn-gitops.lock.yaml');
  files.set('ovn-gitops.lock.yaml', lock.replaceAll(/^ +"sandbox-.*\n/gm, ''));
}

function documents(files: ReadonlyMap<string, string>, path: string): readonly string[] {
  return textOf(files, path).split('---\n');
}

function append(files: Files, path: string, text: string): void {
  files.set(path, textOf(files, path) + text);
}

/** Removes a file and gives back its text. */
function take(files: Files, path: string): string {
  const text = textOf(files, path);
  files.delete(path);
  return text;
}

/** Replaces the one place where the text stands. */
function replace(files: Files, path: string, before: string, after: string): void {
  const parts = textOf(files, path).split(before);
  if (parts.length !== 2) throw new Error(`${path} has ${parts.length - 1} places with ${before}`);
  files.set(path, parts.join(after));
}

function textOf(files: ReadonlyMap<string, string>, path: string): string {
  const text = files.get(path);
  if (text === undefined) throw new Error(`there is no ${path}`);
  return text;
}
