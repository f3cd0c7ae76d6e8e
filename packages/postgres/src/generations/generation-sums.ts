import { sql } from 'kysely';

import { runPatiently } from '../connection/connection.ts';
import type { Room, RoomParts } from '../room.ts';
import { createFolding, toAddChanges } from './folding.ts';
import { createGenerationQueries, type GenerationReads } from './generation-queries.ts';
import { INCOMING } from './write/incoming-rows.ts';

/** What keeps and reads sums and lists. */
export interface GenerationSums extends Room {
  readonly reads: GenerationReads;
  /** Statements of the transaction that writes a batch, for the rows of `INCOMING`. */
  readonly rollups: readonly string[];
  /** Drops the sums of the days before one. */
  dropBefore(day: string): Promise<void>;
}

/** Creates the queries of lists, charts and counts, and what keeps the sums that they read. */
export function createGenerationSums({ connection, logger, now }: RoomParts): GenerationSums {
  const folding = createFolding({ connection, logger });
  return {
    reads: createGenerationQueries({ connection: { useClient: connection.useReader }, now }),
    rollups: [toAddChanges(INCOMING)],
    async dropBefore(day) {
      await runPatiently(connection, sql`select gateway.forget_generation_sums(${day}::date)`);
    },
    start: folding.start,
    close: folding.close,
  };
}
