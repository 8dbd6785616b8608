import { formatIp } from '../../lib/ip.ts';
import type { DiagnosticCode } from '../../model/diagnostic-codes.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { resourceId } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';
import { addressClaims, type AddressClaim } from '../topology/address-claims.ts';
import { segmentOf } from '../topology/segments.ts';
import { topologyOf } from '../topology/topology.ts';
import { addressProblem, hostHint } from './subnet-gateways.ts';
import type { Part } from '../parts.ts';

/**
 * Every address that is written somewhere is a usable one of its subnet and belongs to one owner: gateways, ports,
 * routers, Eips, virtual addresses, sources of health checks, locked addresses. Excluded addresses may be asked for.
 */
export function* addressClaimsHold(part: Part, set: ResourceSet): Iterable<Diagnostic> {
  for (const subnet of part.all('Subnet')) {
    const segment = segmentOf(set, subnet);
    // Once for each segment.
    if (segment[0] === subnet) yield* claimsHold(set, addressClaims(set, segment));
  }
}

function* claimsHold(set: ResourceSet, claims: readonly AddressClaim[]): Iterable<Diagnostic> {
  const first = new Map<string, AddressClaim>();
  for (const claim of claims) {
    const misplaced = placement(set, claim);
    if (misplaced !== undefined) {
      yield misplaced;
      continue;
    }
    const key = formatIp(claim.ip);
    const other = first.get(key);
    if (other === undefined) first.set(key, claim);
    else if (other.owner !== claim.owner) yield collision(claim, other);
  }
}

/** Gateways are looked at by a rule of their own. */
function placement(set: ResourceSet, claim: AddressClaim): Diagnostic | undefined {
  if (claim.role === 'gateway') return undefined;
  const network = topologyOf(set).networkOf(claim.subnet.name, claim.ip.family);
  const problem =
    network === undefined
      ? `has another family than the subnet ${claim.subnet.name}`
      : addressProblem(network.cidr, claim.ip);
  if (problem === undefined) return undefined;
  const code: DiagnosticCode = claim.role === 'lock' ? 'ADR413' : 'ADR408';
  const hint =
    network === undefined ? 'Choose an address of a family that the subnet has.' : hostHint(network.cidr);
  const related = [{ resource: claim.subnet, field: network?.field ?? 'spec.cidrs' }];
  return diagnose(claim.resource, {
    code,
    field: claim.field,
    message: `${claim.text} ${problem}`,
    hint,
    related,
  });
}

function collision(claim: AddressClaim, other: AddressClaim): Diagnostic {
  const isEipAsVip = claim.role === 'virtual address' && other.role === 'eip';
  const code = collisionCode(new Set([claim.role, other.role]));
  return diagnose(claim.resource, {
    code,
    field: claim.field,
    message: `${formatIp(claim.ip)} is already ${describe(other)}`,
    hint: isEipAsVip
      ? `Write eip: ${other.resource.name} instead of vip.`
      : 'Choose an address that nothing else has.',
    related: [
      { resource: other.resource, field: other.field, message: `${formatIp(other.ip)} is taken here` },
    ],
  });
}

function collisionCode(roles: ReadonlySet<AddressClaim['role']>): DiagnosticCode {
  if (roles.has('virtual address')) return 'LBR753';
  return roles.has('lock') ? 'ADR413' : 'ADR409';
}

function describe({ role, resource }: AddressClaim): string {
  switch (role) {
    case 'gateway':
      return `the gateway of ${resourceId(resource)}`;
    case 'port':
    case 'eip':
      return `the address of ${resourceId(resource)}`;
    case 'router':
      return `the address of the router of ${resourceId(resource)}`;
    case 'health check':
      return `a source of health checks of ${resourceId(resource)}`;
    case 'virtual address':
      return `the virtual address of ${resourceId(resource)}`;
    case 'lock':
      return `locked by ${resourceId(resource)}`;
  }
}
