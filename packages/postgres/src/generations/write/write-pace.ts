import type { Logger } from '@model-gateway/core';

import { messageOf } from './batch-error.ts';
import type { BatchLimits } from './pending-records.ts';

/** How soon and how much is written, by what became of the batches before. */
export interface WritePace {
  /** Above 0 while the database does not take batches: how long to wait for the next one. */
  readonly retryMs: number;
  /** After a failure batches are smaller, so that a slow network takes one in time. */
  readonly limits: BatchLimits;
  succeed(): void;
  /** Says the first failure of a row, with these fields. */
  fail(error: unknown, fields?: Readonly<Record<string, unknown>>): void;
  /** Forgets that the database was away. */
  resume(): void;
}

export interface PaceMessages {
  readonly failed: string;
  readonly recovered: string;
}

/** More at once cost the server more for each, as its memory for a statement is small. */
const MAX_RECORDS = 500;
const MIN_RECORDS = 10;
const MAX_BYTES = 4 * 1024 * 1024;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 1000;

export function createWritePace(logger: Logger | undefined, { failed, recovered }: PaceMessages): WritePace {
  let retryMs = 0;
  let records = MAX_RECORDS;
  return {
    get retryMs() {
      return retryMs;
    },
    get limits() {
      return { records, bytes: MAX_BYTES };
    },
    succeed() {
      if (retryMs > 0) logger?.info(recovered);
      retryMs = 0;
      records = Math.min(records * 2, MAX_RECORDS);
    },
    fail(error, fields) {
      if (retryMs === 0) logger?.warn(failed, { reason: messageOf(error), ...fields });
      retryMs = Math.min(Math.max(retryMs * 2, FIRST_RETRY_MS), LONGEST_RETRY_MS);
      records = Math.max(MIN_RECORDS, Math.floor(records / 2));
    },
    resume() {
      retryMs = 0;
    },
  };
}
