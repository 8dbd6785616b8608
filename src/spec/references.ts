import { parseIp } from '../lib/ip.ts';
import type { Resource } from '../model/resource.ts';
import type { Kind } from '../model/specs.ts';

/** A field that names another resource. */
export interface Reference {
  readonly resource: Resource;
  readonly field: string;
  readonly kind: Kind;
  readonly name: string;
}

/** Every field of a resource that names another one. */
export function* referencesOf(resource: Resource): Iterable<Reference> {
  for (const [field, kind, name] of fieldsOf(resource)) yield { resource, field, kind, name };
}

type Field = readonly [field: string, kind: Kind, name: string];

function* fieldsOf(resource: Resource): Iterable<Field> {
  switch (resource.kind) {
    case 'Repository':
      for (const [index, range] of (resource.spec.reserved ?? []).entries()) {
        yield* named(`spec.reserved[${index}].vpcs`, 'Vpc', range.vpcs ?? []);
      }
      break;
    case 'Vpc':
      for (const [index, { subnet }] of (resource.spec.external ?? []).entries()) {
        yield [`spec.external[${index}].subnet`, 'Subnet', subnet];
      }
      break;
    case 'Subnet': {
      const { vpc, provider } = resource.spec;
      if (vpc !== undefined) yield ['spec.vpc', 'Vpc', vpc];
      if (provider !== undefined) yield ['spec.provider.network', 'ProviderNetwork', provider.network];
      break;
    }
    case 'Port':
      yield ['spec.subnet', 'Subnet', resource.spec.subnet];
      yield* named('spec.securityGroups', 'SecurityGroup', resource.spec.securityGroups ?? []);
      break;
    case 'Peering':
      for (const [index, { vpc }] of resource.spec.ends.entries())
        yield [`spec.ends[${index}].vpc`, 'Vpc', vpc];
      break;
    case 'Eip':
      yield ['spec.subnet', 'Subnet', resource.spec.subnet];
      break;
    case 'Nat': {
      const { spec } = resource;
      yield ['spec.vpc', 'Vpc', spec.vpc];
      yield ['spec.eip', 'Eip', spec.eip];
      if (spec.type !== 'snat') yield* portOrIp('spec.internal', spec.internal);
      break;
    }
    case 'LoadBalancer':
      yield* loadBalancerFields(resource.spec);
      break;
    case 'SecurityGroup':
      yield ['spec.vpc', 'Vpc', resource.spec.vpc];
      for (const direction of ['ingress', 'egress'] as const) {
        for (const [index, { remote }] of (resource.spec[direction] ?? []).entries()) {
          for (const [at, peer] of (remote ?? []).entries()) {
            if ('group' in peer)
              yield [`spec.${direction}[${index}].remote[${at}].group`, 'SecurityGroup', peer.group];
          }
        }
      }
      break;
    // An entry for a Port that is gone is out of date, not wrong: the rule of address locks says so.
    case 'AddressLock':
    case 'ProviderNetwork':
    case 'NetworkPolicy':
    case 'Namespace':
      break;
  }
}

function* loadBalancerFields(
  spec: Extract<Resource, { readonly kind: 'LoadBalancer' }>['spec'],
): Iterable<Field> {
  yield ['spec.vpc', 'Vpc', spec.vpc];
  if (spec.eip !== undefined) yield ['spec.eip', 'Eip', spec.eip];
  for (const [index, { backends }] of spec.listeners.entries()) {
    for (const [at, { target }] of backends.entries()) {
      yield* portOrIp(`spec.listeners[${index}].backends[${at}].target`, target);
    }
  }
  for (const [index, { subnet }] of (spec.healthCheck?.sources ?? []).entries()) {
    yield [`spec.healthCheck.sources[${index}].subnet`, 'Subnet', subnet];
  }
}

function* named(field: string, kind: Kind, names: readonly string[]): Iterable<Field> {
  for (const [index, name] of names.entries()) yield [`${field}[${index}]`, kind, name];
}

function* portOrIp(field: string, text: string): Iterable<Field> {
  if (!parseIp(text).ok) yield [field, 'Port', text];
}
