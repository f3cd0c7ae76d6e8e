import { existsSync, readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { Logger, SharedChannel } from '@model-gateway/core';
import { DirectoryInUseError, type GatewayConfig, openRecordJournal } from '@model-gateway/node';
import { createPostgresStore, type PostgresStore } from '@model-gateway/postgres';

import type { WorkerPlace } from '../process/worker-place.ts';
import { LEAST_CONNECTIONS, shareConnections } from './share-connections.ts';

const JOURNAL = /^journal-(\d+)$/;

/** The store of a configuration that several processes can use. */
export type DatabaseSettings = Extract<GatewayConfig['store'], { readonly type: 'postgres' }>;

interface OpenDatabaseOptions {
  readonly store: DatabaseSettings;
  readonly shared: GatewayConfig['shared'];
  readonly retentionDays: number;
  readonly auditRetentionDays: number;
  readonly logger: Logger;
  /** The worker that opens it: each has a journal of its own, and they share out the connections. */
  readonly place: WorkerPlace;
}

/** Opens the store in PostgreSQL with the journal of this process, in which what it acknowledges waits for the database. */
export async function openDatabaseStore({
  store,
  shared,
  retentionDays,
  auditRetentionDays,
  logger,
  place,
}: OpenDatabaseOptions): Promise<PostgresStore> {
  await mkdir(store.dir, { recursive: true, mode: 0o700 });
  const journal = await openRecordJournal({ dir: join(store.dir, `journal-${place.slot}`), logger });
  const { notifications, close } = await openNotifications(store.notifications, shared, logger);
  const opened = await createPostgresStore({
    url: store.url,
    urlName: 'store.url',
    maxConnections: shareConnections(store.maxConnections, place.of),
    retentionDays,
    auditRetentionDays,
    budgets: { whenDown: store.whenDown },
    notifications,
    journal,
    logger,
  }).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    ...opened,
    async close() {
      await opened.close();
      await close();
    },
  };
}

async function openNotifications(
  by: DatabaseSettings['notifications'],
  shared: GatewayConfig['shared'],
  logger: Logger,
): Promise<{ readonly notifications: 'listen' | 'poll' | SharedChannel; readonly close: () => Promise<void> }> {
  if (by !== 'redis' || shared.type !== 'redis') {
    return { notifications: by === 'poll' ? 'poll' : 'listen', close: () => Promise.resolve() };
  }
  // Connections of its own: the store begins before the rest, and ends after it.
  const { createRedisShared } = await import('@model-gateway/redis');
  const redis = createRedisShared({ url: shared.url, urlName: 'shared.url', whenDown: shared.whenDown, logger });
  const channel = redis.parts.openChannel?.('store');
  return { notifications: channel ?? 'poll', close: redis.close };
}

/** Whether a folder is named as a journal is. */
export const isJournalName = (dir: string): boolean => JOURNAL.test(basename(dir));

/** The journals in a data directory, by their numbers. */
export function findJournals(dir: string): readonly { readonly number: number; readonly dir: string }[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir)
    .flatMap((name) => {
      const number = JOURNAL.exec(name)?.[1];
      return number === undefined ? [] : [{ number: Number(number), dir: join(dir, name) }];
    })
    .toSorted((a, b) => a.number - b.number);
}

const LOOK_EVERY_MS = 100;

/** Where the records of a journal go. */
interface JournalTarget {
  readonly url: string;
  readonly retentionDays: number;
  readonly logger: Logger;
}

/**
 * Brings what a process that is gone has left in its journal into the database. Resolves with how many bytes that were.
 * Rejects when another process has the journal, and with the reason when the database cannot take it.
 */
export async function takeInJournal(dir: string, { url, retentionDays, logger }: JournalTarget): Promise<number> {
  const journal = await openRecordJournal({ dir, logger });
  const { bytes, interrupted } = journal;
  // The store closes the journal, also when it cannot be opened itself.
  const store = await createPostgresStore({
    url,
    urlName: 'store.url',
    maxConnections: LEAST_CONNECTIONS,
    retentionDays,
    auditRetentionDays: Infinity,
    journal,
    logger,
  });
  try {
    // What was interrupted is appended when the store begins.
    if (interrupted.length > 0 && bytes === 0) await delay(LOOK_EVERY_MS);
    while (journal.bytes > 0) {
      const readiness = store.readiness?.();
      if (readiness?.isReady === false) throw new JournalNotTakenError(dir, readiness.reason);
      await delay(LOOK_EVERY_MS);
    }
    return bytes;
  } finally {
    await store.close();
  }
}

/** Takes in the journals of workers that there are no more, after a start with fewer of them. */
export async function takeInLeftJournals(
  { store, retentionDays, logger }: Omit<OpenDatabaseOptions, 'place' | 'shared' | 'auditRetentionDays'>,
  workers: number,
): Promise<void> {
  for (const { number, dir } of findJournals(store.dir)) {
    if (number <= workers) continue;
    try {
      const bytes = await takeInJournal(dir, { url: store.url, retentionDays, logger });
      if (bytes > 0) logger.info('the journal of a former worker is in the database', { dir, bytes });
    } catch (error) {
      // Another `serve` with more workers may run on this directory.
      if (error instanceof DirectoryInUseError) continue;
      logger.warn('the journal of a former worker stays for the next start', { dir, reason: String(error) });
    }
  }
}

/** The database has gone while a journal was taken in. */
class JournalNotTakenError extends Error {
  override readonly name = 'JournalNotTakenError';

  constructor(dir: string, reason: string) {
    super(`The journal ${dir} is not in the database yet: ${reason}. Run it again; nothing is duplicated.`);
  }
}
