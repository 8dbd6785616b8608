import { formatIp, parseIp } from '../../lib/ip.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { resourceId, type Resource, type ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import type { Protocol } from '../../model/specs.ts';
import { diagnose } from '../diagnose.ts';
import type { Part } from '../parts.ts';

/** In a VPC, one address, port and protocol leads to one listener or port forward. */
export function* uniqueListeners(part: Part, set: ResourceSet): Iterable<Diagnostic> {
  const first = new Map<string, Listener>();
  for (const listener of listeners(part, set)) {
    const { vpc, address, port, protocol, resource } = listener;
    const key = `${vpc} ${address} ${protocol} ${port}`;
    const other = first.get(key);
    first.set(key, other ?? listener);
    if (other === undefined) continue;
    const message = `${protocol} port ${port} of ${address} already leads to ${resourceId(other.resource)}`;
    const related = [{ resource: other.resource, field: other.field, message: 'the first one is here' }];
    yield diagnose(resource, {
      code: 'LBR752',
      field: listener.field,
      message,
      hint: 'Change or remove one of them.',
      related,
    });
  }
}

interface Listener {
  readonly vpc: string;
  readonly address: string;
  readonly port: number;
  readonly protocol: Protocol;
  readonly resource: Resource;
  readonly field: string;
}

function listeners(part: Part, set: ResourceSet): readonly Listener[] {
  const forwards = part.all('Nat').flatMap((nat): readonly Listener[] => {
    const { spec } = nat;
    if (spec.type !== 'port_forward') return [];
    const { vpc, protocol, externalPort: port } = spec;
    const address = addressOfEip(set, spec.eip);
    return address === undefined
      ? []
      : [{ vpc, address, port, protocol, resource: nat, field: 'spec.externalPort' }];
  });
  const balanced = part.all('LoadBalancer').flatMap((balancer): readonly Listener[] => {
    const address = virtualAddress(set, balancer);
    if (address === undefined) return [];
    return balancer.spec.listeners.map(({ port, protocol }, index) => {
      return {
        vpc: balancer.spec.vpc,
        address,
        port,
        protocol,
        resource: balancer,
        field: `spec.listeners[${index}].port`,
      };
    });
  });
  return [...forwards, ...balanced];
}

/** The canonical virtual address of a balancer, whichever way it is given. */
export function virtualAddress(set: ResourceSet, { spec }: ResourceOf<'LoadBalancer'>): string | undefined {
  if (spec.vip === undefined) return spec.eip === undefined ? undefined : addressOfEip(set, spec.eip);
  const vip = parseIp(spec.vip);
  return vip.ok ? formatIp(vip.value) : undefined;
}

function addressOfEip(set: ResourceSet, name: string): string | undefined {
  const address = parseIp(set.get('Eip', name)?.spec.address ?? '');
  return address.ok ? formatIp(address.value) : undefined;
}
