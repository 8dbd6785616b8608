import { parseDuration } from '../../lib/duration.ts';
import { parseIp, type Family } from '../../lib/ip.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { resourceId, type ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';
import { hasFamily, targetOf } from '../topology/targets.ts';
import { topologyOf } from '../topology/topology.ts';
import type { Unread } from '../unread.ts';
import { joinProblem } from './eip-joins.ts';
import { virtualAddress } from './listeners.ts';
import type { Part } from '../parts.ts';

/** OVN keeps the affinity timeout in 16 bits of seconds. */
const MAX_AFFINITY = 65_535;

/**
 * A balancer has one virtual address; its backends are of that family and the VPC can reach them. Mixed families are
 * only logged by northd.
 */
export function* loadBalancers(part: Part, set: ResourceSet, unread: Unread): Iterable<Diagnostic> {
  for (const balancer of part.all('LoadBalancer')) {
    const { vip, eip: eipName, vpc, affinity } = balancer.spec;
    if ((vip === undefined) === (eipName === undefined)) {
      const message = vip === undefined ? 'neither vip nor eip is there' : 'vip and eip are both there';
      const field = vip === undefined ? 'spec' : 'spec.eip';
      yield diagnose(balancer, { code: 'LBR751', field, message, hint: 'Write exactly one of them.' });
    }
    const eip = eipName === undefined ? undefined : set.get('Eip', eipName);
    const unjoined = eip === undefined ? undefined : joinProblem(set, vpc, eip);
    if (unjoined !== undefined) yield diagnose(balancer, { ...unjoined, field: 'spec.eip' });
    const seconds = affinity === undefined ? undefined : parseDuration(affinity);
    if (seconds?.ok === true && (seconds.value < 1 || seconds.value > MAX_AFFINITY)) {
      const message = `an affinity of ${affinity} is not possible`;
      yield diagnose(balancer, {
        code: 'ADR415',
        field: 'spec.affinity',
        message,
        hint: `Write 1s to ${MAX_AFFINITY}s.`,
      });
    }
    yield* backends(set, balancer, unread);
  }
}

function* backends(
  set: ResourceSet,
  balancer: ResourceOf<'LoadBalancer'>,
  unread: Unread,
): Iterable<Diagnostic> {
  const address = parseIp(virtualAddress(set, balancer) ?? '');
  const reachable = new Set([balancer.spec.vpc, ...topologyOf(set).peersOf(balancer.spec.vpc)]);
  for (const [index, listener] of balancer.spec.listeners.entries()) {
    const seen = new Set<string>();
    for (const [at, { target: text, port }] of listener.backends.entries()) {
      const field = `spec.listeners[${index}].backends[${at}]`;
      const report = (message: string, hint: string): Diagnostic =>
        diagnose(balancer, { code: 'LBR754', field: `${field}.target`, message, hint });
      const target = targetOf(set, text);
      if (target === undefined) continue;
      if (seen.has(`${text} ${port}`))
        yield report(`the backend ${text} port ${port} is there twice`, 'Remove one of them.');
      seen.add(`${text} ${port}`);
      if (target.kind === 'port' && !reachable.has(target.vpc ?? '')) {
        if (unread.mentions(['Peering'], balancer.spec.vpc)) continue;
        const where = target.vpc === undefined ? 'in no VPC' : `in the VPC ${target.vpc}`;
        yield report(
          `${resourceId(target.port)} is ${where}, out of reach of ${balancer.spec.vpc}`,
          'Name a Port of the VPC or of a peer.',
        );
      } else if (address.ok && !hasFamily(target, address.value.family)) {
        yield report(differentFamilies(text, address.value.family), 'Use one balancer for each family.');
      }
    }
  }
}

function differentFamilies(text: string, family: Family): string {
  return `the virtual address is IPv${family}, which ${text} has no address of`;
}
