// Every field of a kind as rows of a table, from its JSON Schema.

/** Units that the schema's types do not say by themselves. */
const UNITS = { Mtu: 'bytes', DurationText: 's, m, h or d' };
/** Shared parts that are explained once, on the page of all kinds. */
const EXPLAINED_ONCE = new Set(['LabelSelector', 'Labels', 'Annotations']);

/**
 * A Markdown table: path, type with unit, default, meaning. `defaults` says those that the descriptions leave out, by
 * path; one that names no field is an error.
 */
export function fieldTable(schema, common, defaults) {
  const rows = [...walk(schema, { common, local: schema.$defs })];
  const unknown = Object.keys(defaults).filter((name) => !rows.some((row) => row.path === name));
  if (unknown.length > 0) throw new Error(`docs/reference/kinds.json: no field ${unknown.join(', ')}`);
  const lines = rows.map(({ path, type, required, meaning }) => {
    const given = required ? 'required' : (defaults[path] ?? defaultOf(meaning) ?? 'none');
    return `| \`${path}\` | ${type} | ${given} | ${meaning} |`;
  });
  return ['| Field | Type | Default | Meaning |', '| ----- | ---- | ------- | ------- |', ...lines].join(
    '\n',
  );
}

fieldTable.selector =
  '`matchLabels` (labels that must all be there with these values) and `matchExpressions` (`key`, `operator` one of `In`, `NotIn`, `Exists`, `DoesNotExist`, and `values` for the first two); all must hold, and an empty selector selects everything.';

/** The fields below an object, depth first. Those that mean nothing here are one row. */
function* walk(object, defs, above = '') {
  if (object.oneOf !== undefined) {
    yield* walkChoices(object, defs, above);
    return;
  }
  const required = new Set(object.required);
  const ignored = [];
  for (const [name, property] of Object.entries(object.properties ?? {})) {
    if (property.type === undefined && property.$ref === undefined && property.const === undefined) {
      ignored.push({ path: `${above}${name}`, meaning: property.description });
    } else {
      yield* walkField(`${above}${name}`, property, required.has(name), defs);
    }
  }
  if (ignored.length > 0) {
    const [{ meaning }] = ignored;
    const words = ignored.length === 1 ? meaning : 'Written by an API server or a controller; ignored.';
    yield {
      path: ignored.map(({ path }) => path).join('`, `'),
      type: 'any',
      required: false,
      meaning: words,
    };
  }
}

/** Several choices: what is the same in some of them is one row, which names them unless it is in all. */
function* walkChoices({ oneOf, discriminator }, defs, above) {
  const name = discriminator.propertyName;
  const choices = oneOf.map(({ properties }) => properties[name]);
  const type = choices.map(({ const: choice }) => `\`${choice}\``).join(' or ');
  const meaning = choices.map(({ const: choice, description }) => `\`${choice}\`: ${description}`).join(' ');
  yield { path: `${above}${name}`, type, required: true, meaning };
  const found = new Map();
  for (const branch of oneOf) {
    for (const row of walk(branch, defs, above)) {
      if (row.path === `${above}${name}`) continue;
      const key = JSON.stringify(row);
      const known = found.get(key)?.choices ?? [];
      found.set(key, { row, choices: [...known, `\`${branch.properties[name].const}\``] });
    }
  }
  for (const { row, choices: holders } of found.values()) {
    yield holders.length === oneOf.length
      ? row
      : { ...row, meaning: `With ${holders.join(' or ')}. ${row.meaning}` };
  }
}

function* walkField(path, property, required, defs) {
  const { schema, name } = resolved(property, defs);
  const meaning = cell(property.description ?? schema.description ?? `${schema.title}.`);
  yield { path, type: typeOf(property, defs), required, meaning };
  if (EXPLAINED_ONCE.has(name)) return;
  if (typeof schema.type === 'object' ? schema.type.includes('array') : schema.type === 'array') {
    const items = resolved(schema.prefixItems?.[0] ?? schema.items, defs);
    if (!EXPLAINED_ONCE.has(items.name)) yield* walk(items.schema, defs, `${path}[].`);
  } else {
    yield* walk(schema, defs, `${path}.`);
  }
}

/** A schema with its reference followed, and the name that it was referred to by. */
function resolved(schema, { common, local }) {
  if (schema.$ref === undefined) return { schema, name: undefined };
  const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  // The shared parts refer to one another without naming their file; no kind has a part of the same name.
  return { schema: local?.[name] ?? common[name], name };
}

function typeOf(property, defs) {
  const { schema, name } = resolved(property, defs);
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum !== undefined) return schema.enum.map((one) => `\`${one}\``).join(' or ');
  const types = [schema.type].flat();
  if (types.includes('array')) {
    const orNull = types.includes('null') ? ' or null' : '';
    return `list of ${typeOf(schema.prefixItems?.[0] ?? schema.items, defs)}${countOf(schema)}${orNull}`;
  }
  const unit = UNITS[name] === undefined ? '' : `, ${UNITS[name]}`;
  if (schema.properties === undefined && name !== undefined)
    return `${schema.title.toLowerCase()}${rangeOf(schema)}${unit}`;
  if (schema.type === undefined || schema.type === 'object') return objectType(schema, name);
  return `${types.join(' or ')}${rangeOf(schema)}${unit}`;
}

function objectType(schema, name) {
  if (EXPLAINED_ONCE.has(name)) return schema.title.toLowerCase();
  return schema.maxProperties === 1 ? 'object with one field' : 'object';
}

function rangeOf({ minimum, maximum }) {
  return minimum === undefined ? '' : ` ${minimum} to ${maximum}`;
}

function countOf({ minItems = 0, maxItems }) {
  if (maxItems === undefined) return minItems === 0 ? '' : `, at least ${minItems}`;
  return minItems === maxItems ? `, exactly ${minItems}` : `, ${minItems} to ${maxItems}`;
}

/** Descriptions say defaults in words: "default 5s", "`open` (default)". */
function defaultOf(meaning) {
  const inParentheses = /(`[^`]+`) \(default\)/.exec(meaning);
  if (inParentheses !== null) return inParentheses[1];
  return /\bdefault(?: is)?:? ([^.;:]+)/i.exec(meaning)?.[1].trim();
}

/** A bar would end the cell of a table. */
function cell(text) {
  return text.replaceAll('|', String.raw`\|`);
}
