import type { Logger } from '@model-gateway/core';

import type { Notifications } from './connection/notifications.ts';
import { TABLES_CHANNEL } from './table-sql.ts';

interface WatchOptions {
  readonly notifications: Pick<Notifications, 'listen' | 'onConnected' | 'isConnected'>;
  /** Whether this version is in memory. */
  readonly knows: (version: number) => boolean;
  /** Reads what is newer; everything where `isWhole`. */
  readonly refresh: (isWhole: boolean) => Promise<void>;
  readonly logger: Logger | undefined;
  /** What was wrong with the database. */
  readonly describe: (error: unknown) => string;
}

/** Looks for changes of other processes. */
interface TableWatch {
  begin(): void;
  /** Resolves when what others had changed before is in memory, or, while it cannot be read, soon. */
  catchUp(): Promise<void>;
  /** Why the last look failed, for want of writes too; null when it did not. */
  outage(): string | null;
  end(): void;
}

/** Notifications may be missed. */
const EVERY_MS = 2000;
const EVERY_MS_UNHEARD = 500;
/** A request waits no longer for changes of others: it has what is in memory then. */
const MAX_CATCH_UP_MS = 1000;

/** Reads the tables when a notification says so, and at times without one. */
export function watchTables({ notifications, knows, refresh, logger, describe }: WatchOptions): TableWatch {
  let timer: NodeJS.Timeout | undefined;
  let isEnded = false;
  let looking: Promise<void> | undefined;
  /** The look after that one, for what came meanwhile. */
  let next: { isWhole: boolean; readonly done: Promise<void> } | undefined;
  let outage: string | null = null;
  /** Reasons of this outage that the log has: a connection that was ended comes first, why no other is made after it. */
  const told = new Set<string>();
  const stops: (() => void)[] = [];

  const plan = (): void => {
    clearTimeout(timer);
    if (isEnded) return;
    timer = setTimeout(() => void look(false), notifications.isConnected() ? EVERY_MS : EVERY_MS_UNHEARD).unref();
  };
  const work = async (isWhole: boolean): Promise<void> => {
    try {
      // After an outage another server may answer, which lacks the last changes of the one before.
      await refresh(isWhole || outage !== null);
      if (outage !== null) logger?.info('The database can be used again');
      outage = null;
      told.clear();
    } catch (error) {
      const reason = describe(error);
      if (!told.has(reason))
        logger?.warn('The database cannot be used; the tables in memory remain in use', { reason });
      told.add(reason);
      outage = reason;
    }
  };
  /** All who ask during one look share the next. */
  const look = (isWhole: boolean): Promise<void> => {
    if (isEnded) return Promise.resolve();
    if (looking === undefined) {
      looking = work(isWhole).finally(() => {
        looking = undefined;
        if (next === undefined) plan();
      });
      return looking;
    }
    next ??= { isWhole, done: looking.then(lookAgain) };
    next.isWhole ||= isWhole;
    return next.done;
  };
  const lookAgain = (): Promise<void> => {
    const isWhole = next?.isWhole === true;
    next = undefined;
    return look(isWhole);
  };
  return {
    begin() {
      stops.push(
        notifications.listen(TABLES_CHANNEL, (payload) => {
          if (!knows(Number(payload))) void look(false);
        }),
        // Another server may have taken over, which lacks the last changes of the one before.
        notifications.onConnected(() => void look(true)),
      );
      plan();
    },
    async catchUp() {
      // A look at a database that is away takes as long as its limit.
      if (outage !== null) return;
      let limit: NodeJS.Timeout | undefined;
      const isOver = new Promise<void>((resolve) => (limit = setTimeout(resolve, MAX_CATCH_UP_MS).unref()));
      await Promise.race([look(false), isOver]);
      clearTimeout(limit);
    },
    outage: () => outage,
    end() {
      isEnded = true;
      clearTimeout(timer);
      for (const stop of stops) stop();
    },
  };
}
