import { formatIp, parseIp } from '../../lib/ip.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { ResourceOf } from '../../model/resource.ts';
import type { ResourceSet } from '../../model/resource-set.ts';
import { diagnose } from '../diagnose.ts';
import { parsedList } from '../topology/parsed.ts';

/** A port is locked in one place, and entries that pin nothing are pointed out. */
export function* addressLocks(set: ResourceSet): Iterable<Diagnostic> {
  const locked = new Map<string, ResourceOf<'AddressLock'>>();
  for (const lock of set.all('AddressLock')) {
    for (const [name, addresses] of Object.entries(lock.spec.ports)) {
      const field = `spec.ports[${JSON.stringify(name)}]`;
      const other = locked.get(name);
      locked.set(name, other ?? lock);
      if (other !== undefined) {
        const message = `the Port ${name} is locked twice`;
        const related = [{ resource: other, field }];
        yield diagnose(lock, { code: 'ADR413', field, message, hint: 'Keep one of the entries.', related });
      }
      yield* outdated(set, lock, name, addresses);
    }
  }
}

/** Entries that pin nothing any more, because the Port is gone or has a fixed address by now: no reason to stop anybody. */
function* outdated(
  set: ResourceSet,
  lock: ResourceOf<'AddressLock'>,
  name: string,
  addresses: readonly string[],
): Iterable<Diagnostic> {
  const port = set.get('Port', name);
  const hint = 'Run "ovn-gitops lock" and commit the file.';
  const field = `spec.ports[${JSON.stringify(name)}]`;
  if (port === undefined) {
    const message = `the Port ${name}, which is locked, does not exist`;
    yield diagnose(lock, { code: 'ADR416', severity: 'warning', field, message, hint });
    return;
  }
  const fixed = parsedList(port.spec.addresses ?? [], parseIp);
  for (const { index, value } of parsedList(addresses, parseIp)) {
    const own = fixed.find((address) => address.value.family === value.family);
    if (own === undefined || own.value.value === value.value) continue;
    yield diagnose(lock, {
      code: 'ADR416',
      severity: 'warning',
      field: `${field}[${index}]`,
      message: `${formatIp(value)} is locked for the Port ${name}, which has the fixed address ${formatIp(own.value)}`,
      hint,
      related: [{ resource: port, field: `spec.addresses[${own.index}]` }],
    });
  }
}
