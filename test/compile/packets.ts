import type { Compiled } from '../../src/compile/compile.ts';
import { compareText } from '../../src/lib/order.ts';
import type { NbRow } from '../../src/model/nb.ts';
import type { OvnCentral } from '../support/ovn-central.ts';

export interface Packet {
  /** A Port by its scoped name. */
  readonly from: string;
  /** A Port by its scoped name, or an address. */
  readonly to: string;
  readonly family?: 4 | 6;
  /** The rest of the flow, e.g. `tcp.dst == 80`; default ICMP echo. */
  readonly traffic?: string;
  readonly ttl?: number;
  /** The state of the connection at each step through conntrack; default: a new one everywhere. */
  readonly ct?: readonly string[];
}

/** Sends packets through the flows that ovn-northd made of compiled rows. */
export class Packets {
  readonly #central: OvnCentral;
  readonly #compiled: Compiled;

  constructor(central: OvnCentral, compiled: Compiled) {
    this.#central = central;
    this.#compiled = compiled;
  }

  /** The ports that the packet comes out of, in canonical order. */
  arrivals(packet: Packet): readonly string[] {
    const outputs = [...this.trace(packet).matchAll(/output\("([^"]+)"/g)].map((match) => match[1] ?? '');
    return [...new Set(outputs)].toSorted(compareText);
  }

  /** What is done to the packet on its way. */
  trace({
    from,
    to,
    family = 4,
    ttl = 64,
    traffic,
    ct = ['new', 'new', 'new', 'new', 'new', 'new'],
  }: Packet): string {
    const source = this.#compiled.addresses.get(from);
    if (source === undefined) throw new Error(`no port ${from}`);
    const ip = `ip${family}`;
    const src = source.addresses.find((each) => each.family === family)?.address;
    const target = this.#compiled.addresses.get(to);
    const dst = target?.addresses.find((each) => each.family === family)?.address ?? to;
    const local = target !== undefined && target.subnet === source.subnet;
    const mac = local ? target.mac : this.#routerMac(source.subnet);
    const flow = [
      `inport == "${this.#logicalPort(from)}"`,
      `eth.src == ${source.mac}`,
      `eth.dst == ${mac}`,
      `${ip}.src == ${src}`,
      `${ip}.dst == ${dst}`,
      `ip.ttl == ${ttl}`,
      traffic ?? (family === 4 ? 'icmp4.type == 8' : 'icmp6.type == 128'),
    ].join(' && ');
    return this.#central.trace({ flow, ct });
  }

  #logicalPort(port: string): string {
    return this.#row(`Logical_Switch_Port/${port}`).columns['name'] as string;
  }

  #routerMac(subnet: string): string {
    const rows = [...this.#compiled.nb.rows.values()];
    const join = rows.find(
      ({ key, table }) => table === 'Logical_Switch_Port' && key.includes(`/${subnet}:router:`),
    );
    if (join === undefined) return '0a:00:00:00:00:fe';
    const router = (join.columns['options'] as Record<string, string>)['router-port'] ?? '';
    return this.#row(`Logical_Router_Port/${router}`).columns['mac'] as string;
  }

  #row(key: string): NbRow {
    const row = [...this.#compiled.nb.rows.values()].find((each) => each.key === key);
    if (row === undefined) throw new Error(`no row ${key}`);
    return row;
  }
}
