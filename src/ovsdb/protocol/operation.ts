import type { WireRow, WireValue } from './value.ts';

/** RFC 7047 5.1 `<function>`. */
export type ConditionFunction = '<' | '<=' | '==' | '!=' | '>=' | '>' | 'includes' | 'excludes';

/** RFC 7047 5.1 `<condition>`. */
export type Condition = readonly [column: string, test: ConditionFunction, value: WireValue];

/** RFC 7047 5.1 `<mutation>`: `insert` and `delete` change members of sets and maps, the others are arithmetic. */
export type Mutation = readonly [
  column: string,
  mutator: '+=' | '-=' | '*=' | '/=' | '%=' | 'insert' | 'delete',
  value: WireValue,
];

/** RFC 7047 5.2: one step of a transaction, with values as JSON carries them (see `encodeValue`). */
export type Operation =
  | {
      readonly op: 'insert';
      readonly table: string;
      readonly row: WireRow;
      /** The row's uuid, chosen by the client: an ovsdb-server extension, see `supportsClientUuid`. */
      readonly uuid?: string;
      /** A name for the row inside this transaction: `[a-zA-Z_][a-zA-Z0-9_]*`. */
      readonly 'uuid-name'?: string;
    }
  | {
      readonly op: 'select';
      readonly table: string;
      readonly where: readonly Condition[];
      readonly columns?: readonly string[];
    }
  | {
      readonly op: 'update';
      readonly table: string;
      readonly where: readonly Condition[];
      readonly row: WireRow;
    }
  | {
      readonly op: 'mutate';
      readonly table: string;
      readonly where: readonly Condition[];
      readonly mutations: readonly Mutation[];
    }
  | { readonly op: 'delete'; readonly table: string; readonly where: readonly Condition[] }
  | {
      readonly op: 'wait';
      /** Milliseconds, an integer. Required, because a server without one parks the transaction for ever. */
      readonly timeout: number;
      readonly table: string;
      readonly where: readonly Condition[];
      readonly columns: readonly string[];
      readonly until: '==' | '!=';
      readonly rows: readonly WireRow[];
    }
  | { readonly op: 'comment'; readonly comment: string }
  | { readonly op: 'assert'; readonly lock: string }
  | { readonly op: 'commit'; readonly durable: boolean }
  | { readonly op: 'abort' };

/** RFC 7047 5.2: what an operation answered; the members depend on the operation. */
export interface OperationResult {
  readonly uuid?: readonly ['uuid', string];
  readonly rows?: readonly WireRow[];
  readonly count?: number;
  readonly error?: string;
  readonly details?: string;
}
