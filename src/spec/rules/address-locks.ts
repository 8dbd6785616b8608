import { formatIp, parseIp } from '../../lib/ip.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { scopedName, type ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';
import { lockedAddresses } from '../topology/address-claims.ts';
import { parsedList } from '../topology/parsed.ts';
import type { Part } from '../parts.ts';

const HINT = 'Run "ovn-gitops lock" and commit the file.';

/** A port is locked in one place, and entries that pin nothing are pointed out: no reason to stop anybody. */
export function* addressLocks(part: Part, set: ResourceSet): Iterable<Diagnostic> {
  for (const lock of part.all('AddressLock')) {
    for (const name of Object.keys(lock.spec.ports)) {
      const field = fieldOf(name);
      const other = set.all('AddressLock').find(({ spec }) => Object.hasOwn(spec.ports, name));
      if (other !== undefined && other !== lock) {
        const message = `the Port ${name} is locked twice`;
        const related = [{ resource: other, field }];
        yield diagnose(lock, { code: 'ADR413', field, message, hint: 'Keep one of the entries.', related });
      }
      if (set.has('Port', name)) continue;
      const message = `the Port ${name}, which is locked, does not exist`;
      yield diagnose(lock, { code: 'ADR416', severity: 'warning', field, message, hint: HINT });
    }
  }
  for (const port of part.all('Port')) {
    if (port.spec.addresses === undefined) continue;
    for (const lock of set.all('AddressLock')) yield* fixedByNow(lock, port);
  }
}

/** Entries for a Port that has a fixed address by now. */
function* fixedByNow(lock: ResourceOf<'AddressLock'>, port: ResourceOf<'Port'>): Iterable<Diagnostic> {
  const name = scopedName(port);
  const fixed = parsedList(port.spec.addresses ?? [], parseIp);
  for (const { index, value } of parsedList(lockedAddresses(lock, name), parseIp)) {
    const own = fixed.find((address) => address.value.family === value.family);
    if (own === undefined || own.value.value === value.value) continue;
    yield diagnose(lock, {
      code: 'ADR416',
      severity: 'warning',
      field: `${fieldOf(name)}[${index}]`,
      message: `${formatIp(value)} is locked for the Port ${name}, which has the fixed address ${formatIp(own.value)}`,
      hint: HINT,
      related: [{ resource: port, field: `spec.addresses[${own.index}]` }],
    });
  }
}

function fieldOf(port: string): string {
  return `spec.ports[${JSON.stringify(port)}]`;
}
