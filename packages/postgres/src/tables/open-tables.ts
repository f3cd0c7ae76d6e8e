import { GatewayError, type TableSource } from '@model-gateway/core';

import { runTransaction } from '../connection/connection.ts';
import { describeDatabaseError, toStoreError } from '../connection/errors.ts';
import type { Room, RoomParts } from '../room.ts';
import { createChangeQueue } from './change-queue.ts';
import { createTableMemory } from './table-memory.ts';
import type { TableName } from './table-rows.ts';
import { lockTables, readTableNews, TABLES_CHANNEL, type TableNews, writeTables } from './table-statements.ts';
import { watchTables } from './watch-tables.ts';

/** The tables that every process has in memory. */
export interface TablesRoom extends Room {
  readonly source: TableSource;
  /** Calls back with the names of tables that are others now, here or by another process. */
  onChanged(listener: (tables: ReadonlySet<TableName>) => void): () => void;
  /** Resolves when they show what other processes had changed before, or, while they cannot be read, soon. */
  catchUp(): Promise<void>;
  /** Why the database could not be used when it was last looked at; null while it can. */
  outage(): string | null;
}

/** For one statement: changes fail soon while the database is away. */
const LIMIT_MS = 3000;

/**
 * Makes the tables, which are read before `start` by nobody. A change is one transaction, which holds up those of other
 * processes; those that wait meanwhile go together.
 */
export function openTables({ connection, logger }: Pick<RoomParts, 'connection' | 'logger'>): TablesRoom {
  const database = connection.databaseWithin(LIMIT_MS);
  const memory = createTableMemory();
  const listeners = new Set<(tables: ReadonlySet<TableName>) => void>();
  /** Of what is in memory; undefined until the tables were read. */
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
