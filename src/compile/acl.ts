import { sha256Hex } from '../lib/hash.ts';
import type { RowKey, UnitName } from '../model/nb.ts';
import { rowKey } from '../model/nb.ts';
import type { Resource } from '../model/resource.ts';
import { allOf, memberTerm } from './match.ts';
import type { RowSet } from './rows.ts';

/** Towards a port (`to-lport`) or from it (`from-lport`). */
export type Direction = 'ingress' | 'egress';

export interface Acl {
  /** A name of its own among the owner's ACLs; without one its content is its identity. */
  readonly id?: string;
  readonly direction: Direction;
  readonly priority: number;
  readonly match: string;
  readonly action: 'allow-related' | 'drop';
  readonly log?: boolean;
}

/** What happens to the IP traffic of a port group that no rule of the direction speaks of. ARP is not IP. */
export function defaultDrop(direction: Direction, portGroup: string, priority: number): Acl {
  return {
    id: 'default',
    direction,
    priority,
    match: allOf(memberTerm(direction, portGroup), 'ip'),
    action: 'drop',
  };
}

/** Whose ACLs they are. */
export interface AclOwner {
  /** The identity of the owner, as the first parts of each ACL's key. */
  readonly path: readonly string[];
  /** The Port_Group or Logical_Switch that holds them. */
  readonly parent: RowKey;
  readonly unit: UnitName;
  readonly from: Resource;
}

/** ovn-nb(5): at most 63 characters. Owners' names are ASCII. */
const NAME_LIMIT = 63;

/**
 * Adds the ACLs of one owner. Those that say the same are one row, logged when any of them is. ACLs from a port apply
 * after load balancing, so that they see the backend and not the virtual address.
 */
export function addAcls(owner: AclOwner, acls: Iterable<Acl>, rows: RowSet): void {
  for (const [key, acl] of mergeAcls(owner, acls)) {
    const log = acl.log === true;
    rows.add({
      table: 'ACL',
      key,
      unit: owner.unit,
      columns: {
        direction: acl.direction === 'ingress' ? 'to-lport' : 'from-lport',
        priority: acl.priority,
        match: acl.match,
        action: acl.action,
        options: acl.direction === 'egress' ? { 'apply-after-lb': 'true' } : undefined,
        log: log ? true : undefined,
        severity: log ? 'info' : undefined,
        name: log ? aclName(owner, acl) : undefined,
      },
      parent: { key: owner.parent, column: 'acls' },
      from: owner.from,
    });
  }
}

function mergeAcls(owner: AclOwner, acls: Iterable<Acl>): ReadonlyMap<RowKey, Acl> {
  const merged = new Map<RowKey, Acl>();
  for (const acl of acls) {
    const key = rowKey('ACL', ...owner.path, acl.direction, acl.id ?? contentId(acl));
    if (acl.log === true || !merged.has(key)) merged.set(key, acl);
  }
  return merged;
}

function contentId({ priority, action, match }: Acl): string {
  return sha256Hex(JSON.stringify([priority, action, match])).slice(0, 20);
}

/** What log lines are found by: the owner, cut with a digest where it is too long. */
function aclName(owner: AclOwner, { direction }: Acl): string {
  const name = [...owner.path, direction].join('/');
  if (name.length <= NAME_LIMIT) return name;
  return `${name.slice(0, NAME_LIMIT - 9)}-${sha256Hex(name).slice(0, 8)}`;
}
