/** One of the servers: Redis, the Northbound and Southbound databases, and the translator between the two. */
export type Part = 'redis' | 'northbound' | 'southbound' | 'northd';

/** The order of starting; stopping goes the other way round. */
export const PARTS: readonly Part[] = ['redis', 'northbound', 'southbound', 'northd'];

/** `chosen` in starting order and with what it needs: northd needs both databases. */
export function withNeeded(chosen: readonly Part[]): readonly Part[] {
  const needed = new Set<Part>(chosen);
  if (needed.has('northd')) needed.add('northbound').add('southbound');
  return PARTS.filter((part) => needed.has(part));
}

/** The program that a part runs. */
export function programOf(part: Part): Program {
  switch (part) {
    case 'redis':
      return 'redis-server';
    case 'northbound':
    case 'southbound':
      return 'ovsdb-server';
    case 'northd':
      return 'ovn-northd';
  }
}

/** Programs that the parts need, with the Debian package that brings each. */
export const PACKAGES = {
  'redis-server': 'redis-server',
  'ovsdb-server': 'openvswitch-common',
  'ovsdb-tool': 'openvswitch-common',
  'ovn-northd': 'ovn-central',
} as const;

export type Program = keyof typeof PACKAGES;
