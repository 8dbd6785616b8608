import { isMulticastMac, parseMac } from '../../lib/mac.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { inOrder } from '../../model/relation-index.ts';
import { PORTS_OF_INTERFACE, PORTS_OF_SUBNET } from '../../model/relations.ts';
import { resourceId, type ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';
import { segmentOf } from '../topology/segments.ts';
import type { Part } from '../parts.ts';

/**
 * Logical port names are unique in the whole database (ovn-nb(5)); MAC addresses are unicast, and unique where frames
 * are switched. OVN itself accepts a repeated MAC without a word.
 */
export function* portIdentity(part: Part, set: ResourceSet): Iterable<Diagnostic> {
  for (const port of part.all('Port')) yield* uniqueName(set, port);
  const [port] = part.all('Port');
  const subnet = port === undefined ? undefined : set.get('Subnet', port.spec.subnet);
  if (subnet === undefined || part.all('Port').every(({ spec }) => spec.mac === undefined)) return;
  const ports = segmentOf(set, subnet).flatMap(({ name }) => set.related(PORTS_OF_SUBNET, name));
  const first = new Map<string, ResourceOf<'Port'>>();
  for (const each of inOrder(ports)) {
    const mac = usableMac(each);
    if (mac !== undefined && !first.has(mac)) first.set(mac, each);
  }
  for (const each of part.all('Port')) yield* checkMac(each, first);
}

/** Ports without an interfaceId differ by their own names, so whoever has one is at fault. */
function* uniqueName(set: ResourceSet, port: ResourceOf<'Port'>): Iterable<Diagnostic> {
  const name = port.spec.interfaceId;
  if (name === undefined) return;
  const plain = set.get('Port', name);
  const isPlain = plain !== undefined && plain.spec.interfaceId === undefined;
  const [first, ...others] = inOrder([...(isPlain ? [plain] : []), ...set.related(PORTS_OF_INTERFACE, name)]);
  const other = first === port ? others.find((later) => later === plain) : first;
  if (other === undefined) return;
  yield diagnose(port, {
    code: 'ADR412',
    field: 'spec.interfaceId',
    message: `the logical port name "${name}" is also that of ${resourceId(other)}`,
    hint: 'Give one of them another interfaceId.',
    related: [{ resource: other, field: other === plain ? 'metadata.name' : 'spec.interfaceId' }],
  });
}

function isReserved(mac: string): boolean {
  return isMulticastMac(mac) || mac === '00:00:00:00:00:00';
}

function usableMac({ spec }: ResourceOf<'Port'>): string | undefined {
  const mac = spec.mac === undefined ? undefined : parseMac(spec.mac);
  return mac?.ok === true && !isReserved(mac.value) ? mac.value : undefined;
}

function* checkMac(
  port: ResourceOf<'Port'>,
  first: ReadonlyMap<string, ResourceOf<'Port'>>,
): Iterable<Diagnostic> {
  const mac = port.spec.mac === undefined ? undefined : parseMac(port.spec.mac);
  if (mac?.ok !== true) return;
  if (isReserved(mac.value)) {
    const meaning = isMulticastMac(mac.value) ? 'is a group address' : 'means "no address"';
    const hint = 'Choose one whose first octet is even, e.g. 02:00:00:00:00:01.';
    yield diagnose(port, {
      code: 'ADR411',
      field: 'spec.mac',
      message: `${port.spec.mac} ${meaning}, not a port's`,
      hint,
    });
    return;
  }
  const other = first.get(mac.value);
  if (other === undefined || other === port) return;
  const message = `${mac.value} is also the MAC address of ${resourceId(other)}`;
  const related = [{ resource: other, field: 'spec.mac' }];
  yield diagnose(port, {
    code: 'ADR410',
    field: 'spec.mac',
    message,
    hint: 'Change one of them, or leave it out.',
    related,
  });
}
