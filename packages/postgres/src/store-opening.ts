import type { Logger, StoreReadiness } from '@model-gateway/core';

import type { DatabaseConnection } from './connection/connection.ts';
import { describeDatabaseError, UnusableDatabaseError } from './connection/errors.ts';
import { buildIndexes } from './migrations/build-indexes.ts';
import { findPendingMigrations, migrate } from './migrations/migrate.ts';
import type { Room } from './room.ts';

export interface OpeningOptions {
  readonly connection: DatabaseConnection;
  readonly logger: Logger | undefined;
  /** Whether it brings the schema to this version, or waits until somebody else has. */
  readonly migrates: boolean;
  /** In the order in which they are started. */
  readonly rooms: readonly Room[];
}

/** The way of a store to its database, which may come later than the store. */
export interface StoreOpening {
  /**
   * Resolves when the store is open, or the database is away: then it goes on by itself. Rejects with an
   * `UnusableDatabaseError` when trying again cannot help.
   */
  begin(): Promise<void>;
  readiness(): StoreReadiness;
  /** Resolves when nothing of it uses the database any more. */
  end(): Promise<void>;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;
/** A start does not wait longer for a database that says nothing, or that another process is migrating. */
const FIRST_LIMIT_MS = 8000;
const END_LIMIT_MS = 1000;
const INDEXES_LIMIT_MS = 2000;

export function createStoreOpening({ connection, logger, migrates, rooms }: OpeningOptions): StoreOpening {
  let reason: string | undefined = 'The database has not been reached yet';
  let hasBegun = false;
  let isEnded = false;
  let started = 0;
  let building: Promise<void> | undefined;
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  /** Lists are slower without an index, and all else goes on. */
  const buildIndexesOnce = async (): Promise<void> => {
    try {
      await buildIndexes(connection, ending.signal);
    } catch (error) {
      if (isEnded) return;
      const { message } = describe(error, connection);
      logger?.warn('Indexes of the database are missing: run model-gateway migrate', { reason: message });
    }
  };
  const open = async (): Promise<void> => {
    if (migrates) {
      const applied = await migrate(connection);
      if (applied.length > 0) logger?.info('The database was migrated', { applied });
    } else {
      const pending = await findPendingMigrations(connection);
      if (pending.length > 0) throw new PendingMigrationsError(pending);
    }
    if (migrates) {
      building ??= buildIndexesOnce();
      // Those of an empty database are there at once; those of a large one are built while calls are served.
      await Promise.race([building, limit(INDEXES_LIMIT_MS)]);
    }
    for (const room of rooms.slice(started)) {
      if (isEnded) return;
      await room.start?.();
      started += 1;
    }
    reason = undefined;
  };
  const attempt = async (waitMs: number): Promise<UnusableDatabaseError | undefined> => {
    try {
      await open();
      return undefined;
    } catch (error) {
      const failure = describe(error, connection);
      // Its caller says it.
      if (failure.isPermanent && !hasBegun) return failure;
      if (failure.message !== reason && !isEnded) {
        logger?.warn('The store is not ready; it tries again by itself', { reason: failure.message });
      }
      reason = failure.message;
      if (!isEnded) {
        timer = setTimeout(() => void attempt(Math.min(waitMs * 2, LONGEST_WAIT_MS)), waitMs);
        timer.unref();
      }
      return failure;
    }
  };

  return {
    async begin() {
      const failure = await Promise.race([attempt(FIRST_WAIT_MS), limit(FIRST_LIMIT_MS)]);
      hasBegun = true;
      if (failure?.isPermanent === true) throw failure;
    },
    readiness: () => (reason === undefined ? { isReady: true } : { isReady: false, reason }),
    async end() {
      isEnded = true;
      clearTimeout(timer);
      ending.abort();
      await Promise.race([building, limit(END_LIMIT_MS)]);
    },
  };
}

/** The schema is older than this version, which was told not to change it. */
class PendingMigrationsError extends Error {
  override readonly name = 'PendingMigrationsError';

  constructor(pending: readonly string[]) {
    super(`The database lacks the migrations ${pending.join(', ')}: run model-gateway migrate`);
  }
}

function describe(error: unknown, { address }: DatabaseConnection): UnusableDatabaseError {
  const { message, isPermanent } =
    error instanceof PendingMigrationsError
      ? { message: error.message, isPermanent: false }
      : describeDatabaseError(error, address);
  return new UnusableDatabaseError(message, { isPermanent, cause: error });
}

const limit = (ms: number): Promise<undefined> =>
  new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms).unref();
  });
