import { isSet, type BaseType, type ColumnSchema, type DatabaseSchema } from '../../ovsdb/index.ts';
import type { TableSelection } from './table-selection.ts';

/** The selected part of a schema as RFC 7047 3.2 writes it, so that what is dumped says what it is. */
export function schemaJson(schema: DatabaseSchema, selection: TableSelection): unknown {
  const tables = [...selection].map(([name, columns]) => {
    const table = schema.tables.get(name);
    const names = new Set(columns.map((column) => column.name));
    const indexes = (table?.indexes ?? []).filter((index) => index.every((column) => names.has(column)));
    return [
      name,
      {
        columns: Object.fromEntries(columns.map((column) => [column.name, columnJson(column)])),
        ...(table?.isRoot === true ? { isRoot: true } : {}),
        ...(indexes.length === 0 ? {} : { indexes }),
      },
    ];
  });
  return { name: schema.name, version: schema.version, tables: Object.fromEntries(tables) as unknown };
}

function columnJson(column: ColumnSchema): unknown {
  const { key, value, min, max, mutable, ephemeral } = column;
  return {
    type: {
      key: baseJson(key),
      ...(value === undefined ? {} : { value: baseJson(value) }),
      ...(min === 1 ? {} : { min }),
      ...(max === 1 ? {} : { max: max === Infinity ? 'unlimited' : max }),
    },
    ...(mutable ? {} : { mutable }),
    ...(ephemeral ? { ephemeral } : {}),
  };
}

function baseJson(base: BaseType): unknown {
  const { type, refTable, refType, minimum, maximum, minLength, maxLength } = base;
  const [least, most] = type === 'integer' ? ['minInteger', 'maxInteger'] : ['minReal', 'maxReal'];
  const members = {
    type,
    ...(base.enum !== undefined && isSet(base.enum) ? { enum: ['set', base.enum] } : {}),
    refTable,
    refType: refType === 'weak' ? refType : undefined,
    [least]: minimum,
    [most]: maximum,
    minLength,
    maxLength,
  };
  const given = Object.entries(members).filter(([, member]) => member !== undefined);
  return given.length === 1 ? type : Object.fromEntries(given);
}
