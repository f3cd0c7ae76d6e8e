import type { DeliveryAttempt, DeliveryLog } from '@model-gateway/core';
import { type Kysely, sql } from 'kysely';

import { toColumnId } from '../connection/column-text.ts';
import type { Database } from '../database.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** What became of deliveries, a row an attempt. */
export function createDeliveryLog(database: Kysely<Database>): DeliveryLog {
  return {
    async append(attempt) {
      const generation_ids = attempt.generationIds.map(toColumnId);
      const sent_at_ms = Math.floor(attempt.sentAt);
      await database
        .insertInto('deliveries')
        .values({ row: JSON.stringify(attempt), generation_ids, sent_at_ms })
        .execute();
    },
    async of(generationId, createdAtMs) {
      const found = await database
        .selectFrom('deliveries')
        .select('row')
        .where(sql<boolean>`generation_ids @> array[${toColumnId(generationId)}]::text[]`)
        // Clocks of machines may differ.
        .where('sent_at_ms', '>=', Math.floor(createdAtMs - DAY_MS))
        .orderBy('sent_at_ms')
        .orderBy('position')
        .execute();
      return found.map(({ row }) => JSON.parse(row) as DeliveryAttempt);
    },
  };
}
