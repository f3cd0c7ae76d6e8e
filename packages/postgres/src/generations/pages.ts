import {
  createFirstGenerations,
  type GenerationPage,
  type GenerationQuery,
  type GenerationRecord,
  type GenerationSort,
  matchesFilter,
  type SortedPage,
  type SortedQuery,
  type SortValue,
  toGenerationFacts,
} from '@model-gateway/core';
import { type RawBuilder, sql } from 'kysely';

import { toColumnId, toFactText } from '../connection/column-text.ts';
import { type FilterSql, isWithin, toFilterSql } from './filters.ts';
import { toCut } from './histogram.ts';
import { findBounds, findFirst, listRecords, listRows, type PlacedRecord, type TimePlace } from './list-rows.ts';
import { type Read, type ReadParts, SlowQueryError, type Span, toRecord, toSteps, walkSpans } from './reader.ts';
import { searchRecords } from './search.ts';

/** For a page in one statement. */
const WHOLE_MS = 150;
/** For what a statement finds by an index at once, however busy the database is. */
const INDEXED_MS = 5000;
/** For one that has to be put together. */
const WALK_MS = 200;
/** Records that are read for one step of a search in them. */
const RECORDS_A_STEP = 1000;

/** A page of generations, newest first. Where it takes too long to fill, it ends early. */
export async function pageOfGenerations(query: GenerationQuery, parts: ReadParts): Promise<GenerationPage> {
  const filter = toFilterSql(query.filter);
  const before = query.before === undefined ? undefined : toColumnId(query.before);
  const after = before && (await parts.snapshot(INDEXED_MS, (read) => findPlace(read, before)));
  if (before !== undefined && after === undefined) return { records: [], next: null };
  const place = typeof after === 'string' ? undefined : after;
  if (filter.remaining.length > 0) return searchPage(query, { filter, place, parts });
  try {
    // There is nothing to step over where all match.
    const limitMs = filter.matchesAll ? INDEXED_MS : WHOLE_MS;
    return await parts.snapshot(limitMs, (read) => readPage(read, query, { filter, place, parts }));
  } catch (error) {
    if (!(error instanceof SlowQueryError)) throw error;
    return walkPage(query, { filter, place, parts });
  }
}

interface PageSearch {
  readonly filter: FilterSql;
  readonly place: TimePlace | undefined;
  readonly parts: ReadParts;
}

async function readPage(
  read: Read,
  { limit, filter = {} }: GenerationQuery,
  { filter: { matches }, place, parts }: PageSearch,
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

/** Looks in steps of time, for as long as there is. `next` leads on from what was looked at. */
async function walkPage(query: GenerationQuery, { filter, place, parts }: PageSearch): Promise<GenerationPage> {
  const bounds = await parts.snapshot(INDEXED_MS, findBounds);
  if (bounds === undefined) return { records: [], next: null };
  const { createdFromMs = 0, createdBeforeMs = Number.POSITIVE_INFINITY } = query.filter ?? {};
  const fromMs = Math.max(createdFromMs, bounds.fromMs);
  const toMs = Math.min(createdBeforeMs, bounds.toMs, (place?.createdAtMs ?? bounds.toMs) + 1);
  const records: GenerationRecord[] = [];
  let isFull = false;
  const walk = { span: { fromMs, toMs }, budgetMs: WALK_MS, monotonicNow: parts.monotonicNow };
  const searchedFromMs = await walkSpans(walk, async (span, limitMs) => {
    const limit = query.limit - records.length;
    const where = sql`${isWithin(span.fromMs, span.toMs)} and ${filter.matches}`;
    const rows = await parts.snapshot(limitMs, (read) => listRecords(read, { where, after: place, limit: limit + 1 }));
    records.push(...rows.slice(0, limit).map(toRecord));
    isFull = rows.length > limit;
    return isFull;
  });
  if (!isFull && searchedFromMs <= fromMs) return { records, next: null };
  if (records.length === query.limit) return { records, next: records.at(-1)?.generation.id ?? null };
  const rest = await parts.snapshot(INDEXED_MS, (read) =>
    leadOn(read, { fromMs, searchedFromMs, toMs, filter, place }),
  );
  return { records: [...records, ...rest.records], next: rest.next };
}

interface SearchedSpan extends Span, Omit<PageSearch, 'parts'> {
  /** The beginning of what was looked at, which ends where the span does. */
  readonly searchedFromMs: number;
}

/**
 * Leads on from the oldest generation that was looked at, whether or not it matched. Where there was none, the next older
 * one is looked at here: a page of a busy database would otherwise be empty, and lead to itself or nowhere.
 */
async function leadOn(
  read: Read,
  { fromMs, searchedFromMs, toMs, filter, place }: SearchedSpan,
): Promise<GenerationPage> {
  const oldest = await findFirst(read, { where: isWithin(searchedFromMs, toMs), after: place });
  if (oldest !== undefined) return { records: [], next: idOf(oldest) };
  const [newest] = await listRecords(read, { where: isWithin(fromMs, searchedFromMs), after: place, limit: 1 });
  if (newest === undefined) return { records: [], next: null };
  const { id, created_at_ms: atMs } = newest;
  const where = sql`g.id = ${id} and ${isWithin(atMs, atMs + 1)} and ${filter.matches}`;
  const matching = await listRecords(read, { where, after: undefined, limit: 1 });
  return { records: matching.map(toRecord), next: idOf(newest) };
}

/** Reads records, newest first, because columns do not tell whether they match. */
async function searchPage(
  { limit, filter = {} }: GenerationQuery,
  { filter: { matches }, place, parts }: PageSearch,
): Promise<GenerationPage> {
  const where = sql`${isWithin(filter.createdFromMs, filter.createdBeforeMs)} and ${matches}`;
  const rows = await parts
    .snapshot(WALK_MS, (read) => listRows(read, { where, after: place, limit: RECORDS_A_STEP }))
    .catch((error: unknown) => {
      if (!(error instanceof SlowQueryError)) throw error;
      const within = isWithin(filter.createdFromMs, filter.createdBeforeMs);
      return parts.snapshot(WALK_MS, (read) => listRows(read, { where: within, after: place, limit: RECORDS_A_STEP }));
    });
  const records: GenerationPage['records'][number][] = [];
  for (const row of rows) {
    const record = toRecord(row);
    if (matchesFilter(toGenerationFacts(record), filter, () => record)) records.push(record);
    if (records.length === limit)
      return { records, next: row === rows.at(-1) && rows.length < RECORDS_A_STEP ? null : idOf(row) };
  }
  return { records, next: rows.length < RECORDS_A_STEP ? null : idOf(rows.at(-1)) };
}

/** The id in the record: that of the column may be in another form. */
const idOf = (row: { readonly record: string } | undefined): string | null =>
  row === undefined ? null : toRecord(row).generation.id;

const SECOND_OF_ID = /^gen-(\d{9,10})-/;

/** The place of a generation in the list by time; undefined where it is not there (any more). */
async function findPlace(read: Read, id: string): Promise<TimePlace | undefined> {
  const [, second] = SECOND_OF_ID.exec(id) ?? [];
  const day = second === undefined ? undefined : new Date(Number(second) * 1000).toISOString().slice(0, 10);
  const isInDay = day === undefined ? sql`true` : sql`g.day = ${day}::date`;
  const [row] = await read(sql<{ created_at_ms: number }>`
    select g.created_at_ms from gateway.generations g where g.id = ${id} and ${isInDay}`);
  return row && { id, createdAtMs: row.created_at_ms };
}

/** For a page by an index. */
const SORTED_WHOLE_MS = 220;
const BOUNDS_MS = 5000;
/** For one that has to be chosen from all that match. */
const SORTED_WALK_MS = 220;

/** A page in another order: by an index, or else chosen from as much as there is time to look at. */
export async function sortGenerations(query: SortedQuery, parts: ReadParts): Promise<SortedPage> {
  const filter = query.filter ?? {};
  const { matches, remaining } = toFilterSql(filter);
  if (remaining.length === 0) {
    try {
      const where = sql`${isWithin(filter.createdFromMs, filter.createdBeforeMs)} and ${matches}`;
      const rows = await parts.snapshot(SORTED_WHOLE_MS, (read) => readInOrder(read, query, where));
      return toSortedPage(query, rows.map(toRecord));
    } catch (error) {
      if (!(error instanceof SlowQueryError)) throw error;
    }
  }
  const bounds = await parts.snapshot(BOUNDS_MS, findBounds);
  if (bounds === undefined) return { records: [], next: null };
  const span = {
    fromMs: Math.max(bounds.fromMs, filter.createdFromMs ?? 0),
    toMs: Math.min(bounds.toMs, filter.createdBeforeMs ?? Number.POSITIVE_INFINITY),
  };
  return chooseSortedPage(query, span, parts);
}

/** Up to one more than the page. */
async function readInOrder(read: Read, query: SortedQuery, where: RawBuilder<unknown>): Promise<PlacedRecord[]> {
  const { sort, order, limit, after } = query;
  const { column, isKnown, hasFewValues, toParameter } = SORT_COLUMNS[sort];
  const most = limit + 1;
  const isKnownPlace = after !== undefined && after.value !== null;
  const value = isKnownPlace ? toParameter(after.value) : undefined;
  if (isKnownPlace && value === undefined) return [];
  const rows: PlacedRecord[] = [];
  const place = sql`(${after?.createdAtMs ?? 0}::bigint, ${toColumnId(after?.id ?? '')})`;
  const isOlder = sql`(g.created_at_ms, g.id) < ${place}`;

  if (after === undefined || after.value !== null) {
    if (hasFewValues && order === 'desc') {
      rows.push(...(await readByValues(read, query, { where, value, isOlder })));
    } else {
      const sign = order === 'asc' ? sql`>` : sql`<`;
      const known = isKnown ?? sql`true`;
      const isAfter =
        value === undefined
          ? known
          : sql`${known} and ${column} ${sign}= ${value} and (${column} ${sign} ${value} or ${isOlder})`;
      const by = order === 'asc' ? sql`${column} asc` : sql`${column} desc`;
      rows.push(...(await readRecords(read, sql`${where} and ${isAfter}`, by, most)));
    }
  }
  if (isKnown === undefined || rows.length >= most) return rows;
  const isAfterUnknown = after !== undefined && after.value === null ? isOlder : sql`true`;
  const unknown = sql`${where} and not (${isKnown}) and ${isAfterUnknown}`;
  return [...rows, ...(await readRecords(read, unknown, undefined, most - rows.length))];
}

interface ByValues {
  readonly where: RawBuilder<unknown>;
  readonly value: RawBuilder<unknown> | undefined;
  readonly isOlder: RawBuilder<unknown>;
}

/** Value after value: an index that is read backwards would bring the oldest of each first. */
async function readByValues(
  read: Read,
  { sort, limit }: SortedQuery,
  { where, value: first, isOlder }: ByValues,
): Promise<PlacedRecord[]> {
  const { column, toParameter } = SORT_COLUMNS[sort];
  const rows: PlacedRecord[] = [];
  let value = first;
  if (value !== undefined) {
    const rest = sql`${where} and ${column} = ${value} and ${isOlder}`;
    rows.push(...(await readRecords(read, rest, undefined, limit + 1)));
  }
  while (rows.length <= limit) {
    const isBelow: RawBuilder<unknown> = value === undefined ? sql`${column} is not null` : sql`${column} < ${value}`;
    const [next] = await read(sql<{ value: string | number }>`select ${column} as value from gateway.generations g
      where ${isBelow} order by ${column} desc limit 1`);
    if (next === undefined) break;
    value = toParameter(next.value);
    const all = sql`${where} and ${column} = ${value}`;
    rows.push(...(await readRecords(read, all, undefined, limit + 1 - rows.length)));
  }
  return rows;
}

/** Records in the order of something, equal ones newest first. */
function readRecords(
  read: Read,
  where: RawBuilder<unknown>,
  by: RawBuilder<unknown> | undefined,
  limit: number,
): Promise<PlacedRecord[]> {
  const order = sql`${by === undefined ? sql`` : sql`${by}, `}g.created_at_ms desc, g.id desc`;
  return read(sql<PlacedRecord>`select g.id, g.created_at_ms, g.record from gateway.generations g
    where ${where} order by ${order} limit ${limit}`);
}

interface SortedSource {
  readonly id: string;
  readonly record: GenerationRecord;
}

/** Chooses a page from what matches, in steps of time, newest first. */
async function chooseSortedPage(query: SortedQuery, span: Span, parts: ReadParts): Promise<SortedPage> {
  const { filter = {}, ...order } = query;
  const first = createFirstGenerations<SortedSource>(order);
  const add = (record: GenerationRecord): void =>
    first.add(toGenerationFacts(record), { id: record.generation.id, record });
  const { matches, remaining } = toFilterSql(filter);
  const walk = { span, budgetMs: SORTED_WALK_MS, monotonicNow: parts.monotonicNow };
  const searchedFromMs =
    remaining.length > 0
      ? await searchRecords({ filter, span, parts }, add)
      : await walkSpans(walk, async ({ fromMs, toMs }, limitMs) => {
          const where = sql`${isWithin(fromMs, toMs)} and ${matches}`;
          for (const row of await parts.snapshot(limitMs, (read) => readInOrder(read, query, where)))
            add(toRecord(row));
          return false;
        });
  return { ...first.read(({ record }) => record), ...toCut(searchedFromMs, span) };
}

function toSortedPage({ limit, ...query }: SortedQuery, records: readonly GenerationRecord[]): SortedPage {
  const first = createFirstGenerations<SortedSource>({ ...query, after: undefined, limit });
  for (const record of records) first.add(toGenerationFacts(record), { id: record.generation.id, record });
  return first.read(({ record }) => record);
}

/** What a list is sorted by; `g` is the table. */
interface SortColumn {
  readonly column: RawBuilder<unknown>;
  /** Whether it is known; undefined where it always is. */
  readonly isKnown: RawBuilder<unknown> | undefined;
  /** So few values that many generations have the same. */
  readonly hasFewValues: boolean;
  /** A value as a parameter; undefined for what the column cannot hold. */
  toParameter(value: SortValue): RawBuilder<unknown> | undefined;
}

const toBigint = (value: SortValue): RawBuilder<unknown> | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) ? sql`${value}::bigint` : undefined;
const toDouble = (value: SortValue): RawBuilder<unknown> | undefined =>
  typeof value === 'number' ? sql`${value}::double precision` : undefined;
const toFactParameter = (value: SortValue): RawBuilder<unknown> | undefined =>
  typeof value === 'string' ? sql`${toFactText(value)}::text` : undefined;

const toSortColumn = (
  column: string,
  toParameter: SortColumn['toParameter'],
  { isKnown, hasFewValues = false }: { readonly isKnown?: string; readonly hasFewValues?: boolean } = {},
): SortColumn => ({
  column: sql.raw(column),
  toParameter,
  isKnown: isKnown === undefined ? undefined : sql.raw(isKnown),
  hasFewValues,
});

const toOptionalSortColumn = (
  column: string,
  toParameter: SortColumn['toParameter'],
  hasFewValues = false,
): SortColumn => toSortColumn(column, toParameter, { isKnown: `${column} is not null`, hasFewValues });

const FEW_VALUES = { hasFewValues: true };

const SORT_COLUMNS: Readonly<Record<GenerationSort, SortColumn>> = {
  time: toSortColumn('g.created_at_ms', toBigint),
  cost: toSortColumn('g.cost_nano', toBigint, { isKnown: 'g.is_cost_known' }),
  duration: toOptionalSortColumn('g.duration_ms', toDouble),
  latency: toOptionalSortColumn('g.first_token_ms', toDouble),
  tokens_in: toOptionalSortColumn('g.prompt_tokens', toBigint),
  tokens_out: toOptionalSortColumn('g.completion_tokens', toBigint),
  speed: toOptionalSortColumn('g.tokens_per_second', toDouble),
  attempts: toSortColumn('g.attempts', toBigint, FEW_VALUES),
  model: toSortColumn('g.model', toFactParameter, FEW_VALUES),
  provider: toOptionalSortColumn('g.provider_name', toFactParameter, true),
  status: toSortColumn('g.status', toFactParameter, FEW_VALUES),
};
