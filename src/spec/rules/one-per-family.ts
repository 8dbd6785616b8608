import { parseCidr, parseInterface } from '../../lib/cidr.ts';
import { parseIp, type Family } from '../../lib/ip.ts';
import type { Result } from '../../lib/result.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Resource } from '../../model/resource.ts';
import { diagnose } from '../diagnose.ts';
import { parsedList } from '../topology/parsed.ts';
import type { Part } from '../parts.ts';

/** Where CIDRs or addresses stand for the two families, there is at most one of each. */
export function* onePerFamily({ every }: Part): Iterable<Diagnostic> {
  for (const resource of every) {
    for (const [field, texts, parse] of listsOf(resource))
      if (texts.length > 1) yield* repeatedFamilies(resource, field, texts, parse);
  }
}

type FamilyOf = (text: string) => Result<{ readonly family: Family }, string>;
type List = readonly [field: string, texts: readonly string[], parse: FamilyOf];

function* listsOf(resource: Resource): Iterable<List> {
  switch (resource.kind) {
    case 'Subnet':
      yield ['spec.cidrs', resource.spec.cidrs, parseCidr];
      yield ['spec.gateways', resource.spec.gateways ?? [], parseIp];
      break;
    case 'Port':
      yield ['spec.addresses', resource.spec.addresses ?? [], parseIp];
      break;
    case 'Vpc':
      for (const [index, { addresses }] of (resource.spec.external ?? []).entries()) {
        yield [`spec.external[${index}].addresses`, addresses, parseIp];
      }
      break;
    case 'Peering':
      for (const [index, { addresses }] of resource.spec.ends.entries()) {
        yield [`spec.ends[${index}].addresses`, addresses, parseInterface];
      }
      break;
    case 'AddressLock':
      for (const [port, addresses] of Object.entries(resource.spec.ports)) {
        yield [`spec.ports[${JSON.stringify(port)}]`, addresses, parseIp];
      }
      break;
    case 'Repository':
    case 'ProviderNetwork':
    case 'Eip':
    case 'Nat':
    case 'LoadBalancer':
    case 'SecurityGroup':
    case 'NetworkPolicy':
    case 'Namespace':
      break;
  }
}

function* repeatedFamilies(
  resource: Resource,
  field: string,
  texts: readonly string[],
  parse: FamilyOf,
): Iterable<Diagnostic> {
  const seen = new Map<Family, string>();
  for (const { text, index, value } of parsedList(texts, parse)) {
    const first = seen.get(value.family);
    if (first === undefined) {
      seen.set(value.family, text);
      continue;
    }
    const message = `${first} and ${text} are both IPv${value.family}`;
    const hint = 'Keep one for each family.';
    yield diagnose(resource, { code: 'ADR401', field: `${field}[${index}]`, message, hint });
  }
}
