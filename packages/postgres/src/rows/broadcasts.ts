import type { BroadcastDelivery, BroadcastRepository, BroadcastRow } from '@model-gateway/core';
import type { Kysely } from 'kysely';

import { toColumnId } from '../connection/column-text.ts';
import type { Database } from '../database.ts';
import { toBroadcastColumns } from './row-columns.ts';
import { createRowRepository } from './row-repository.ts';

/** What is left to broadcast, of which the deliveries to a destination are found by a column of their own. */
export function createBroadcasts(database: Kysely<Database>, oldestMs: () => number): Required<BroadcastRepository> {
  return {
    ...createRowRepository<BroadcastRow>({ database, table: 'broadcasts', toColumns: toBroadcastColumns, oldestMs }),
    async listOf(destinationId) {
      const found = await database
        .selectFrom('broadcasts')
        .select('row')
        .where('destination_id', '=', toColumnId(destinationId))
        .where('ages_from_ms', '>', oldestMs())
        .orderBy('position')
        .execute();
      return found.map(({ row }) => JSON.parse(row) as BroadcastDelivery);
    },
  };
}
