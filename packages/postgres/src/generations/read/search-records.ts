import { type GenerationFilter, type GenerationRecord, matchesFilter, toGenerationFacts } from '@model-gateway/core';
import { sql } from 'kysely';

import { isWithin, toFilterSql } from './filter-sql.ts';
import { toRecord } from './generation-row.ts';
import { listRecords, type TimePlace } from './list-rows.ts';
import type { ReadParts } from './read-parts.ts';
import { SlowQueryError } from './reader.ts';
import type { Span } from './walk-spans.ts';

const BUDGET_MS = 400;
/** At first, so that something is found in the time however slow the database is; each step reads twice as many. */
const FIRST_ROWS = 250;
const MAX_ROWS = 2000;

export interface RecordSearch {
  readonly filter: GenerationFilter;
  readonly span: Span;
  readonly parts: ReadParts;
}

/**
 * Shows records that match, newest first, where columns alone do not tell: as many as there is time to read. Resolves
 * with the beginning of what was looked at, that of the span where nothing is left out.
 */
export async function searchRecords(
  { filter, span, parts }: RecordSearch,
  look: (record: GenerationRecord) => void,
): Promise<number> {
  const until = parts.monotonicNow() + BUDGET_MS;
  const where = sql`${isWithin(span.fromMs, span.toMs)} and ${toFilterSql(filter).matches}`;
  let after: TimePlace | undefined;
  let limit = FIRST_ROWS;
  for (;;) {
    const limitMs = until - parts.monotonicNow();
    const searchedFromMs = after?.createdAtMs ?? span.toMs;
    if (limitMs <= 0) return searchedFromMs;
    let rows;
    try {
      rows = await parts.snapshot(limitMs, (read) => listRecords(read, { where, after, limit }));
    } catch (error) {
      if (error instanceof SlowQueryError) return searchedFromMs;
      throw error;
    }
    for (const row of rows) {
      const record = toRecord(row);
      if (matchesFilter(toGenerationFacts(record), filter, () => record)) look(record);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return span.fromMs;
    limit = Math.min(MAX_ROWS, limit * 2);
    after = { createdAtMs: last.created_at_ms, id: last.id };
  }
}
