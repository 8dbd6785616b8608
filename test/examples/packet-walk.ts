import type { Compiled } from '../../src/compile/compile.ts';
import type { NbRow } from '../../src/model/nb.ts';
import type { OvnCentral } from '../support/ovn-central.ts';
import type { Flow } from './flows.ts';

/** What became of a packet, read from a trace. */
export interface Walk {
  /** Names of the logical ports that it came out of, without those between switches and routers. */
  readonly outputs: readonly string[];
  /** Its source address at the end. */
  readonly source: string;
  /** The backend that a balancer with affinity learned, when it went no further. */
  readonly learned: string | undefined;
  /** The last logical flow that it met: table and match. */
  readonly last: string;
  readonly trace: string;
}

/** The provider's router on the wire: the next hop of every default route. */
const PROVIDER_MAC = '02:00:00:00:01:01';
const PROVIDER = ['198.51.100.1', '2001:db8:100::1'];
const WIRE = 'internet:localnet';

/** Sends packets through the flows that ovn-northd made of the example network. */
export class PacketWalker {
  readonly #central: OvnCentral;
  readonly #compiled: Compiled;

  constructor(central: OvnCentral, compiled: Compiled) {
    this.#central = central;
    this.#compiled = compiled;
  }

  /** Lets every gateway know the provider's router, as ovn-controller does when ARP and ND are answered. */
  learnProvider(): void {
    const gateways = new Set(this.#rows('Gateway_Chassis').map((row) => row.parent?.key ?? ''));
    for (const key of gateways) {
      const port = this.#rowAt(key).columns['name'] as string;
      const router = port.slice(0, port.indexOf(':'));
      const [datapath = ''] = this.#central
        .sbctl('--bare', '--columns=_uuid', 'find', 'Datapath_Binding', `external_ids:name=${router}`)
        .split('\n');
      for (const ip of PROVIDER) {
        const binding = [
          `logical_port="${port}"`,
          `ip="${ip}"`,
          `mac="${PROVIDER_MAC}"`,
          `datapath=${datapath}`,
        ];
        this.#central.sbctl('create', 'MAC_Binding', ...binding);
      }
    }
  }

  /** What becomes of the packet. */
  walk(flow: Flow): Walk {
    const text = this.#flowText(flow);
    const state = flow.reply ? 'est,rpl' : 'new';
    const trace = this.#central.trace({
      flow: text,
      ct: Array.from({ length: 8 }, () => state),
      form: 'detailed',
    });
    return readTrace(trace, this.#sourceOf(flow));
  }

  #flowText(flow: Flow): string {
    const { from, to, protocol, port, family, reply } = flow;
    const target = this.#addressOf(to, family);
    const ip = `ip${family}`;
    const transport =
      port === undefined
        ? family === 4
          ? 'icmp4.type == 8'
          : 'icmp6.type == 128'
        : `${protocol}.src == ${reply ? port : 40_000} && ${protocol}.dst == ${reply ? 40_000 : port}`;
    return [
      `inport == "${from === 'internet' ? WIRE : this.logicalPort(from)}"`,
      `eth.src == ${from === 'internet' ? PROVIDER_MAC : this.#given(from).mac}`,
      `eth.dst == ${from === 'internet' ? this.#ownerMac(target) : this.#nextHopMac(from, to)}`,
      `${ip}.src == ${this.#sourceOf(flow)}`,
      `${ip}.dst == ${target}`,
      'ip.ttl == 64',
      transport,
    ].join(' && ');
  }

  #sourceOf({ from, source, family }: Flow): string {
    return source ?? this.#addressOf(from, family);
  }

  /** The address of a Port in a family; an address means itself. */
  #addressOf(portOrAddress: string, family: 4 | 6): string {
    const given = this.#compiled.addresses.get(portOrAddress);
    if (given === undefined) return portOrAddress;
    const own = given.addresses.find((each) => each.family === family);
    if (own === undefined) throw new Error(`${portOrAddress} has no IPv${family}`);
    return own.address;
  }

  /** On one subnet the other port; else the router. */
  #nextHopMac(from: string, to: string): string {
    const { subnet } = this.#given(from);
    const target = this.#compiled.addresses.get(to);
    if (target?.subnet === subnet) return target.mac;
    const routerPort = this.#rows('Logical_Router_Port').find(({ columns }) =>
      (columns['name'] as string).endsWith(`:${subnet}`),
    );
    if (routerPort === undefined) throw new Error(`no router on ${subnet}`);
    return routerPort.columns['mac'] as string;
  }

  /** Who answers for an address at the border: a distributed translation itself, else the gateway of the shop. */
  #ownerMac(address: string): string {
    const nat = this.#rows('NAT').find(({ columns }) => columns['external_ip'] === address);
    const own = nat?.columns['external_mac'];
    if (typeof own === 'string') return own;
    return this.#rowAt('Logical_Router_Port/shop:internet').columns['mac'] as string;
  }

  #given(port: string): { readonly mac: string; readonly subnet: string } {
    const given = this.#compiled.addresses.get(port);
    if (given === undefined) throw new Error(`no port ${port}`);
    return given;
  }

  /** The name of a Port's logical port. */
  logicalPort(port: string): string {
    return this.#rowAt(`Logical_Switch_Port/${port}`).columns['name'] as string;
  }

  /** The IPv4 address of a Port. */
  address(port: string): string {
    return this.#addressOf(port, 4);
  }

  #rows(table: string): readonly NbRow[] {
    return [...this.#compiled.nb.rows.values()].filter((row) => row.table === table);
  }

  #rowAt(key: string): NbRow {
    const row = [...this.#compiled.nb.rows.values()].find((each) => each.key === key);
    if (row === undefined) throw new Error(`no row ${key}`);
    return row;
  }
}

function readTrace(trace: string, source: string): Walk {
  // A packet that waits for an address to be resolved has no end yet.
  if (/^\s*(?:arp|nd_ns)\s*\{/m.test(trace)) throw new Error(`an address is not resolved:\n${trace}`);
  const outputs = [...trace.matchAll(/\/\* output to "([^"]+)", type "(?!patch)/g)];
  const sources = [...trace.matchAll(/ct_snat(?:_in_czone)?\(([0-9a-f.:]+)\)/g)];
  const learned = [...trace.matchAll(/commit_lb_aff\(.* backend = "\[?(.+?)\]?:\d+"/g)];
  const steps = [...trace.matchAll(/^ *\d+\. ((?:ls|lr)_.+)$/gm)];
  return {
    outputs: outputs.map((match) => match[1] ?? ''),
    source: sources.at(-1)?.[1] ?? source,
    learned: learned.at(-1)?.[1],
    last: steps.at(-1)?.[1] ?? '',
    trace,
  };
}
