import { createTurns, EMPTY_TABLES, GatewayError, type Tables, type TableSource } from '@model-gateway/core';

import { runTransaction } from './connection/connection.ts';
import { describeDatabaseError, isConnectionFailure, toStoreError } from './connection/errors.ts';
import type { StorePart, StorePartOptions } from './store-part.ts';
import {
  lockTables,
  readTableNews,
  rowsOf,
  TABLE_NAMES,
  type TableName,
  type TableNews,
  type TableRow,
  TABLES_CHANNEL,
  toTable,
  writeTables,
} from './table-sql.ts';
import { watchTables } from './watch-tables.ts';

/** The tables that every process has in memory. */
interface TableStore extends StorePart {
  readonly source: TableSource;
  /** Calls back with the names of tables that are others now, here or by another process. */
  onChanged(listener: (tables: ReadonlySet<TableName>) => void): () => void;
  /** Resolves when they show what other processes had changed before, or, while they cannot be read, soon. */
  catchUp(): Promise<void>;
  /** Why the database could not be used when it was last looked at; null while it can. */
  outage(): string | null;
}

/** For one statement: changes fail soon while the database is away. */
const STATEMENT_LIMIT_MS = 3000;

/**
 * Makes the tables, which are not read before `start`. A change is one transaction, which holds up those of other
 * processes; those that wait meanwhile go together.
 */
export function openTables({ connection, logger }: Pick<StorePartOptions, 'connection' | 'logger'>): TableStore {
  const database = connection.databaseWithin(STATEMENT_LIMIT_MS);
  const memory = createTableMemory();
  const listeners = new Set<(tables: ReadonlySet<TableName>) => void>();
  /** Version of what is in memory; undefined until the tables were read. */
  let version: number | undefined;

  const tell = (changed: ReadonlySet<TableName>): void => {
    if (changed.size === 0) return;
    for (const listener of listeners) {
      try {
        listener(changed);
      } catch (error) {
        // The change itself has happened.
        logger?.error('What follows a change of tables failed', { tables: [...changed], reason: String(error) });
      }
    }
  };
  const take = (news: TableNews): void => {
    const changed = news.isWhole ? memory.replace(news.rows) : memory.take(news.rows);
    version = news.version;
    tell(changed);
  };
  const queue = createChangeQueue(async (changes) => {
    const done = await runTransaction(database, async (transaction) => {
      const present = await lockTables(transaction);
      if (present !== version) take(await readTableNews(transaction, version));
      const tables = changes.apply(memory.tables());
      const writes = memory.toWrites(tables);
      if (writes.length === 0) return undefined;
      await writeTables(transaction, present + 1, writes);
      return { version: present + 1, isWhole: false, rows: writes };
    });
    if (done === undefined) return;
    take(done);
    connection.notifications.tell(TABLES_CHANNEL, String(done.version));
  });
  const refresh = (isWhole: boolean): Promise<void> =>
    queue.run(async () => {
      const news = await readTableNews(database, isWhole ? undefined : version);
      if (news.isWhole || news.version !== version) take(news);
    });
  const watch = watchTables({
    notifications: connection.notifications,
    refresh,
    logger,
    knows: (told) => told === version,
    describe: (error) => describeDatabaseError(error, connection.address).message,
  });

  return {
    source: {
      read() {
        if (version === undefined) {
          throw new GatewayError(
            'provider_overloaded',
            'The gateway has not read its database yet; try again shortly',
            {
              retryAfterSeconds: 1,
            },
          );
        }
        return memory.tables();
      },
      async change(change) {
        try {
          await queue.change(change);
        } catch (error) {
          throw toStoreError(error);
        }
      },
    },
    onChanged(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    catchUp: async () => (version === undefined ? undefined : watch.catchUp()),
    outage: watch.outage,
    async start() {
      await refresh(false);
      watch.begin();
    },
    async close() {
      watch.end();
      await queue.settled();
    },
  };
}

type TableChange = (tables: Tables) => Tables;

/** Changes that are made together. */
interface WaitingChanges {
  /**
   * The tables after all of them, one on what the one before has left. One that throws changes nothing, and fails by
   * itself. May be called more than once, on other tables.
   */
  apply(tables: Tables): Tables;
}

/** Work on the tables, one after the other. */
interface ChangeQueue {
  /** Resolves when the change is durable. */
  change(change: TableChange): Promise<void>;
  run(work: () => Promise<void>): Promise<void>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

interface WaitingChange {
  readonly change: TableChange;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Makes a queue. `commit` makes changes durable; what it rejects with has happened to none of them. */
function createChangeQueue(commit: (changes: WaitingChanges) => Promise<void>): ChangeQueue {
  let waiting: WaitingChange[] = [];
  const inTurn = createTurns();
  const takeWaiting = (): WaitingChange[] => {
    const taken = waiting;
    waiting = [];
    return taken;
  };
  const commitWaiting = async (): Promise<void> => {
    const taken = takeWaiting();
    if (taken.length === 0) return;
    let failures = new Map<WaitingChange, unknown>();
    const apply = (tables: Tables): Tables => {
      failures = new Map();
      let present = tables;
      for (const one of taken) {
        try {
          present = one.change(present);
        } catch (error) {
          failures.set(one, error);
        }
      }
      return present;
    };
    try {
      await commit({ apply });
    } catch (error) {
      // Each of those that came meanwhile would wait for as long.
      for (const { reject } of isConnectionFailure(error) ? [...taken, ...takeWaiting()] : taken) reject(error);
      return;
    }
    for (const one of taken) {
      if (failures.has(one)) one.reject(failures.get(one));
      else one.resolve();
    }
  };
  return {
    change: (change) =>
      new Promise((resolve, reject) => {
        waiting.push({ change, resolve, reject });
        if (waiting.length === 1) void inTurn(commitWaiting);
      }),
    run: inTurn,
    settled: () => inTurn(() => undefined),
  };
}

interface HeldRow {
  readonly position: number;
  readonly row: unknown;
}

/** The tables of the database as this process has them. */
interface TableMemory {
  tables(): Tables;
  /** Takes rows that are newer than those it has. Returns the names of the tables that are others now. */
  take(rows: readonly TableRow[]): ReadonlySet<TableName>;
  /** Takes all rows that there are, in the place of those it has. Returns the names of the tables that are others now. */
  replace(rows: readonly TableRow[]): ReadonlySet<TableName>;
  /** The rows to write so that the database has these tables. */
  toWrites(tables: Tables): readonly TableRow[];
}

export function createTableMemory(): TableMemory {
  let tables = EMPTY_TABLES;
  const held = new Map<TableName, Map<string, HeldRow>>(TABLE_NAMES.map((name) => [name, new Map()]));
  const rowsIn = (name: TableName): Map<string, HeldRow> => held.get(name) ?? new Map<string, HeldRow>();

  const take = (rows: readonly TableRow[]): ReadonlySet<TableName> => {
    const changed = new Set<TableName>();
    for (const { table, id, position, row } of rows) {
      // A newer version may have tables that this one does not know.
      const present = held.get(table);
      if (present === undefined) continue;
      const former = present.get(id);
      if (row === null ? former === undefined : former !== undefined && isSame(former, position, row)) continue;
      if (row === null) present.delete(id);
      else present.set(id, { position, row: JSON.parse(row) as unknown });
      changed.add(table);
    }
    for (const name of changed) {
      const ordered = [...rowsIn(name).values()].toSorted((one, other) => one.position - other.position);
      tables = {
        ...tables,
        ...toTable(
          name,
          ordered.map(({ row }) => row),
        ),
      };
    }
    return changed;
  };

  return {
    tables: () => tables,
    take,
    replace(rows) {
      const there = new Map(TABLE_NAMES.map((name) => [name, new Set<string>()]));
      for (const { table, id } of rows) there.get(table)?.add(id);
      const gone: TableRow[] = [];
      for (const [table, present] of held) {
        for (const id of present.keys())
          if (there.get(table)?.has(id) !== true) gone.push({ table, id, position: 0, row: null });
      }
      return take([...gone, ...rows]);
    },
    toWrites: (wanted) =>
      TABLE_NAMES.filter((name) => wanted[name] !== tables[name]).flatMap((name) =>
        toRowWrites(name, rowsIn(name), wanted),
      ),
  };
}

/** A row keeps its position, unless it was put behind others that had later ones. */
function toRowWrites(table: TableName, present: ReadonlyMap<string, HeldRow>, wanted: Tables): TableRow[] {
  const writes: TableRow[] = [];
  const kept = new Set<string>();
  let end = 0;
  for (const { position } of present.values()) end = Math.max(end, position);
  let last = 0;
  for (const [id, row] of rowsOf(wanted, table)) {
    kept.add(id);
    const former = present.get(id);
    const position = former !== undefined && former.position > last ? former.position : (end += 1);
    last = position;
    if (former !== undefined && former.row === row && former.position === position) continue;
    const text = JSON.stringify(row);
    if (former === undefined || !isSame(former, position, text)) writes.push({ table, id, position, row: text });
  }
  for (const [id, { position }] of present) if (!kept.has(id)) writes.push({ table, id, position, row: null });
  return writes;
}

function isSame(former: HeldRow, position: number, text: string): boolean {
  return former.position === position && JSON.stringify(former.row) === text;
}
