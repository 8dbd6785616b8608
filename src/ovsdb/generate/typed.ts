import type { Database } from '../client/database.ts';
import type { Uuid } from '../protocol/value.ts';

declare const table: unique symbol;

/** The uuid of a row of one table: it is a `Uuid`, and uuids of different tables do not mix. */
export type RowUuid<Table extends string> = Uuid & { readonly [table]: Table };

declare const rowName: unique symbol;

/** A row that the same transaction inserts under this name (RFC 7047 5.2.1 `uuid-name`). */
export type RowName<Table extends string> = string & { readonly [rowName]: Table };

/** What `generateTypes` says of a table. */
export interface TableTypes {
  /** A row of the replica. */
  readonly row: { readonly _uuid: Uuid };
  /** What an insert takes: columns whose default the schema allows may be left out. */
  readonly insert: object;
}

/** The `...Tables` interface that `generateTypes` writes. */
export type TablesLike<Tables> = { readonly [Name in keyof Tables]: TableTypes };

/** One row that appeared, changed, or went away: `table` tells of which type it is. */
export type TypedRowChange<Tables extends TablesLike<Tables>> = {
  readonly [Name in keyof Tables & string]: {
    readonly table: Name;
    readonly uuid: RowUuid<Name>;
    readonly before: Tables[Name]['row'] | undefined;
    readonly after: Tables[Name]['row'] | undefined;
  };
}[keyof Tables & string];

/** A database whose tables and columns the compiler knows. */
export interface TypedDatabase<Tables extends TablesLike<Tables>> extends Omit<
  Database,
  'rows' | 'row' | 'onChange'
> {
  rows<Name extends keyof Tables & string>(table: Name): ReadonlyMap<RowUuid<Name>, Tables[Name]['row']>;
  row<Name extends keyof Tables & string>(
    table: Name,
    uuid: RowUuid<NoInfer<Name>>,
  ): Tables[Name]['row'] | undefined;
  onChange(listener: (changes: readonly TypedRowChange<Tables>[]) => void): () => void;
}

/**
 * The same database, seen with the types that `generateTypes` wrote for its schema. Nothing happens at run time: that
 * the server's schema has these tables and columns is what the caller says by it (`tables` of `openDatabase` makes a
 * server that lacks one an error).
 */
export function typed<Tables extends TablesLike<Tables>>(database: Database): TypedDatabase<Tables> {
  // The listener of a typed database takes the very changes that the database reports.
  return database as unknown as TypedDatabase<Tables>;
}
