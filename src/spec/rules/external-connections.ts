import { parseIp, type Family } from '../../lib/ip.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { resourceId, type Resource, type ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';
import { parsedList } from '../topology/parsed.ts';
import { isExternal } from '../topology/subnet-networks.ts';
import { repeatedNames } from './repeated-names.ts';
import type { Part } from '../parts.ts';

/**
 * Routers and Eips are joined to external subnets only, once each, over different chassis; at most one connection of a
 * family gives the default route.
 */
export function* externalConnections(part: Part, set: ResourceSet): Iterable<Diagnostic> {
  for (const vpc of part.all('Vpc')) {
    const joined = new Map<string, number>();
    for (const [index, { subnet, gateways }] of (vpc.spec.external ?? []).entries()) {
      yield* mustBeExternal(set, vpc, `spec.external[${index}].subnet`, subnet);
      yield* repeatedNames(vpc, `spec.external[${index}].gateways`, gateways);
      const first = joined.get(subnet);
      joined.set(subnet, first ?? index);
      if (first === undefined) continue;
      const message = `${resourceId(vpc)} is already joined to the subnet ${subnet}`;
      const related = [{ resource: vpc, field: `spec.external[${first}].subnet` }];
      const field = `spec.external[${index}].subnet`;
      yield diagnose(vpc, {
        code: 'EXT652',
        field,
        message,
        hint: 'Join them once, with all addresses.',
        related,
      });
    }
    yield* defaultRoutes(vpc);
  }
  for (const eip of part.all('Eip')) yield* mustBeExternal(set, eip, 'spec.subnet', eip.spec.subnet);
}

function* mustBeExternal(
  set: ResourceSet,
  resource: Resource,
  field: string,
  name: string,
): Iterable<Diagnostic> {
  const subnet = set.get('Subnet', name);
  if (subnet === undefined || isExternal(subnet)) return;
  const reason =
    subnet.spec.vpc === undefined ? 'is on no provider network' : `is inside the VPC ${subnet.spec.vpc}`;
  const message = `the subnet ${name} ${reason}, so it is not external`;
  const hint = 'Name a subnet with provider and without vpc.';
  yield diagnose(resource, {
    code: 'EXT651',
    field,
    message,
    hint,
    related: [{ resource: subnet, field: 'metadata.name' }],
  });
}

function* defaultRoutes(vpc: ResourceOf<'Vpc'>): Iterable<Diagnostic> {
  const first = new Map<Family, number>();
  for (const [index, { addresses, defaultRoute }] of (vpc.spec.external ?? []).entries()) {
    if (defaultRoute === false) continue;
    for (const { value } of parsedList(addresses, parseIp)) {
      const other = first.get(value.family);
      first.set(value.family, other ?? index);
      if (other === undefined || other === index) continue;
      const message = `two external connections of ${resourceId(vpc)} give the IPv${value.family} default route`;
      const related = [
        { resource: vpc, field: `spec.external[${other}].subnet`, message: 'the other one is here' },
      ];
      const hint = 'Write defaultRoute: false for all but one, and routes for what goes elsewhere.';
      yield diagnose(vpc, {
        code: 'RTE503',
        field: `spec.external[${index}].subnet`,
        message,
        hint,
        related,
      });
    }
  }
}
