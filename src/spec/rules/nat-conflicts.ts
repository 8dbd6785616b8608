import { formatCidr, parseCidr } from '../../lib/cidr.ts';
import { formatIp, parseIp } from '../../lib/ip.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { NATS_OF_EIP } from '../../model/relations.ts';
import { resourceId, scopedName, type Resource, type ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';
import { targetOf } from '../topology/targets.ts';
import type { Part } from '../parts.ts';

/**
 * What two NAT rules translate is told apart: a floating address takes the whole Eip but for outgoing traffic of others;
 * one internal network goes out over one Eip of an external subnet; one internal address floats once there.
 */
export function* natConflicts(part: Part, set: ResourceSet): Iterable<Diagnostic> {
  const taken = new Map<string, ResourceOf<'Nat'>>();
  for (const nat of part.all('Nat')) {
    const floating = nat.spec.type === 'dnat_and_snat' ? floatingOn(set, nat.spec.eip) : undefined;
    if (floating !== undefined && floating !== nat) {
      const message = `the Eip ${nat.spec.eip} is already the floating address of ${resourceId(floating)}`;
      yield collision(nat, 'spec.eip', message, floating);
    }
    const inside = insideOf(set, nat);
    if (inside === undefined) continue;
    const other = taken.get(inside.key);
    taken.set(inside.key, other ?? nat);
    if (other !== undefined) yield collision(nat, 'spec.internal', inside.what(resourceId(other)), other);
  }
  for (const resource of [...part.all('Nat'), ...part.all('LoadBalancer')]) {
    const floating = floatingOn(set, resource.spec.eip);
    const message = floating === undefined ? undefined : besideFloating(resource, floating);
    if (message !== undefined && floating !== undefined)
      yield collision(resource, 'spec.eip', message, floating);
  }
}

/** The first rule that makes the Eip a floating address. */
function floatingOn(set: ResourceSet, eip: string | undefined): ResourceOf<'Nat'> | undefined {
  return set.related(NATS_OF_EIP, eip ?? '').find(({ spec }) => spec.type === 'dnat_and_snat');
}

interface Inside {
  /** Equal for rules of one VPC that can't both be. */
  readonly key: string;
  /** What to say, given the name of the rule that was first. */
  readonly what: (other: string) => string;
}

/** What a rule takes for itself on the inside. */
function insideOf(set: ResourceSet, { spec }: ResourceOf<'Nat'>): Inside | undefined {
  const subnet = set.get('Eip', spec.eip)?.spec.subnet;
  if (subnet === undefined) return undefined;
  if (spec.type === 'dnat_and_snat') {
    const target = targetOf(set, spec.internal);
    if (target === undefined) return undefined;
    const internal = target.kind === 'port' ? scopedName(target.port) : formatIp(target.ip);
    return {
      key: `target ${subnet} ${familyOfEip(set, spec.eip)} ${internal}`,
      what: (other) => `${internal} already has a floating address of ${subnet}, by ${other}`,
    };
  }
  if (spec.type !== 'snat') return undefined;
  const internal = parseCidr(spec.internal);
  const text = internal.ok ? formatCidr(internal.value) : spec.internal;
  return {
    key: `snat ${subnet} ${text}`,
    what: (other) => `${text} is already translated on ${subnet}, by ${other}`,
  };
}

/** What is wrong with a further use of the Eip of a floating address. */
function besideFloating(
  resource: ResourceOf<'Nat'> | ResourceOf<'LoadBalancer'>,
  floating: ResourceOf<'Nat'>,
): string | undefined {
  const { eip } = resource.spec;
  if (resource.kind === 'LoadBalancer' || resource.spec.type === 'port_forward') {
    return `every port of the Eip ${eip} belongs to the floating address ${resourceId(floating)}`;
  }
  const { spec } = floating;
  if (resource.spec.type !== 'snat' || spec.type !== 'dnat_and_snat' || spec.mode !== 'distributed')
    return undefined;
  return `the Eip ${eip} is where the port of ${resourceId(floating)} is (mode: distributed), so replies to others would miss the gateway`;
}

function familyOfEip(set: ResourceSet, name: string): number {
  const address = parseIp(set.get('Eip', name)?.spec.address ?? '');
  return address.ok ? address.value.family : 0;
}

function collision(resource: Resource, field: string, message: string, other: ResourceOf<'Nat'>): Diagnostic {
  const hint = 'Use another Eip, or remove one of the rules.';
  return diagnose(resource, {
    code: 'NAT703',
    field,
    message,
    hint,
    related: [{ resource: other, field: 'spec.eip' }],
  });
}
