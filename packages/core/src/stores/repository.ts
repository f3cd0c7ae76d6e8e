import type { Awaitable } from '../foundation/awaitable.ts';

/** Rows that change seldom, by id. What a promise has resolved for is durable, and every later `get` shows it. */
export interface Repository<Row> {
  get(id: string): Awaitable<Row | undefined>;
  /** Oldest first; a changed row keeps its position. */
  list(): Awaitable<readonly Row[]>;
  /** Rejects when the id exists. */
  insert(row: Row): Promise<void>;
  /**
   * Replaces a row by the result of `change`, one change of a row at a time. It may be called more than once; its
   * exception rejects and changes nothing. Resolves with the new row; undefined without a row and an `initial` one.
   */
  update(id: string, change: (row: Row) => Row, initial?: Row): Promise<Row | undefined>;
  /** False when there is no such row. */
  remove(id: string): Promise<boolean>;
}

/** Rows of which a change may depend on the others: it sees all that are there when it is made, by whichever process. */
export interface TableRepository<Row> extends Repository<Row> {
  /** `check` refuses the row by throwing. It may be called more than once. */
  insert(row: Row, check?: (rows: readonly Row[]) => void): Promise<void>;
  update(id: string, change: (row: Row, rows: readonly Row[]) => Row, initial?: Row): Promise<Row | undefined>;
}
