import {
  createSessionBook,
  DEFAULT_WORKSPACE_ID,
  type SessionPage,
  type SessionPlace,
  type SessionQuery,
  type SessionSum,
} from '@model-gateway/core';
import { type RawBuilder, sql } from 'kysely';

import { fromColumnId, toColumnId, toFactText } from '../connection/column-text.ts';
import { isWithin, toFilterSql } from './filters.ts';
import {
  FACTS,
  type FactsRow,
  type Read,
  type ReadParts,
  type RecordRow,
  SlowQueryError,
  toFacts,
  toRecord,
  toSteps,
} from './reader.ts';

const BUDGET_MS = 400;
/** For a page of sessions of which one may have most of all calls. */
const FIRST_MS = 5000;
/** Sessions of which the calls are read at once, where not all match. */
const MAX_READ = 500;

/**
 * A page of sessions, the one with the latest call first. Where few match, it ends when the time is over; `next` leads on
 * from there.
 */
export async function pageOfSessions(query: SessionQuery, parts: ReadParts): Promise<SessionPage> {
  const { limit, filter = {} } = query;
  const until = parts.monotonicNow() + BUDGET_MS;
  const sessions: SessionSum[] = [];
  let { after } = query;
  let count = limit + 1;
  for (;;) {
    // The first step shows at least what there is.
    const limitMs = after === query.after ? FIRST_MS : until - parts.monotonicNow();
    const cut = { sessions, next: after ?? null, ...(after !== undefined && { searchedFromMs: after.lastAtMs }) };
    if (limitMs <= 0) return cut;
    let found;
    try {
      found = await parts.snapshot(limitMs, (read) =>
        readSessions(read, { ...query, after }, { count, now: parts.now() }),
      );
    } catch (error) {
      if (error instanceof SlowQueryError && after !== query.after) return cut;
      throw error;
    }
    sessions.push(...found.sessions);
    const last = sessions[limit - 1];
    if (sessions.length > limit && last !== undefined) {
      const next = { lastAtMs: last.lastAtMs, sessionId: last.sessionId };
      return { sessions: sessions.slice(0, limit), next };
    }
    const isOver = found.last === undefined || found.count < count;
    if (isOver || (found.last?.lastAtMs ?? 0) < (filter.createdFromMs ?? 0)) return { sessions, next: null };
    after = found.last;
    count = MAX_READ;
  }
}

interface FoundSessions {
  /** Sessions that match. */
  readonly sessions: readonly SessionSum[];
  readonly count: number;
  readonly last: SessionPlace | undefined;
}

/** The next sessions, whether or not they match. */
async function readSessions(read: Read, query: SessionQuery, { count, now }: Places): Promise<FoundSessions> {
  const places = await readPlaces(read, query, { count, now });
  if (places.length === 0) return { sessions: [], count: 0, last: undefined };
  const isAsked = toFilterSql(query.filter).remaining.length > 0;
  const last = places.at(-1);
  return {
    sessions: await (isAsked ? addUpRecords(read, query, places) : addUp(read, query, places)),
    count: places.length,
    last: last && { lastAtMs: last.created_at_ms, sessionId: last.session_id },
  };
}

/** Calls that are added up; the table is `g` or `later`. Old records, of which none names a workspace, are of the default one. */
function isAdded({ workspaceId }: SessionQuery, table: 'g' | 'later' = 'g'): RawBuilder<unknown> {
  if (workspaceId === undefined) return sql`true`;
  const column = sql.ref(`${table}.workspace_id`);
  const isOf = sql`${column} = ${toColumnId(workspaceId)}`;
  return workspaceId === DEFAULT_WORKSPACE_ID ? sql`(${isOf} or ${column} is null)` : isOf;
}

async function addUp(read: Read, query: SessionQuery, places: readonly PlaceRow[]): Promise<SessionSum[]> {
  const ids = places.map(({ session_id: id }) => id);
  const sums = await readSessionSums(read, ids, query);
  return ids.flatMap((id) => sums.get(id) ?? []).filter(({ matching }) => matching > 0);
}

/** The same where the records have to tell which calls match. */
async function addUpRecords(
  read: Read,
  query: SessionQuery,
  places: readonly PlaceRow[],
): Promise<readonly SessionSum[]> {
  const ids = places.map(({ session_id: id }) => id);
  const rows = await read(sql<FactsRow & RecordRow>`select ${FACTS}, g.record
    from gateway.generations g where g.session_id = any (${ids}::text[]) and ${isAdded(query)}`);
  const book = createSessionBook<{ readonly id: string }>({ ...query, after: undefined, limit: places.length });
  for (const row of rows) book.add(toFacts(row), { id: fromColumnId(row.id) }, () => toRecord(row));
  return book.read().sessions;
}

interface PlaceRow {
  readonly session_id: string;
  readonly created_at_ms: number;
}

/** Sessions by their last calls: that is a call without a later one of the same session, or one of the same time after it. */
async function readPlaces(read: Read, query: SessionQuery, { count, now }: Places): Promise<PlaceRow[]> {
  const { after, filter = {} } = query;
  const { sessionId, createdFromMs } = filter;
  const isOne = sessionId === undefined ? sql`g.session_id is not null` : sql`g.session_id = ${toFactText(sessionId)}`;
  const isAfter =
    after === undefined
      ? sql`true`
      : sql`(g.created_at_ms < ${after.lastAtMs}::bigint or g.session_id > ${toFactText(after.sessionId)})`;
  const toMs = after && after.lastAtMs + 1;
  const places: PlaceRow[] = [];
  for (const step of toSteps({ createdFromMs, createdBeforeMs: toMs }, now)) {
    // Sessions of the same time come together, whatever the limit, so that they can be ordered by id.
    const rows = await read(sql<PlaceRow>`select g.created_at_ms, g.session_id from gateway.generations g
      where ${isOne} and ${isAdded(query)} and ${isAfter} and ${isWithin(step.fromMs, step.toMs)} and not exists (
        select from gateway.generations later where later.session_id = g.session_id and ${isAdded(query, 'later')}
          and (later.created_at_ms, later.id) > (g.created_at_ms, g.id) and later.day >= g.day - 1 offset 0)
      order by g.created_at_ms desc fetch first ${count - places.length} rows with ties`);
    places.push(...rows.toSorted(comparePlaces));
    if (places.length >= count) break;
  }
  return places.slice(0, count);
}

const comparePlaces = (left: PlaceRow, right: PlaceRow): number =>
  right.created_at_ms - left.created_at_ms || (left.session_id < right.session_id ? -1 : 1);

interface Places {
  readonly count: number;
  readonly now: number;
}

interface SumRow {
  readonly session_id: string;
  readonly first_id: string;
  readonly first_at_ms: number;
  readonly last_at_ms: number;
  readonly end_ms: number;
  readonly requests: number;
  readonly matching: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly interrupted: number;
  readonly cost_nano: number;
  readonly is_cost_known: boolean;
  readonly principal_ids: string[];
  /** The values with the most calls first. */
  readonly models: string[];
}

/**
 * The sums of sessions by their ids, of all their calls, for a filter that columns tell alone. They are added up by the
 * database: a client may mark all of its calls, however many, as one session.
 */
async function readSessionSums(
  read: Read,
  ids: readonly string[],
  query: SessionQuery,
): Promise<Map<string, SessionSum>> {
  const { filter = {} } = query;
  const matches = sql`${isWithin(filter.createdFromMs, filter.createdBeforeMs)} and ${toFilterSql(filter).matches}`;
  const rows = await read(sql<SumRow>`with calls as materialized (
      select g.session_id, g.id, g.created_at_ms, g.duration_ms, g.status, g.cost_nano, g.is_cost_known, g.principal_id,
        g.model, ${matches} as is_matching
      from gateway.generations g where g.session_id = any (${ids}::text[]) and ${isAdded(query)}
    ), by_model as (
      select session_id, array_agg(model order by requests desc, model) as models
      from (select session_id, model, count(*) as requests from calls group by 1, 2) as counted group by 1
    ), sums as (
      select session_id, (array_agg(id order by created_at_ms, id))[1] as first_id,
        min(created_at_ms) as first_at_ms, max(created_at_ms) as last_at_ms,
        max(created_at_ms + coalesce(duration_ms, 0)) as end_ms, count(*) as requests,
        count(*) filter (where is_matching) as matching,
        count(*) filter (where status = 'failed') as failed,
        count(*) filter (where status = 'cancelled') as cancelled,
        count(*) filter (where status = 'interrupted') as interrupted,
        sum(cost_nano)::bigint as cost_nano, bool_and(is_cost_known) as is_cost_known,
        array_agg(distinct principal_id) as principal_ids
      from calls group by 1
    )
    select sums.*, by_model.models from sums join by_model using (session_id)`);
  return new Map(rows.map((row) => [row.session_id, toSum(row)]));
}

const toSum = (row: SumRow): SessionSum => ({
  sessionId: row.session_id,
  firstId: fromColumnId(row.first_id),
  firstAtMs: row.first_at_ms,
  lastAtMs: row.last_at_ms,
  endMs: row.end_ms,
  requests: row.requests,
  matching: row.matching,
  failed: row.failed,
  cancelled: row.cancelled,
  interrupted: row.interrupted,
  costNanoUsd: row.cost_nano,
  isCostKnown: row.is_cost_known,
  models: row.models,
  principalIds: row.principal_ids.map(fromColumnId).toSorted(),
});
