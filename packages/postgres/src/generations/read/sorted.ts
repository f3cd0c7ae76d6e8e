import {
  createFirstGenerations,
  type GenerationRecord,
  type SortedPage,
  type SortedQuery,
  toGenerationFacts,
} from '@model-gateway/core';
import { type RawBuilder, sql } from 'kysely';

import { toColumnId } from '../../connection/column-text.ts';
import { isWithin, toFilterSql } from './filter-sql.ts';
import { toRecord } from './generation-row.ts';
import { toCut } from './histogram.ts';
import { findBounds, type PlacedRecord } from './list-rows.ts';
import type { ReadParts } from './read-parts.ts';
import { type Read, SlowQueryError } from './reader.ts';
import { searchRecords } from './search-records.ts';
import { SORT_COLUMNS } from './sort-columns.ts';
import { type Span, walkSpans } from './walk-spans.ts';

/** For a page by an index. */
const WHOLE_MS = 220;
const LIMIT_MS = 5000;
/** For one that has to be chosen from all that match. */
const WALK_MS = 220;

/** A page in another order: by an index, or else chosen from as much as there is time to look at. */
export async function sortGenerations(query: SortedQuery, parts: ReadParts): Promise<SortedPage> {
  const filter = query.filter ?? {};
  const { matches, remaining } = toFilterSql(filter);
  if (remaining.length === 0) {
    try {
      const where = sql`${isWithin(filter.createdFromMs, filter.createdBeforeMs)} and ${matches}`;
      const rows = await parts.snapshot(WHOLE_MS, (read) => readInOrder(read, query, where));
      return toPage(query, rows.map(toRecord));
    } catch (error) {
      if (!(error instanceof SlowQueryError)) throw error;
    }
  }
  const bounds = await parts.snapshot(LIMIT_MS, findBounds);
  if (bounds === undefined) return { records: [], next: null };
  const span = {
    fromMs: Math.max(bounds.fromMs, filter.createdFromMs ?? 0),
    toMs: Math.min(bounds.toMs, filter.createdBeforeMs ?? Number.POSITIVE_INFINITY),
  };
  return choosePage(query, span, parts);
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

interface Source {
  readonly id: string;
  readonly record: GenerationRecord;
}

/** Chooses a page from what matches, in steps of time, newest first. */
async function choosePage(query: SortedQuery, span: Span, parts: ReadParts): Promise<SortedPage> {
  const { filter = {}, ...order } = query;
  const first = createFirstGenerations<Source>(order);
  const add = (record: GenerationRecord): void =>
    first.add(toGenerationFacts(record), { id: record.generation.id, record });
  const { matches, remaining } = toFilterSql(filter);
  const walk = { span, budgetMs: WALK_MS, monotonicNow: parts.monotonicNow };
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

function toPage({ limit, ...query }: SortedQuery, records: readonly GenerationRecord[]): SortedPage {
  const first = createFirstGenerations<Source>({ ...query, after: undefined, limit });
  for (const record of records) first.add(toGenerationFacts(record), { id: record.generation.id, record });
  return first.read(({ record }) => record);
}
