import type { Logger } from '@model-gateway/core';
import { sql } from 'kysely';

import type { DatabaseConnection } from '../connection/connection.ts';
import { describeDatabaseError } from '../connection/errors.ts';

/**
 * Looks whether the database is still at the same server: after a failover it may lack what was committed last, and after
 * a restore the numbers of transactions begin elsewhere.
 */
export interface ServerWatch {
  /** Makes the server known to the database, and looks which it is. */
  meet(): Promise<void>;
  /** Tells the token of the server at which something was written. */
  note(token: string): void;
  /** Looks at once and then every few seconds. */
  start(): Promise<void>;
  close(): void;
}

export interface ServerWatchOptions {
  readonly connection: Pick<DatabaseConnection, 'address' | 'database'>;
  readonly logger: Logger | undefined;
  /** The server is another one than before. */
  readonly onChanged: () => void;
  /** At this time of the monotonic clock it was the same as before. */
  readonly onConfirmed: (atMs: number) => void;
}

const LOOK_EVERY_MS = 5000;

export function createServerWatch({ connection, logger, onChanged, onConfirmed }: ServerWatchOptions): ServerWatch {
  let known: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isFailing = false;

  const note = (token: string): void => {
    const before = known;
    known = token;
    if (before !== undefined && before !== token) onChanged();
  };
  const meet = async (): Promise<void> => {
    const { rows } = await sql<{ token: string }>`select gateway.meet_server() as token`.execute(connection.database);
    const [row] = rows;
    if (row !== undefined) note(row.token);
  };
  const look = async (): Promise<void> => {
    const atMs = performance.now();
    const before = known;
    try {
      await meet();
      if (known === before) onConfirmed(atMs);
      isFailing = false;
    } catch (error) {
      const reason = describeDatabaseError(error, connection.address).message;
      if (!isFailing) logger?.warn('The database server could not be checked; it is tried again', { reason });
      isFailing = true;
    }
  };
  return {
    meet,
    note,
    async start() {
      await meet();
      timer ??= setInterval(() => void look(), LOOK_EVERY_MS).unref();
    },
    close: () => clearInterval(timer),
  };
}
