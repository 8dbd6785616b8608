import { formatCidr, hostRangeOf, rangeOf } from '../../lib/cidr.ts';
import { countIntervals, mergeIntervals, subtractIntervals } from '../../lib/interval.ts';
import { parseIpRange } from '../../lib/ip-range.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';
import { parsedList } from '../topology/parsed.ts';
import { topologyOf } from '../topology/topology.ts';
import type { Part } from '../parts.ts';

/**
 * Excluded ranges lie in their subnet (up to its very last address, host or not) and leave something over. They may
 * overlap each other and name the gateway: every address counts once.
 */
export function* excludes(part: Part, set: ResourceSet): Iterable<Diagnostic> {
  const topology = topologyOf(set);
  for (const subnet of part.all('Subnet')) {
    const networks = topology.networksOf(subnet.name);
    const ranges = parsedList(subnet.spec.exclude ?? [], parseIpRange);
    for (const { text, index, value } of ranges) {
      const network = networks.find(({ family }) => family === value.family);
      const whole = network === undefined ? undefined : rangeOf(network.cidr);
      if (whole !== undefined && value.first >= whole.first && value.last <= whole.last) continue;
      const where =
        network === undefined ? `any IPv${value.family} network of the subnet` : formatCidr(network.cidr);
      const message = `${text} is not inside ${where}`;
      yield diagnose(subnet, {
        code: 'ADR406',
        field: `spec.exclude[${index}]`,
        message,
        hint: 'Name addresses of the subnet, or remove it.',
      });
    }
    for (const { family, cidr, gateway } of subnet.spec.vpc === undefined ? [] : networks) {
      const excluded = ranges.map(({ value }) => value).filter((range) => range.family === family);
      if (excluded.length === 0) continue;
      const taken = mergeIntervals([...excluded, { first: gateway.value, last: gateway.value }]);
      if (countIntervals(subtractIntervals([hostRangeOf(cidr)], taken)) > 0n) continue;
      const message = `nothing of ${formatCidr(cidr)} is left to be given out`;
      yield diagnose(subnet, {
        code: 'ADR407',
        field: 'spec.exclude',
        message,
        hint: 'Exclude less, or use a larger network.',
      });
    }
  }
}
