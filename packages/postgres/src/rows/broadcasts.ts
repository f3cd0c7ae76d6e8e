import type { BroadcastDelivery, BroadcastRepository, BroadcastRow } from '@model-gateway/core';
import type { Kysely } from 'kysely';

import { toColumnId } from '../connection/column-text.ts';
import type { Database } from '../database.ts';
import { toBroadcastColumns } from './row-columns.ts';
import { createRowRepository } from './row-repository.ts';

/** What is left to broadcast, of which the deliveries to a destination are found by columns of their own. */
export function createBroadcasts(database: Kysely<Database>, oldestMs: () => number): Required<BroadcastRepository> {
  const parse = ({ row }: { readonly row: string }): BroadcastDelivery => JSON.parse(row) as BroadcastDelivery;
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
      return found.map(parse);
    },
    async page({ destinationId, state, limit }) {
      const chosen = database
        .selectFrom('broadcasts')
        .where((where) =>
          where.and([
            where('destination_id', 'is not', null),
            where('ages_from_ms', '>', oldestMs()),
            ...(destinationId === undefined ? [] : [where('destination_id', '=', toColumnId(destinationId))]),
            ...(state === undefined ? [] : [where('state', '=', state)]),
          ]),
        );
      const found = await chosen
        .select(['row', chosen.select(({ fn }) => fn.countAll<string>().as('n')).as('total')])
        .orderBy('position', 'desc')
        .limit(limit)
        .execute();
      return { deliveries: found.map(parse), totalCount: Number(found[0]?.total ?? 0) };
    },
  };
}
