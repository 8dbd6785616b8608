import type { Family } from '../lib/ip.ts';
import { formatIp } from '../lib/ip.ts';
import type { Compilation } from './compilation.ts';
import { ipIfAny } from './text.ts';
import type { PortNode } from './topology.ts';

/** Where a backend or an internal address is. */
export interface Target {
  readonly address: string;
  /** The Port, when it is one's name. */
  readonly port: PortNode | undefined;
}

/** The address behind a `Port or address` field. A Port without an address of the family has the empty one. */
export function resolveTarget(text: string, family: Family, { topology, addressesOf }: Compilation): Target {
  const ip = ipIfAny(text);
  if (ip !== undefined) return { address: formatIp(ip), port: undefined };
  const port = topology.port(text);
  const own = addressesOf(port).addresses.find((each) => each.family === family);
  return { address: own?.address ?? '', port };
}
