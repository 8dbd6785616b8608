import { cidrsOverlap, formatCidr, parseCidr } from '../../lib/cidr.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { resourceId } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';
import { parsedList } from '../topology/parsed.ts';
import { topologyOf, type Topology } from '../topology/topology.ts';
import type { Part } from '../parts.ts';

/** No subnet or link of a VPC with a path to a reserved range has an address of it. Other VPCs are not bound by it. */
export function* reservedRanges(part: Part, set: ResourceSet): Iterable<Diagnostic> {
  const topology = topologyOf(set);
  for (const vpc of part.all('Vpc')) yield* reservedFor(vpc.name, topology, set);
}

function* reservedFor(vpc: string, topology: Topology, set: ResourceSet): Iterable<Diagnostic> {
  for (const repository of set.all('Repository')) {
    for (const [at, { name, cidrs, vpcs }] of (repository.spec.reserved ?? []).entries()) {
      for (const { index, value: reserved } of parsedList(cidrs, parseCidr)) {
        const bound = vpcs === undefined || vpcs.includes(vpc) ? topology.connectionsOf(vpc) : [];
        for (const { kind, network, resource, field } of bound) {
          if (kind === 'external' || !cidrsOverlap(network, reserved)) continue;
          const message = `${formatCidr(network)} of ${resourceId(resource)} overlaps ${formatCidr(reserved)}, reserved as "${name}"`;
          const related = [
            {
              resource: repository,
              field: `spec.reserved[${at}].cidrs[${index}]`,
              message: `"${name}" is reserved here`,
            },
          ];
          yield diagnose(resource, {
            code: 'ADR405',
            field,
            message,
            hint: 'Choose another network.',
            related,
          });
        }
      }
    }
  }
}
