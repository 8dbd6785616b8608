import type { Operation, WireRow, WireUuid } from '../../src/ovsdb/index.ts';

/** What a Northbound is filled with, and the units that are closed in themselves but for the weak references of port groups. */
export interface Workload {
  readonly units: readonly (readonly Insert[])[];
  readonly rows: number;
}

export type Insert = Extract<Operation, { readonly op: 'insert' }> & { readonly uuid: string };

/** Subnets of one router, ACLs of one port group and NATs of one router. */
const [SUBNETS, ACLS, NATS] = [10, 25, 5];

/**
 * A Northbound of that many switch ports: from 20,000 on 200 routers with ten subnets and five NATs each, and 200 port
 * groups with 25 ACLs each, which hold all ports in turn; below that fewer of everything. 20,000 ports are 32,400 rows, 100,000 are
 * 112,400. The same number gives the same rows with the same uuids.
 */
export function generateWorkload(ports: number): Workload {
  const routers = Math.max(1, Math.round(Math.min(ports, 20_000) / 100));
  const insert = inserter();
  const portsOfGroups: string[][] = Array.from({ length: routers }, () => []);
  const units: Insert[][] = [];
  for (let router = 0; router < routers; router += 1) {
    units.push(tenant(insert, router, Math.round(ports / routers / SUBNETS), portsOfGroups));
  }
  for (const [group, members] of portsOfGroups.entries()) units.push(policy(insert, group, members));
  return { units, rows: units.reduce((total, unit) => total + unit.length, 0) };
}

/** The switch that small changes go to. */
export const LARGE_SWITCH: { readonly name: string; readonly uuid: string } = {
  name: 'large',
  uuid: '1a26e000-0000-4000-8000-000000000000',
};

/** A switch with that many ports. */
export function largeSwitch(ports: number): readonly Operation[] {
  const uuids = Array.from(
    { length: ports },
    (_, port) => `1a26e001-0000-4000-8000-${port.toString(16).padStart(12, '0')}`,
  );
  return [
    ...uuids.map((uuid, port): Operation => ({
      op: 'insert',
      table: 'Logical_Switch_Port',
      uuid,
      row: { name: `large-${port}` },
    })),
    {
      op: 'insert',
      table: 'Logical_Switch',
      uuid: LARGE_SWITCH.uuid,
      row: { name: LARGE_SWITCH.name, ports: references(uuids) },
    },
  ];
}

/** One more port for the large switch; `externalIds` lets an observer recognise it. */
export function addPort(
  uuid: string,
  name: string,
  externalIds: Readonly<Record<string, string>> = {},
): readonly Operation[] {
  const addresses = '02:00:00:00:00:01 10.9.9.9';
  return [
    {
      op: 'insert',
      table: 'Logical_Switch_Port',
      uuid,
      row: { name, addresses, port_security: addresses, external_ids: map(externalIds) },
    },
    changePorts('insert', uuid),
  ];
}

/** Takes a port out of the large switch, which deletes it. */
export function removePort(uuid: string): readonly Operation[] {
  return [changePorts('delete', uuid)];
}

function changePorts(mutator: 'insert' | 'delete', uuid: string): Operation {
  return {
    op: 'mutate',
    table: 'Logical_Switch',
    where: [['_uuid', '==', ['uuid', LARGE_SWITCH.uuid]]],
    mutations: [['ports', mutator, ['uuid', uuid]]],
  };
}

type Inserter = (unit: Insert[], table: string, row: WireRow) => string;

/** Appends an insert and returns the new row's uuid. */
function inserter(): Inserter {
  const nextUuid = uuids();
  return (unit, table, row) => {
    const uuid = nextUuid();
    unit.push({ op: 'insert', table, uuid, row });
    return uuid;
  };
}

function tenant(
  insert: Inserter,
  router: number,
  portsOfSubnet: number,
  portsOfGroups: readonly string[][],
): Insert[] {
  const unit: Insert[] = [];
  const marks = map({ owner: 'bench', source: `tenants/t${router}.yaml` });
  const routerPorts = Array.from({ length: SUBNETS }, (_, nth) =>
    subnet(insert, unit, router * SUBNETS + nth, { router, marks, portsOfSubnet, portsOfGroups }),
  );
  const first = subnetPrefix(router * SUBNETS);
  const nats = Array.from({ length: NATS }, (_, nth) =>
    insert(unit, 'NAT', {
      type: nth === 0 ? 'snat' : 'dnat_and_snat',
      external_ip: `172.${16 + (router >> 6)}.${router & 63}.${nth + 10}`,
      logical_ip: nth === 0 ? `${first}.0/24` : `${first}.${nth + 9}`,
      external_ids: map({ owner: 'bench' }),
    }),
  );
  insert(unit, 'Logical_Router', {
    name: `lr-${router}`,
    ports: references(routerPorts),
    nat: references(nats),
    options: map({ chassis: `gw-${router % 8}` }),
    external_ids: marks,
  });
  return unit;
}

interface Tenant {
  readonly router: number;
  readonly marks: WireRow[string];
  readonly portsOfSubnet: number;
  readonly portsOfGroups: readonly string[][];
}

/** A switch with its ports and its port pair to the router; returns the router's port. */
function subnet(insert: Inserter, unit: Insert[], subnet: number, tenant: Tenant): string {
  const { router, marks, portsOfSubnet, portsOfGroups } = tenant;
  const prefix = subnetPrefix(subnet);
  const routerPort = insert(unit, 'Logical_Router_Port', {
    name: `lrp-${subnet}`,
    mac: mac(0x0a, subnet),
    networks: `${prefix}.1/24`,
    external_ids: marks,
  });
  const uplink = insert(unit, 'Logical_Switch_Port', {
    name: `ls-${subnet}-lr-${router}`,
    type: 'router',
    addresses: 'router',
    options: map({ 'router-port': `lrp-${subnet}` }),
    external_ids: map({ owner: 'bench' }),
  });
  const ports = Array.from({ length: portsOfSubnet }, (_, nth) => {
    const port = subnet * portsOfSubnet + nth;
    const addresses = `${mac(0x02, port)} ${prefix}.${(nth % 240) + 10}`;
    const uuid = insert(unit, 'Logical_Switch_Port', {
      name: `lsp-${subnet}-${nth}`,
      addresses,
      port_security: addresses,
      external_ids: marks,
    });
    portsOfGroups[port % portsOfGroups.length]?.push(uuid);
    return uuid;
  });
  insert(unit, 'Logical_Switch', {
    name: `ls-${subnet}`,
    ports: references([uplink, ...ports]),
    other_config: map({ subnet: `${prefix}.0/24` }),
    external_ids: marks,
  });
  return routerPort;
}

function policy(insert: Inserter, group: number, members: readonly string[]): Insert[] {
  const unit: Insert[] = [];
  const acls = Array.from({ length: ACLS }, (_, nth) =>
    insert(unit, 'ACL', {
      priority: 1000 + nth,
      direction: 'to-lport',
      action: 'allow-related',
      match: `outport == @pg_${group} && ip4 && tcp.dst == ${1000 + nth} && ip4.src == 10.${group}.0.0/16`,
      external_ids: map({ owner: 'bench', source: `policy/p${group}.yaml` }),
    }),
  );
  insert(unit, 'Port_Group', {
    name: `pg_${group}`,
    ports: references(members),
    acls: references(acls),
    external_ids: map({ owner: 'bench' }),
  });
  return unit;
}

function subnetPrefix(subnet: number): string {
  return `10.${subnet >> 8}.${subnet & 255}`;
}

function references(uuids: readonly string[]): readonly ['set', readonly WireUuid[]] {
  return ['set', uuids.map((uuid) => ['uuid', uuid] as const)];
}

function map(
  entries: Readonly<Record<string, string>>,
): readonly ['map', readonly (readonly [string, string])[]] {
  return ['map', Object.entries(entries)];
}

function mac(first: number, number: number): string {
  const bytes = [first, 0, 0, (number >> 16) & 255, (number >> 8) & 255, number & 255];
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(':');
}

/** Random uuids (RFC 4122 version 4) of a fixed seed: databases of two runs are equal, and hash like real ones. */
function uuids(): () => string {
  let state = 20_000;
  const word = (): string => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0).toString(16).padStart(8, '0');
  };
  return () => {
    const [a, b, c, d] = [word(), word(), word(), word()];
    return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-8${c.slice(1, 4)}-${c.slice(4)}${d}`;
  };
}
