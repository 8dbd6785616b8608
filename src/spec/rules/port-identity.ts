import { isMulticastMac, parseMac } from '../../lib/mac.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { resourceId, scopedName, type ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';
import { segmentOf } from '../topology/address-claims.ts';

/**
 * Logical port names are unique in the whole database (ovn-nb(5)); MAC addresses are unicast, and unique where frames
 * are switched. OVN itself accepts a repeated MAC without a word.
 */
export function* portIdentity(set: ResourceSet): Iterable<Diagnostic> {
  const names = new Map<string, ResourceOf<'Port'>>();
  const macs = new Map<string, ResourceOf<'Port'>>();
  for (const port of set.all('Port')) {
    const named = claimName(names, port);
    if (named !== undefined) yield named;
    yield* checkMac(set, macs, port);
  }
}

function claimName(names: Map<string, ResourceOf<'Port'>>, port: ResourceOf<'Port'>): Diagnostic | undefined {
  const { interfaceId } = port.spec;
  const name = interfaceId ?? scopedName(port);
  const other = names.get(name);
  if (other === undefined) {
    names.set(name, port);
    return undefined;
  }
  const [one, two] = interfaceId === undefined ? [other, port] : [port, other];
  return diagnose(one, {
    code: 'ADR412',
    field: 'spec.interfaceId',
    message: `the logical port name "${name}" is also that of ${resourceId(two)}`,
    hint: 'Give one of them another interfaceId.',
    related: [
      { resource: two, field: two.spec.interfaceId === undefined ? 'metadata.name' : 'spec.interfaceId' },
    ],
  });
}

function* checkMac(
  set: ResourceSet,
  macs: Map<string, ResourceOf<'Port'>>,
  port: ResourceOf<'Port'>,
): Iterable<Diagnostic> {
  const mac = port.spec.mac === undefined ? undefined : parseMac(port.spec.mac);
  const subnet = set.get('Subnet', port.spec.subnet);
  if (mac?.ok !== true || subnet === undefined) return;
  if (isMulticastMac(mac.value) || mac.value === '00:00:00:00:00:00') {
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
  const key = `${segmentOf(set, subnet)} ${mac.value}`;
  const other = macs.get(key);
  macs.set(key, other ?? port);
  if (other === undefined) return;
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
