import type { NbTable } from '../model/nb.ts';
import type { Change, ColumnChange, Hazard } from '../model/plan.ts';

/** Every hazard code with what it means; the reference page is written from it. */
export const HAZARDS = {
  HZ101: 'deletes a router and with it all routing of a VPC',
  HZ102: 'deletes a switch: its ports lose their network',
  HZ103: 'deletes a port',
  HZ104: 'changes the addresses of an existing port: what runs there must take the new ones',
  HZ105: 'changes the network of a router port: traffic of the subnet stops until its ports follow',
  HZ106: 'takes away a rule that drops traffic: something becomes reachable',
  HZ107: 'changes a translation of addresses: open connections through it break',
  HZ108: 'moves a row to another parent',
} as const;

/** The code of a hazard. */
export type HazardCode = keyof typeof HAZARDS;

/** Warnings on what the changes do to people who use the network, in the order of the changes. */
export function hazardsOf(changes: readonly Change[]): readonly Hazard[] {
  return changes.flatMap((change) => {
    const code = opensTraffic(change) ? 'HZ106' : changeHazard(change);
    return code === undefined ? [] : [{ code, key: change.key, message: HAZARDS[code] }];
  });
}

function changeHazard(change: Change): HazardCode | undefined {
  if (change.kind !== 'delete') return updateHazard(change);
  // A router's own port on a switch goes with the router port; nobody is plugged in there.
  return change.columns['type'] === 'router' ? undefined : deleteHazard(change.table);
}

function opensTraffic(change: Change): boolean {
  if (change.table !== 'ACL') return false;
  if (change.kind === 'delete') return change.columns['action'] === 'drop';
  return (
    change.kind === 'update' &&
    change.columns.some((column) => column.column === 'action' && column.from === 'drop')
  );
}

function deleteHazard(table: NbTable): HazardCode | undefined {
  switch (table) {
    case 'Logical_Router':
      return 'HZ101';
    case 'Logical_Switch':
      return 'HZ102';
    case 'Logical_Switch_Port':
      return 'HZ103';
    case 'NAT':
      return 'HZ107';
    case 'Logical_Router_Port':
    case 'Logical_Router_Static_Route':
    case 'Logical_Router_Policy':
    case 'Gateway_Chassis':
    case 'Load_Balancer':
    case 'Load_Balancer_Health_Check':
    case 'DHCP_Options':
    case 'Port_Group':
    case 'Address_Set':
    case 'ACL':
      return undefined;
  }
}

function updateHazard(change: Change): HazardCode | undefined {
  if (change.kind !== 'update') return undefined;
  const columns = new Set(change.columns.map((column) => column.column));
  if (columns.has('(parent)')) return 'HZ108';
  if (change.table === 'Logical_Switch_Port' && columns.has('addresses')) return 'HZ104';
  if (change.table === 'Logical_Router_Port' && losesNetwork(change.columns)) return 'HZ105';
  if (change.table === 'NAT') return 'HZ107';
  return undefined;
}

/** A network that is only added beside the others takes nothing from anybody. */
function losesNetwork(columns: readonly ColumnChange[]): boolean {
  const networks = columns.find((change) => change.column === 'networks');
  const [from, to] = [networks?.from, networks?.to].map((value) =>
    Array.isArray(value) ? (value as readonly string[]) : [],
  );
  return networks !== undefined && from?.some((network) => to?.includes(network) !== true) === true;
}
