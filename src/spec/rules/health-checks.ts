import { parseDuration } from '../../lib/duration.ts';
import { parseIp, type Family } from '../../lib/ip.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { resourceId, type ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';
import { parsed } from '../topology/parsed.ts';
import { targetOf } from '../topology/targets.ts';
import { virtualAddress } from './listeners.ts';
import type { Part } from '../parts.ts';

/**
 * OVN probes Ports, from a source address in each Port's subnet, over TCP or UDP. That the source is nobody else's, and
 * above all not the router's, is checked with all other addresses: OVN would answer for it with a MAC of its own.
 */
export function* healthChecks(part: Part, set: ResourceSet): Iterable<Diagnostic> {
  for (const balancer of part.all('LoadBalancer')) {
    const { healthCheck, listeners } = balancer.spec;
    const address = parseIp(virtualAddress(set, balancer) ?? '');
    if (healthCheck === undefined) continue;
    yield* durations(balancer);
    for (const [index, { protocol }] of listeners.entries()) {
      if (protocol !== 'sctp') continue;
      const field = `spec.listeners[${index}].protocol`;
      const hint = 'Move the listener to a balancer without healthCheck.';
      yield diagnose(balancer, { code: 'LBR755', field, message: 'OVN cannot probe sctp', hint });
    }
    if (address.ok) yield* sources(set, balancer, address.value.family);
  }
}

function* durations(balancer: ResourceOf<'LoadBalancer'>): Iterable<Diagnostic> {
  for (const name of ['interval', 'timeout'] as const) {
    for (const seconds of parsed(parseDuration(balancer.spec.healthCheck?.[name] ?? ''))) {
      if (seconds >= 1) continue;
      const message = `${name} is no time at all`;
      yield diagnose(balancer, {
        code: 'ADR415',
        field: `spec.healthCheck.${name}`,
        message,
        hint: 'Write 1s or more.',
      });
    }
  }
}

function* sources(
  set: ResourceSet,
  balancer: ResourceOf<'LoadBalancer'>,
  family: Family,
): Iterable<Diagnostic> {
  const covered = coveredSubnets(balancer, family);
  yield* repeatedSources(balancer);
  for (const [index, { backends }] of balancer.spec.listeners.entries()) {
    for (const [at, { target: text }] of backends.entries()) {
      const target = targetOf(set, text);
      const field = `spec.listeners[${index}].backends[${at}].target`;
      if (target?.kind === 'ip') {
        const message = `${text} is an address, and OVN probes Ports only`;
        yield diagnose(balancer, { code: 'LBR755', field, message, hint: 'Name the Port.' });
      } else if (target !== undefined && !covered.has(target.port.spec.subnet)) {
        const message = `no source of health checks is in ${target.port.spec.subnet}, the subnet of ${resourceId(target.port)}`;
        const hint = `Add an IPv${family} address of that subnet to sources.`;
        yield diagnose(balancer, { code: 'LBR755', field, message, hint });
      }
    }
  }
}

function coveredSubnets(balancer: ResourceOf<'LoadBalancer'>, family: Family): ReadonlySet<string> {
  const sources = balancer.spec.healthCheck?.sources ?? [];
  return new Set(
    sources.flatMap(({ subnet, address }) =>
      parsed(parseIp(address)).flatMap((ip) => (ip.family === family ? [subnet] : [])),
    ),
  );
}

function* repeatedSources(balancer: ResourceOf<'LoadBalancer'>): Iterable<Diagnostic> {
  const seen = new Set<string>();
  for (const [index, { subnet, address }] of (balancer.spec.healthCheck?.sources ?? []).entries()) {
    const key = `${subnet} ${address.includes(':') ? 6 : 4}`;
    if (seen.has(key)) {
      const message = `the subnet ${subnet} has another source of this family already`;
      const field = `spec.healthCheck.sources[${index}]`;
      yield diagnose(balancer, { code: 'LBR755', field, message, hint: 'Keep one of them.' });
    }
    seen.add(key);
  }
}
