import type { Repository } from '../store.ts';

/** One fact about a row: what it is now, or that it is gone. */
export type RowChange<Row> = { readonly put: Row } | { readonly removed: string };

export interface RowRepositoryOptions<Row> {
  /** The existing rows, oldest first. */
  readonly rows?: Iterable<Row> | undefined;
  /** Makes a change durable; what it rejects with has not happened. Called for one change at a time. */
  readonly write: (change: RowChange<Row>) => Promise<void>;
}

/** Rows in memory, each change persisted separately: for tables too large to be written whole at each change. */
export function createRowRepository<Row extends { readonly id: string }>({
  rows = [],
  write,
}: RowRepositoryOptions<Row>): Repository<Row> {
  const byId = new Map<string, Row>();
  for (const row of rows) byId.set(row.id, row);
  let last: Promise<unknown> = Promise.resolve();
  /** One after the other, each on what the one before has made durable. */
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
  const put = async (row: Row): Promise<Row> => {
    await write({ put: row });
    byId.set(row.id, row);
    return row;
  };
  return {
    get: (id) => byId.get(id),
    list: () => [...byId.values()],
    insert: (row) =>
      inTurn(async () => {
        if (byId.has(row.id)) throw new Error(`A row with the id ${row.id} exists`);
        await put(row);
      }),
    update: (id, change, initial) =>
      inTurn(async () => {
        const present = byId.get(id) ?? initial;
        return present === undefined ? undefined : put(change(present));
      }),
    remove: (id) =>
      inTurn(async () => {
        if (!byId.has(id)) return false;
        await write({ removed: id });
        return byId.delete(id);
      }),
  };
}
