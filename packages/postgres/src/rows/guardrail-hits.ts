import type { GuardrailHitsRepository, GuardrailHitsRow } from '@model-gateway/core';
import { type Kysely, sql } from 'kysely';

import { toColumnId } from '../connection/column-text.ts';
import type { Database } from '../database.ts';
import { toGuardrailHitColumns } from './row-columns.ts';
import { createRowRepository } from './row-repository.ts';

/** What guardrails did, of which some days are found by when they begin to age. */
export function createGuardrailHitRows(
  database: Kysely<Database>,
  oldestMs: () => number,
): Required<GuardrailHitsRepository> {
  const toAge = (day: string): number => toGuardrailHitColumns({ day }).ages_from_ms;
  return {
    ...createRowRepository<GuardrailHitsRow>({
      database,
      table: 'guardrail_hits',
      toColumns: toGuardrailHitColumns,
      oldestMs,
    }),
    async listDays({ from, to, guardrailId }) {
      let chosen = database.selectFrom('guardrail_hits').select('row').where('ages_from_ms', '>', oldestMs());
      if (from !== undefined) chosen = chosen.where('ages_from_ms', '>=', toAge(from));
      if (to !== undefined) chosen = chosen.where('ages_from_ms', '<=', toAge(to));
      if (guardrailId !== undefined)
        chosen = chosen.where(sql<boolean>`starts_with(id, ${toColumnId(`${guardrailId} `)})`);
      const found = await chosen.orderBy('position').execute();
      return found.map(({ row }) => JSON.parse(row) as GuardrailHitsRow);
    },
  };
}
