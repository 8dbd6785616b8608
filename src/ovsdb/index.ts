/** An OVSDB client (RFC 7047 and the extensions of ovsdb-server(7)). */
export { openDatabase } from './client/open-database.ts';
export type { Database, DatabaseState, TransactOptions } from './client/database.ts';
export type { DatabaseOptions } from './client/options.ts';
export { OvsdbError, type OvsdbErrorCode } from './client/error.ts';
export { type Endpoint, parseEndpoint } from './client/endpoint.ts';
export type { Lock } from './client/locks.ts';
export { type RequestOptions, fetchSchema, listDatabases, requestOnce } from './client/request-once.ts';
export type { TlsOptions } from './client/tls.ts';
export { supportsClientUuid } from './client/client-uuid.ts';
export type { BuiltOutcome, CommittedTransaction, Step } from './client/built-outcome.ts';
export {
  type ColumnValues,
  type GuardOptions,
  type RowCondition,
  type RowMutation,
  TransactionBuilder,
} from './client/transaction-builder.ts';
export { type GenerateOptions, generateTypes } from './generate/generate-types.ts';
export {
  type RowName,
  type RowUuid,
  type TableTypes,
  type TablesLike,
  type TypedDatabase,
  type TypedRowChange,
  typed,
} from './generate/typed.ts';
export {
  type TypedCondition,
  type TypedMutation,
  TypedOperations,
  rowName,
} from './generate/typed-operations.ts';
export { decodeValue, encodeRow, encodeValue } from './protocol/notation.ts';
export type {
  Condition,
  ConditionFunction,
  Mutation,
  Operation,
  OperationResult,
} from './protocol/operation.ts';
export type { TransactOutcome } from './protocol/outcome.ts';
export {
  type AtomicType,
  type BaseType,
  type ColumnKind,
  type ColumnSchema,
  type DatabaseSchema,
  type TableSchema,
  parseSchema,
} from './protocol/schema.ts';
export { type SelectedRow, decodeRow, selectedRows } from './protocol/select.ts';
export type { Limits } from './protocol/framing.ts';
export { parseJson, stringifyJson } from './protocol/json.ts';
export {
  type Atom,
  type Row,
  type Uuid,
  type Value,
  type WireAtom,
  type WireRow,
  type WireUuid,
  type WireValue,
  equalValues,
  isSet,
  isUuid,
} from './protocol/value.ts';
export type { Referrer } from './replica/references.ts';
export type { Snapshot } from './replica/replica.ts';
export type { RowChange } from './replica/row-change.ts';
export type { IndexBy, RowIndex } from './replica/row-index.ts';
export type { WantedRows, WantedTables } from './replica/selection.ts';
