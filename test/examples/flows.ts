import { readFileSync } from 'node:fs';

/** A packet and what must become of it. */
export interface Flow {
  readonly name: string;
  /** A Port by its scoped name, or `internet`: the wire of the provider. */
  readonly from: string;
  /** Where the packet says it comes from, when that is not the Port's own address. */
  readonly source: string | undefined;
  /** A Port by its scoped name, or an address. */
  readonly to: string;
  /** `ping`, `tcp` or `udp`, and for the latter the server's port. */
  readonly protocol: string;
  readonly port: number | undefined;
  readonly family: 4 | 6;
  /** Part of a connection that the other side opened. */
  readonly reply: boolean;
  readonly expect: Verdict;
}

export type Verdict =
  | { readonly kind: 'reaches'; readonly port: string }
  /** Of a balancer with affinity the first packet of a session is only learned from: it names its backend. */
  | { readonly kind: 'balanced'; readonly ports: readonly string[] }
  | { readonly kind: 'leaves'; readonly source: string }
  /** The last logical flow that the packet meets must match all of these. */
  | { readonly kind: 'stopped'; readonly by: readonly RegExp[] };

/** The flows of flows.txt by the heading they stand under. */
export function readFlows(): ReadonlyMap<string, readonly Flow[]> {
  const text = readFileSync(new URL('flows.txt', import.meta.url), 'utf8');
  const flows = new Map<string, Flow[]>();
  let current: Flow[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    if (line.startsWith(' ')) current.push(readFlow(line));
    else flows.set(line, (current = []));
  }
  return flows;
}

function readFlow(line: string): Flow {
  const [, name, from, source, to, protocol, port, family, reply, verdict] =
    /^ +(.+?) +\| (\S+)(?: as (\S+))? -> (\S+) +\| (ping|tcp|udp)(?: (\d+))?( IPv6)?( reply)? +\| (.+)$/.exec(
      line,
    ) ?? [];
  if (name === undefined || from === undefined || to === undefined) throw new Error(`not a flow: ${line}`);
  if (protocol === undefined || verdict === undefined) throw new Error(`not a flow: ${line}`);
  return {
    name,
    from,
    source,
    to,
    protocol,
    port: port === undefined ? undefined : Number(port),
    family: family === undefined ? 4 : 6,
    reply: reply !== undefined,
    expect: readVerdict(verdict),
  };
}

function readVerdict(text: string): Verdict {
  const [, verb, object] = /^(reaches|is balanced over|leaves as|stopped by) (.+)$/.exec(text) ?? [];
  if (verb === undefined || object === undefined) throw new Error(`not a verdict: ${text}`);
  if (verb === 'reaches') return { kind: 'reaches', port: object };
  if (verb === 'leaves as') return { kind: 'leaves', source: object };
  if (verb === 'is balanced over') return { kind: 'balanced', ports: object.split(' ') };
  return { kind: 'stopped', by: readCause(object) };
}

/** Who can stop a packet, and how the flow looks that does. */
const CAUSES: Readonly<Record<string, RegExp>> = {
  isolation: /ls_(?:in|out)_acl.*: [^@]*ip[46]\.(?:src|dst) == \{[^@]*$/,
  policy: /ls_(?:in|out)_acl.*port == @np\.\./,
  'route policy': /lr_in_policy/,
  'missing route': /lr_in_ip_routing/,
  // The router does not send a packet for its own address back to where it came from.
  'missing translation': /lr_in_arp_resolve/,
};

/** `group NAME` or another cause, with a text of the decisive match in parentheses. */
function readCause(text: string): readonly RegExp[] {
  const [, cause, group, detail] = /^((?:group (\S+))|[a-z ]+?)(?: \((.+)\))?$/.exec(text) ?? [];
  const pattern =
    group === undefined
      ? CAUSES[cause ?? '']
      : new RegExp(`ls_(?:in|out)_acl.*@sg\\.\\.shop\\.\\.${group.replaceAll('-', '_')}\\b`);
  if (pattern === undefined) throw new Error(`not a cause: ${text}`);
  return detail === undefined ? [pattern] : [pattern, new RegExp(detail.replaceAll('.', String.raw`\.`))];
}
