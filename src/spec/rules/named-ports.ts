import type { Diagnostic } from '../../model/diagnostic.ts';
import { diagnose } from '../diagnose.ts';
import type { Part } from '../parts.ts';

/** A name means one port number of a protocol on each Port, so that a policy by name means one thing. */
export function* namedPorts(part: Part): Iterable<Diagnostic> {
  for (const port of part.all('Port')) {
    const first = new Map<string, number>();
    for (const [index, { name, protocol = 'tcp' }] of (port.spec.ports ?? []).entries()) {
      const key = `${protocol} ${name}`;
      const other = first.get(key);
      first.set(key, other ?? index);
      if (other === undefined) continue;
      const message = `the ${protocol} port "${name}" is named twice`;
      const related = [
        { resource: port, field: `spec.ports[${other}].name`, message: 'the first one is here' },
      ];
      const field = `spec.ports[${index}].name`;
      yield diagnose(port, { code: 'POL857', field, message, hint: 'Choose another name.', related });
    }
  }
}
