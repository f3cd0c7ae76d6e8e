import type { KeptDays, Logger } from '@model-gateway/core';

import type { DatabaseConnection } from './connection/connection.ts';
import type { JudgedClock } from './judged-clock.ts';

/** What each part of the store is made of. */
export interface StorePartOptions {
  readonly connection: DatabaseConnection;
  readonly logger: Logger | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** By which ages are judged. */
  readonly clock: JudgedClock;
  /** How long generations, and what belongs to them, are kept: the stored settings come before the days of the host. */
  readonly keptDays: () => KeptDays;
}

/** A part of the store that begins once the database is there, and ends with the store. */
export interface StorePart {
  /**
   * Called once the schema is that of this version; the store is ready when it has resolved. When it rejects, it is
   * called again after a while.
   */
  start?(): Promise<void>;
  /** Called before the connections end. */
  close?(): Promise<void>;
}
