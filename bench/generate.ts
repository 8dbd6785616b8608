/** One file of a generated repository. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

/** Ports in each VPC, and the subnets that they are spread over. */
const PORTS_PER_VPC = 100;
const SUBNETS_PER_VPC = 10;
/** VPCs that share one external subnet. */
const VPCS_PER_EXTERNAL = 50;
/** Every so many VPCs, one is joined with the next by a Peering. */
const PEERING_STRIDE = 10;
/** Every so many VPCs, one has a floating address. */
const FLOATING_STRIDE = 5;

/** The port whose address `withMovedPort` changes. */
const MOVED_PORT = { vpc: 0, port: 0 };

/**
 * A repository of so many ports: VPCs of 100 ports over 10 subnets, each with a security group, a network policy,
 * an external connection and source NAT; some with a floating address or a peering. The same number gives the same
 * bytes. A quarter of the ports have fixed addresses; the rest are given out.
 */
export function generateRepository(ports: number): readonly GeneratedFile[] {
  const vpcs = Math.ceil(ports / PORTS_PER_VPC);
  const files: GeneratedFile[] = [
    { path: 'ovn-gitops.yaml', text: document('Repository', 'repository', 'spec: {}\n') },
    { path: 'platform/provider.yaml', text: providerText() },
    { path: 'platform/external.yaml', text: externalsText(Math.ceil(vpcs / VPCS_PER_EXTERNAL)) },
  ];
  for (let vpc = 0; vpc < vpcs; vpc += 1) {
    const count = Math.min(PORTS_PER_VPC, ports - vpc * PORTS_PER_VPC);
    files.push(
      { path: `${folder(vpc)}/network.yaml`, text: networkText(vpc) },
      { path: `${folder(vpc)}/nat.yaml`, text: natText(vpc) },
      { path: `${folder(vpc)}/policy.yaml`, text: policyText(vpc) },
      { path: portsPath(vpc), text: portsText(vpc, count, false) },
    );
  }
  for (let vpc = 0; vpc + 1 < vpcs; vpc += PEERING_STRIDE) {
    files.push({ path: `peerings/${name(vpc)}.yaml`, text: peeringText(vpc) });
  }
  return files;
}

/** The same repository with another fixed address for one port. */
export function withMovedPort(files: readonly GeneratedFile[]): readonly GeneratedFile[] {
  const path = portsPath(MOVED_PORT.vpc);
  const moved = files.map((file) =>
    file.path === path ? { path, text: portsText(MOVED_PORT.vpc, PORTS_PER_VPC, true) } : file,
  );
  return moved;
}

/** The unit that `withMovedPort` changes. */
export const MOVED_UNIT: string = `vpc/${name(MOVED_PORT.vpc)}`;

function providerText(): string {
  return document('ProviderNetwork', 'datacenter', 'spec:\n  physicalNetwork: physnet1\n');
}

function externalsText(count: number): string {
  return Array.from({ length: count }, (_, index) =>
    document(
      'Subnet',
      externalName(index),
      `spec:
  cidrs: [198.18.${index}.0/24]
  provider:
    network: datacenter
    vlan: ${100 + index}
`,
    ),
  ).join('---\n');
}

function networkText(vpc: number): string {
  const subnets = Array.from({ length: SUBNETS_PER_VPC }, (_, subnet) =>
    document(
      'Subnet',
      subnetName(vpc, subnet),
      `spec:
  vpc: ${name(vpc)}
  cidrs: [${prefix(vpc, subnet)}.0/24]
  dhcp: {}
`,
    ),
  );
  const router = document(
    'Vpc',
    name(vpc),
    `spec:
  external:
    - subnet: ${externalName(externalOf(vpc))}
      addresses: [${externalAddress(vpc, 0)}]
      gateways: [gateway-1, gateway-2]
`,
  );
  return [router, ...subnets].join('---\n');
}

function natText(vpc: number): string {
  const documents = [
    eipText(`${name(vpc)}-out`, vpc, 1),
    document(
      'Nat',
      `${name(vpc)}-out`,
      `spec:
  type: snat
  vpc: ${name(vpc)}
  eip: ${name(vpc)}-out
  internal: ${prefix(vpc, 0)}.0/24
`,
    ),
  ];
  if (vpc % FLOATING_STRIDE === 0) {
    documents.push(
      eipText(`${name(vpc)}-in`, vpc, 2),
      document(
        'Nat',
        `${name(vpc)}-in`,
        `spec:
  type: dnat_and_snat
  vpc: ${name(vpc)}
  eip: ${name(vpc)}-in
  internal: ${name(vpc)}/port-1
`,
      ),
    );
  }
  return documents.join('---\n');
}

function eipText(eip: string, vpc: number, index: number): string {
  return document(
    'Eip',
    eip,
    `spec:
  subnet: ${externalName(externalOf(vpc))}
  address: ${externalAddress(vpc, index)}
`,
  );
}

/** Web ports are members of the group, database ports are selected by the policy. */
function policyText(vpc: number): string {
  return `${document(
    'SecurityGroup',
    `${name(vpc)}-web`,
    `spec:
  vpc: ${name(vpc)}
  selector:
    matchLabels: { role: web }
  ingress:
    - protocol: tcp
      ports:
        - from: 80
        - from: 443
    - protocol: tcp
      ports:
        - from: 22
      remote:
        - group: ${name(vpc)}-web
    - protocol: icmp
`,
  )}---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: database
  namespace: ${name(vpc)}
spec:
  podSelector:
    matchLabels: { role: database }
  ingress:
    - from:
        - podSelector:
            matchLabels: { role: web }
      ports:
        - { protocol: TCP, port: 5432 }
    - from:
        - ipBlock: { cidr: 10.0.0.0/8, except: [10.255.0.0/16] }
      ports:
        - { protocol: TCP, port: 9187 }
---
apiVersion: v1
kind: Namespace
metadata:
  name: ${name(vpc)}
  labels: { tenant: ${name(vpc)} }
`;
}

function portsText(vpc: number, count: number, isMoved: boolean): string {
  const documents: string[] = [];
  for (let port = 0; port < count; port += 1) {
    const subnet = port % SUBNETS_PER_VPC;
    const isMovedPort = isMoved && vpc === MOVED_PORT.vpc && port === MOVED_PORT.port;
    const host = isMovedPort ? 201 : 10 + port;
    const addresses = port % 4 === 0 ? `\n  addresses: [${prefix(vpc, subnet)}.${host}]` : '';
    documents.push(`apiVersion: ovn-gitops.io/v1
kind: Port
metadata:
  name: port-${port}
  namespace: ${name(vpc)}
  labels: { role: ${port % 2 === 0 ? 'web' : 'database'}, app: app-${port % 7} }
spec:
  subnet: ${subnetName(vpc, subnet)}${addresses}
`);
  }
  return documents.join('---\n');
}

function peeringText(vpc: number): string {
  const link = vpc / PEERING_STRIDE;
  const network = `100.64.${link >> 6}.`;
  const base = (link & 63) * 4;
  return document(
    'Peering',
    `${name(vpc)}-${name(vpc + 1)}`,
    `spec:
  ends:
    - vpc: ${name(vpc)}
      addresses: [${network}${base + 1}/30]
    - vpc: ${name(vpc + 1)}
      addresses: [${network}${base + 2}/30]
`,
  );
}

function document(kind: string, resource: string, body: string): string {
  return `apiVersion: ovn-gitops.io/v1\nkind: ${kind}\nmetadata:\n  name: ${resource}\n${body}`;
}

function name(vpc: number): string {
  return `tenant-${String(vpc).padStart(4, '0')}`;
}

function folder(vpc: number): string {
  return `tenants/${name(vpc)}`;
}

function portsPath(vpc: number): string {
  return `${folder(vpc)}/ports.yaml`;
}

function subnetName(vpc: number, subnet: number): string {
  return `${name(vpc)}-net-${subnet}`;
}

/** The first three octets of a subnet; no two subnets of the repository share them. */
function prefix(vpc: number, subnet: number): string {
  const index = vpc * SUBNETS_PER_VPC + subnet;
  return `10.${index >> 8}.${index & 255}`;
}

function externalOf(vpc: number): number {
  return Math.floor(vpc / VPCS_PER_EXTERNAL);
}

function externalName(index: number): string {
  return `internet-${index}`;
}

function externalAddress(vpc: number, index: number): string {
  return `198.18.${externalOf(vpc)}.${10 + (vpc % VPCS_PER_EXTERNAL) * 4 + index}`;
}
