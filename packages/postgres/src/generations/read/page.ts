import { type GenerationPage, type GenerationQuery, matchesFilter, toGenerationFacts } from '@model-gateway/core';
import { sql } from 'kysely';

import { toColumnId } from '../../connection/column-text.ts';
import { type FilterSql, isWithin, toFilterSql } from './filter-sql.ts';
import { findPlace } from './find-place.ts';
import { toRecord } from './generation-row.ts';
import { findBounds, findFirstFrom, listRecords, listRows, type PlacedRecord, type TimePlace } from './list-rows.ts';
import type { ReadParts } from './read-parts.ts';
import { type Read, SlowQueryError } from './reader.ts';
import { toSteps } from './time-steps.ts';
import { walkSpans } from './walk-spans.ts';

/** For a page in one statement. */
const WHOLE_MS = 150;
/** For what a statement finds by an index at once, however busy the database is. */
const LIMIT_MS = 5000;
/** For one that has to be put together. */
const WALK_MS = 200;
/** Records that are read for one step of a search in them. */
const LOOKED_AT = 1000;

/** A page of generations, newest first. Where it takes too long to fill, it ends early. */
export async function pageOfGenerations(query: GenerationQuery, parts: ReadParts): Promise<GenerationPage> {
  const filter = toFilterSql(query.filter);
  const before = query.before === undefined ? undefined : toColumnId(query.before);
  const after = before && (await parts.snapshot(LIMIT_MS, (read) => findPlace(read, before)));
  if (before !== undefined && after === undefined) return { records: [], next: null };
  const place = typeof after === 'string' ? undefined : after;
  if (filter.remaining.length > 0) return searchPage(query, { filter, place, parts });
  try {
    return await parts.snapshot(WHOLE_MS, (read) => readPage(read, query, { filter, place, parts }));
  } catch (error) {
    if (!(error instanceof SlowQueryError)) throw error;
    return walkPage(query, { filter, place, parts });
  }
}

interface Search {
  readonly filter: FilterSql;
  readonly place: TimePlace | undefined;
  readonly parts: ReadParts;
}

async function readPage(
  read: Read,
  { limit, filter = {} }: GenerationQuery,
  { filter: { matches }, place, parts }: Search,
): Promise<GenerationPage> {
  const rows: PlacedRecord[] = [];
  for (const span of toSteps(filter, place?.createdAtMs ?? parts.now())) {
    const where = sql`${isWithin(span.fromMs, span.toMs)} and ${matches}`;
    rows.push(...(await listRecords(read, { where, after: place, limit: limit + 1 - rows.length })));
    if (rows.length > limit) break;
  }
  const page = rows.slice(0, limit);
  return { records: page.map(toRecord), next: rows.length > limit ? idOf(page.at(-1)) : null };
}

/** Looks in steps of time, so that something is found, or said to be not there, within the time. */
async function walkPage(query: GenerationQuery, { filter, place, parts }: Search): Promise<GenerationPage> {
  const bounds = await parts.snapshot(LIMIT_MS, findBounds);
  if (bounds === undefined) return { records: [], next: null };
  const { createdFromMs = 0, createdBeforeMs = Number.POSITIVE_INFINITY } = query.filter ?? {};
  const fromMs = Math.max(createdFromMs, bounds.fromMs);
  const toMs = Math.min(createdBeforeMs, bounds.toMs, (place?.createdAtMs ?? bounds.toMs) + 1);
  const records: GenerationPage['records'][number][] = [];
  let next: string | null = null;
  const walk = { span: { fromMs, toMs }, budgetMs: WALK_MS, monotonicNow: parts.monotonicNow };
  const searchedFromMs = await walkSpans(walk, async (span, limitMs) => {
    const limit = query.limit - records.length;
    const where = sql`${isWithin(span.fromMs, span.toMs)} and ${filter.matches}`;
    const rows = await parts.snapshot(limitMs, (read) => listRecords(read, { where, after: place, limit: limit + 1 }));
    const page = rows.slice(0, limit);
    records.push(...page.map(toRecord));
    if (rows.length <= limit) return false;
    next = idOf(page.at(-1));
    return true;
  });
  if (next !== null || searchedFromMs <= fromMs) return { records, next };
  const oldest = await parts.snapshot(LIMIT_MS, (read) => findFirstFrom(read, searchedFromMs));
  return { records, next: idOf(oldest) };
}

/** Reads records, newest first, because columns do not tell whether they match. */
async function searchPage(
  { limit, filter = {} }: GenerationQuery,
  { filter: { matches }, place, parts }: Search,
): Promise<GenerationPage> {
  const where = sql`${isWithin(filter.createdFromMs, filter.createdBeforeMs)} and ${matches}`;
  const rows = await parts
    .snapshot(WALK_MS, (read) => listRows(read, { where, after: place, limit: LOOKED_AT }))
    .catch((error: unknown) => {
      if (!(error instanceof SlowQueryError)) throw error;
      const within = isWithin(filter.createdFromMs, filter.createdBeforeMs);
      return parts.snapshot(WALK_MS, (read) => listRows(read, { where: within, after: place, limit: LOOKED_AT }));
    });
  const records: GenerationPage['records'][number][] = [];
  for (const row of rows) {
    const record = toRecord(row);
    if (matchesFilter(toGenerationFacts(record), filter, () => record)) records.push(record);
    if (records.length === limit)
      return { records, next: row === rows.at(-1) && rows.length < LOOKED_AT ? null : idOf(row) };
  }
  return { records, next: rows.length < LOOKED_AT ? null : idOf(rows.at(-1)) };
}

/** The id in the record: that of the column may be in another form. */
const idOf = (row: { readonly record: string } | undefined): string | null =>
  row === undefined ? null : toRecord(row).generation.id;
