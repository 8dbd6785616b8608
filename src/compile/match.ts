import { cidrsOfRange, formatCidr, rangeOf } from '../lib/cidr.ts';
import type { Cidr } from '../lib/cidr.ts';
import type { Interval } from '../lib/interval.ts';
import { mergeIntervals } from '../lib/interval.ts';
import type { Family } from '../lib/ip.ts';
import { sortedSet } from '../lib/order.ts';
import type { Protocol } from '../model/specs.ts';
import type { Direction } from './acl.ts';

/** The other side of a connection. */
export interface Remote {
  readonly cidrs: readonly Cidr[];
  /** Names of address sets per family. */
  readonly sets: Readonly<Record<Family, readonly string[]>>;
}

/** Joins terms that must all hold; undefined ones are always true. */
export function allOf(...terms: readonly (string | undefined)[]): string {
  return terms.filter((term) => term !== undefined).join(' && ');
}

/** The port group's side of a connection in that direction. */
export function memberTerm(direction: Direction, portGroup: string): string {
  return `${direction === 'ingress' ? 'outport' : 'inport'} == @${portGroup}`;
}

/**
 * One term per family that the remote side has addresses in. Networks are merged, so that equal remotes give equal text;
 * an address set without addresses matches nothing, and so does a remote without any term.
 */
export function remoteTerms(direction: Direction, remote: Remote): readonly string[] {
  return ([4, 6] as const).flatMap((family) => {
    const networks = mergeCidrs(family, remote.cidrs);
    if (networks.some(({ prefix }) => prefix === 0)) return [`ip${family}`];
    const members = [
      ...sortedSet(remote.sets[family]).map((name) => `$${name}`),
      ...networks.map((network) => formatCidr(network)),
    ];
    if (members.length === 0) return [];
    const field = `ip${family}.${direction === 'ingress' ? 'src' : 'dst'}`;
    return [`${field} == ${oneOf(members)}`];
  });
}

/** The term for destination ports of a protocol; no ports means all. */
export function portsTerm(protocol: Protocol, ports: readonly Interval[]): string {
  if (ports.length === 0) return protocol;
  const field = `${protocol}.dst`;
  const singles: string[] = [];
  const ranges: string[] = [];
  for (const { first, last } of mergeIntervals(ports)) {
    if (first === last) singles.push(`${first}`);
    else ranges.push(`${first} <= ${field} <= ${last}`);
  }
  const terms = [...(singles.length === 0 ? [] : [`${field} == ${oneOf(singles)}`]), ...ranges];
  return terms.length === 1 ? (terms[0] ?? protocol) : `(${terms.join(' || ')})`;
}

/** The fewest networks that together are all of one family's. */
function mergeCidrs(family: Family, cidrs: readonly Cidr[]): readonly Cidr[] {
  const ranges = mergeIntervals(cidrs.filter((cidr) => cidr.family === family).map(rangeOf));
  return ranges.flatMap((range) => cidrsOfRange(family, range));
}

function oneOf(members: readonly string[]): string {
  return members.length === 1 ? (members[0] ?? '') : `{${members.join(', ')}}`;
}
