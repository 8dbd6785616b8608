import { formatCidr, parseCidr } from '../../lib/cidr.ts';
import { formatIp, parseIp } from '../../lib/ip.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { resourceId, scopedName, type Resource, type ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';
import { targetOf } from '../topology/targets.ts';

/**
 * What two NAT rules translate is told apart: a floating address takes the whole Eip but for outgoing traffic of others;
 * one internal network goes out over one Eip of an external subnet; one internal address floats once there.
 */
export function* natConflicts(set: ResourceSet): Iterable<Diagnostic> {
  const taken = new Map<string, ResourceOf<'Nat'>>();
  for (const nat of set.all('Nat')) {
    for (const { key, field, what } of exclusive(set, nat)) {
      const other = taken.get(key);
      taken.set(key, other ?? nat);
      if (other !== undefined) yield collision(nat, field, what(resourceId(other)), other);
    }
  }
  for (const resource of [...set.all('Nat'), ...set.all('LoadBalancer')]) {
    const floating = taken.get(`floating ${resource.spec.eip}`);
    if (floating === undefined) continue;
    const message = besideFloating(resource, floating);
    if (message !== undefined) yield collision(resource, 'spec.eip', message, floating);
  }
}

interface Exclusive {
  readonly key: string;
  readonly field: string;
  /** What to say, given the name of the rule that was first. */
  readonly what: (other: string) => string;
}

function* exclusive(set: ResourceSet, { spec }: ResourceOf<'Nat'>): Iterable<Exclusive> {
  const subnet = set.get('Eip', spec.eip)?.spec.subnet;
  if (spec.type === 'dnat_and_snat') {
    yield {
      key: `floating ${spec.eip}`,
      field: 'spec.eip',
      what: (other) => `the Eip ${spec.eip} is already the floating address of ${other}`,
    };
    const target = targetOf(set, spec.internal);
    if (target === undefined || subnet === undefined) return;
    const internal = target.kind === 'port' ? scopedName(target.port) : formatIp(target.ip);
    const family = familyOfEip(set, spec.eip);
    yield {
      key: `target ${spec.vpc} ${subnet} ${family} ${internal}`,
      field: 'spec.internal',
      what: (other) => `${internal} already has a floating address of ${subnet}, by ${other}`,
    };
  }
  if (spec.type === 'snat' && subnet !== undefined) {
    const internal = parseCidr(spec.internal);
    const text = internal.ok ? formatCidr(internal.value) : spec.internal;
    yield {
      key: `snat ${spec.vpc} ${subnet} ${text}`,
      field: 'spec.internal',
      what: (other) => `${text} is already translated on ${subnet}, by ${other}`,
    };
  }
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
