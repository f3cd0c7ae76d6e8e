import {
  type GenerationFilter,
  type GenerationRecord,
  matchesFilter,
  type ScannedGeneration,
  type ScanQuery,
  toGenerationFacts,
} from '@model-gateway/core';
import { sql } from 'kysely';

import { isWithin, toFilterSql } from './filters.ts';
import { listRecords, listRows, type TimePlace } from './list-rows.ts';
import { type ReadParts, SlowQueryError, type Span, toRecord, toScanned } from './reader.ts';

const SEARCH_MS = 400;
/** At first, so that something is found in the time however slow the database is; each step reads twice as many. */
const FIRST_ROWS = 250;
const MAX_ROWS = 2000;

interface RecordSearch {
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
  const until = parts.monotonicNow() + SEARCH_MS;
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

const SCAN_PAGE_MS = 5000;
const SCAN_PAGE_ROWS = 1000;

/** Shows all that began within a span, newest first, page by page: no transaction stays open meanwhile. */
export async function scanGenerations(
  { fromMs, toMs, reach }: ScanQuery,
  look: (generation: ScannedGeneration) => void,
  { snapshot }: ReadParts,
): Promise<void> {
  const where = sql`${isWithin(fromMs, toMs)} and ${toFilterSql({ reach }).matches}`;
  let after: TimePlace | undefined;
  for (;;) {
    const rows = await snapshot(SCAN_PAGE_MS, (read) => listRows(read, { where, after, limit: SCAN_PAGE_ROWS }));
    for (const row of rows) look(toScanned(row));
    const last = rows.at(-1);
    if (last === undefined || rows.length < SCAN_PAGE_ROWS) return;
    after = { createdAtMs: last.created_at_ms, id: last.id };
  }
}
