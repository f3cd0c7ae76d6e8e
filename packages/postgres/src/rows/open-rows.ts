import type { Store } from '@model-gateway/core';

import type { Room, RoomParts } from '../room.ts';
import { createBroadcasts } from './broadcasts.ts';
import { createDeliveryLog } from './delivery-log.ts';
import { createGuardrailHitRows } from './guardrail-hits.ts';
import { createSharedEntries } from './shared-entries.ts';
import { createSweep } from './sweep.ts';
import { createVideoJobs } from './video-jobs.ts';

/** The rows of a store that change often. */
export interface RowsRoom extends Room {
  readonly repositories: Required<Pick<Store, 'videoJobs' | 'broadcasts' | 'guardrailHits' | 'deliveries' | 'entries'>>;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Makes them; nothing is read or written before a method is called. */
export function openRows({ connection, logger, now, retentionDays }: RoomParts): RowsRoom {
  const { database } = connection;
  const oldestMs = (): number => Math.max(0, Math.floor(now() - retentionDays * DAY_MS));
  const sweep = createSweep({ connection, logger, oldestMs });
  return {
    repositories: {
      videoJobs: createVideoJobs(database, oldestMs),
      broadcasts: createBroadcasts(database, oldestMs),
      guardrailHits: createGuardrailHitRows(database, oldestMs),
      deliveries: createDeliveryLog(database),
      entries: createSharedEntries(database),
    },
    start: sweep.start,
    close: sweep.close,
  };
}
