import type { Row, Uuid } from '../protocol/value.ts';

/** One row that appeared (`before` undefined), changed, or went away (`after` undefined). */
export interface RowChange {
  readonly table: string;
  readonly uuid: Uuid;
  readonly before: Row | undefined;
  readonly after: Row | undefined;
}
