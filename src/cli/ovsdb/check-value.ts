import type { AtomicType, BaseType, ColumnSchema } from '../../ovsdb/index.ts';

/** How many elements a value may have: those of the column, or any number, as in the argument of a mutation. */
export type Count = 'as the column' | 'any';

/**
 * What is wrong with a value as RFC 7047 5.1 writes it, for a column; undefined when nothing is. `names` are the
 * `uuid-name`s that the transaction declares.
 */
export function valueFault(
  column: ColumnSchema,
  value: unknown,
  names: ReadonlySet<string>,
  count: Count = 'as the column',
): string | undefined {
  if (column.kind === 'map') return mapFault(column, value, names, count);
  const isSet = Array.isArray(value) && value[0] === 'set';
  if (Array.isArray(value) && value[0] === 'map') return `is a map; ${column.name} is a ${column.kind}`;
  if (isSet && !Array.isArray(value[1])) return 'is not ["set", [ATOM, ...]]';
  const atoms = isSet ? (value[1] as readonly unknown[]) : [value];
  const fault = countFault(column, atoms.length, count);
  return fault ?? firstFault(atoms, (atom) => atomFault(column.key, atom, names));
}

/** What is wrong with an atom. */
function atomFault(base: BaseType, atom: unknown, names: ReadonlySet<string>): string | undefined {
  if (base.type === 'uuid') return uuidFault(atom, names);
  if (!isOfType(base.type, atom)) return `${shown(atom)} is not ${ARTICLES[base.type]}`;
  if (base.enum !== undefined && !base.enum.includes(atom))
    return `${shown(atom)} is not one of ${base.enum.map(shown).join(', ')}`;
  if (typeof atom === 'string') {
    const { length } = Array.from(atom);
    if (length < (base.minLength ?? 0)) return `${shown(atom)} is shorter than ${base.minLength} characters`;
    if (length > (base.maxLength ?? Infinity))
      return `${shown(atom)} is longer than ${base.maxLength} characters`;
    return textFault(atom);
  }
  if (typeof atom === 'boolean') return undefined;
  if (base.minimum !== undefined && atom < base.minimum) return `${shown(atom)} is less than ${base.minimum}`;
  if (base.maximum !== undefined && atom > base.maximum) return `${shown(atom)} is more than ${base.maximum}`;
  return undefined;
}

/** What keeps a text from being one of OVSDB (RFC 7047 3.1); undefined for one that is. */
export function textFault(text: string): string | undefined {
  if (text.includes('\0')) return 'holds a NUL character';
  return /\p{Cs}/u.test(text) ? 'holds half of a surrogate pair' : undefined;
}

/** Text of a value for a message, cut where it is long. */
export function shown(value: unknown): string {
  const text = typeof value === 'bigint' ? value.toString() : jsonText(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'nothing';
  } catch {
    // It was read from JSON, so there is only one thing that can be wrong.
    return 'a value that is nested too deeply';
  }
}

function mapFault(
  column: ColumnSchema,
  value: unknown,
  names: ReadonlySet<string>,
  count: Count,
): string | undefined {
  const { key, value: base = column.key } = column;
  if (!Array.isArray(value) || value[0] !== 'map' || !Array.isArray(value[1]))
    return `is not a map: write ["map", [[KEY, VALUE], ...]]`;
  const pairs = value[1] as readonly unknown[];
  return (
    countFault(column, pairs.length, count) ??
    firstFault(pairs, (pair) =>
      Array.isArray(pair) && pair.length === 2
        ? (atomFault(key, pair[0], names) ?? atomFault(base, pair[1], names))
        : `${shown(pair)} is not a pair [KEY, VALUE]`,
    )
  );
}

function countFault(
  { name, min, max, kind }: ColumnSchema,
  length: number,
  count: Count,
): string | undefined {
  if (count === 'any') return undefined;
  if (length > max)
    return kind === 'scalar' || kind === 'optional'
      ? `has ${length} elements; ${name} holds one`
      : `has ${length} elements; ${name} holds at most ${max}`;
  return length < min ? `is empty; ${name} needs a value` : undefined;
}

function uuidFault(atom: unknown, names: ReadonlySet<string>): string | undefined {
  const [kind, text] = Array.isArray(atom) ? (atom as readonly unknown[]) : [];
  if (kind === 'uuid')
    return typeof text === 'string' && UUID.test(text) ? undefined : `${shown(text)} is not a uuid`;
  if (kind !== 'named-uuid') return `${shown(atom)} is not ["uuid", UUID] or ["named-uuid", NAME]`;
  return typeof text === 'string' && names.has(text)
    ? undefined
    : `no insert of the transaction has the uuid-name ${shown(text)}`;
}

function isOfType(type: AtomicType, atom: unknown): atom is string | number | bigint | boolean {
  switch (type) {
    case 'integer':
      return typeof atom === 'bigint' || Number.isSafeInteger(atom);
    case 'real':
      return typeof atom === 'bigint' || typeof atom === 'number';
    case 'boolean':
    case 'string':
      return typeof atom === type;
    case 'uuid':
      return false;
  }
}

function firstFault(
  items: readonly unknown[],
  faultOf: (item: unknown) => string | undefined,
): string | undefined {
  for (const item of items) {
    const fault = faultOf(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const ARTICLES: Readonly<Record<AtomicType, string>> = {
  integer: 'an integer',
  real: 'a number',
  boolean: 'true or false',
  string: 'a string',
  uuid: 'a uuid',
};

/** Servers take upper case, too. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
