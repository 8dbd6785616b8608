import { parseCidr, rangeOf } from '../../lib/cidr.ts';
import { mergeIntervals, subtractIntervals } from '../../lib/interval.ts';
import { parseIp, type Family } from '../../lib/ip.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';
import { hasFamily, isInVpc, targetOf } from '../topology/targets.ts';
import { topologyOf } from '../topology/topology.ts';
import type { Unread } from '../unread.ts';
import { joinProblem } from './eip-joins.ts';
import type { Part } from '../parts.ts';

/**
 * A NAT rule works for a VPC that is joined to its Eip's external subnet, on addresses that are the VPC's own, of the
 * Eip's family.
 */
export function* natRules(part: Part, set: ResourceSet, unread: Unread): Iterable<Diagnostic> {
  for (const nat of part.all('Nat')) {
    const { spec } = nat;
    const eip = set.get('Eip', spec.eip);
    if (eip === undefined || set.get('Vpc', spec.vpc) === undefined) continue;
    const unjoined = joinProblem(set, spec.vpc, eip);
    if (unjoined !== undefined) yield diagnose(nat, { ...unjoined, field: 'spec.eip' });
    const address = parseIp(eip.spec.address);
    if (!address.ok) continue;
    yield* spec.type === 'snat'
      ? sourceNetwork(set, nat, address.value.family, unread)
      : internalTarget(set, nat, address.value.family, unread);
  }
}

function* sourceNetwork(
  set: ResourceSet,
  nat: ResourceOf<'Nat'>,
  family: Family,
  unread: Unread,
): Iterable<Diagnostic> {
  const { vpc, internal: text } = nat.spec;
  const internal = parseCidr(text);
  if (!internal.ok) return;
  if (internal.value.family !== family) {
    yield differentFamilies(nat, text, family);
    return;
  }
  const own = topologyOf(set)
    .ownNetworksOf(vpc)
    .filter((network) => network.family === family);
  const missing = subtractIntervals(
    [rangeOf(internal.value)],
    mergeIntervals(own.map(({ cidr }) => rangeOf(cidr))),
  );
  if (missing.length > 0 && !unread.mentions(['Subnet'], vpc)) yield foreign(nat, text);
}

function* internalTarget(
  set: ResourceSet,
  nat: ResourceOf<'Nat'>,
  family: Family,
  unread: Unread,
): Iterable<Diagnostic> {
  const { spec } = nat;
  const target = targetOf(set, spec.internal);
  if (target === undefined) return;
  if (!isInVpc(set, target, spec.vpc)) {
    const mayBe = target.kind === 'ip' && unread.mentions(['Subnet'], spec.vpc);
    if (!mayBe) yield foreign(nat, spec.internal);
  } else if (!hasFamily(target, family)) yield differentFamilies(nat, spec.internal, family);
  if (spec.type === 'dnat_and_snat' && spec.mode === 'distributed' && target.kind === 'ip') {
    const message = `distributed translation happens where the Port is, and ${spec.internal} is an address`;
    yield diagnose(nat, {
      code: 'NAT704',
      field: 'spec.internal',
      message,
      hint: 'Name the Port, or write mode: centralized.',
    });
  }
}

function foreign(nat: ResourceOf<'Nat'>, text: string): Diagnostic {
  const message = `${text} is not inside the subnets of the VPC ${nat.spec.vpc}`;
  return diagnose(nat, {
    code: 'NAT702',
    field: 'spec.internal',
    message,
    hint: "Name addresses of the VPC's own subnets.",
  });
}

function differentFamilies(nat: ResourceOf<'Nat'>, text: string, family: Family): Diagnostic {
  const message = `the Eip ${nat.spec.eip} is IPv${family}, which ${text} has no address of`;
  return diagnose(nat, {
    code: 'NAT705',
    field: 'spec.internal',
    message,
    hint: 'Use an Eip of the same family.',
  });
}
