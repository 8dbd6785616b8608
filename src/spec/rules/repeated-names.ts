import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Resource } from '../../model/resource.ts';
import { diagnose } from '../diagnose.ts';

/** Chassis in order of preference are named once each. */
export function* repeatedNames(
  resource: Resource,
  field: string,
  names: readonly string[],
): Iterable<Diagnostic> {
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) === index) continue;
    const message = `the chassis "${name}" is named twice`;
    yield diagnose(resource, {
      code: 'EXT653',
      field: `${field}[${index}]`,
      message,
      hint: 'Keep one of them.',
    });
  }
}
