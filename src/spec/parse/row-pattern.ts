import type { NbTable } from '../../model/nb.ts';

/** A record, so that the compiler says when a table is missing. */
const TABLES: Readonly<Record<NbTable, true>> = {
  Logical_Switch: true,
  Logical_Switch_Port: true,
  Logical_Router: true,
  Logical_Router_Port: true,
  Logical_Router_Static_Route: true,
  Logical_Router_Policy: true,
  Gateway_Chassis: true,
  NAT: true,
  Load_Balancer: true,
  Load_Balancer_Health_Check: true,
  DHCP_Options: true,
  Port_Group: true,
  Address_Set: true,
  ACL: true,
};

/** What is wrong with a pattern over row keys: above all a table that no row has, so that it would never match. */
export function rowPatternProblem(text: string): string | undefined {
  if (!/^[A-Za-z0-9_.:*/-]+$/.test(text)) return 'has characters that no row key has';
  if (text.startsWith('**')) return undefined;
  const table = text.split('/')[0] ?? '';
  const expression = new RegExp(`^${table.replaceAll('*', '.*').replaceAll('.*.*', '.*')}$`);
  if (!Object.keys(TABLES).some((name) => expression.test(name)))
    return `starts with "${table}", which is no table`;
  if (!text.includes('/') && !text.endsWith('**'))
    return 'has no path; write Table/** for all rows of a table';
  return undefined;
}
