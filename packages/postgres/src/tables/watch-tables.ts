import type { Logger } from '@model-gateway/core';

import type { Notifications } from '../connection/notifications.ts';
import { TABLES_CHANNEL } from './table-statements.ts';

export interface WatchOptions {
  readonly notifications: Notifications;
  /** Whether this version is in memory. */
  readonly knows: (version: number) => boolean;
  /** Reads what is newer; everything where `isWhole`. */
  readonly refresh: (isWhole: boolean) => Promise<void>;
  readonly logger: Logger | undefined;
  /** What was wrong with the database. */
  readonly describe: (error: unknown) => string;
}

/** Looks for changes of other processes. */
export interface TableWatch {
  begin(): void;
  /** Why the last look failed, for want of writes too; null when it did not. */
  outage(): string | null;
  end(): void;
}

/** Notifications may be missed. */
const EVERY_MS = 2000;
const EVERY_MS_UNHEARD = 500;

/** Reads the tables when a notification says so, and at times without one. */
export function watchTables({ notifications, knows, refresh, logger, describe }: WatchOptions): TableWatch {
  let timer: NodeJS.Timeout | undefined;
  let isEnded = false;
  let isLooking = false;
  /** What is looked for next, where something came while it looked. */
  let next: { isWhole: boolean } | undefined;
  let outage: string | null = null;
  const stops: (() => void)[] = [];

  const plan = (): void => {
    clearTimeout(timer);
    if (isEnded) return;
    timer = setTimeout(() => look(false), notifications.isConnected() ? EVERY_MS : EVERY_MS_UNHEARD).unref();
  };
  const work = async (isWhole: boolean): Promise<void> => {
    try {
      await refresh(isWhole);
      if (outage !== null) logger?.info('The database can be used again');
      outage = null;
    } catch (error) {
      const reason = describe(error);
      if (outage === null) logger?.warn('The database cannot be used; the tables in memory stay in force', { reason });
      outage = reason;
    }
  };
  const look = (isWhole: boolean): void => {
    if (isEnded) return;
    if (isLooking) {
      next = { isWhole: isWhole || next?.isWhole === true };
      return;
    }
    isLooking = true;
    void work(isWhole).finally(() => {
      isLooking = false;
      const asked = next;
      next = undefined;
      if (asked === undefined) plan();
      else look(asked.isWhole);
    });
  };
  return {
    begin() {
      stops.push(
        notifications.listen(TABLES_CHANNEL, (payload) => {
          if (!knows(Number(payload))) look(false);
        }),
        // Another server may have taken over, which lacks the last changes of the one before.
        notifications.onConnected(() => look(true)),
      );
      plan();
    },
    outage: () => outage,
    end() {
      isEnded = true;
      clearTimeout(timer);
      for (const stop of stops) stop();
    },
  };
}
