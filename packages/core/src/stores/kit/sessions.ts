import type { GenerationSort } from '../../wire/generation-fields.ts';
import { DEFAULT_WORKSPACE_ID } from '../../wire/values.ts';
import type {
  GenerationFacts,
  SessionPage,
  SessionPlace,
  SessionQuery,
  SessionSum,
  SortedQuery,
  SortValue,
} from '../generation-queries.ts';
import type { GenerationRecord, SortedPage } from '../store.ts';
import { matchesFilter } from './filters.ts';

/** Adds up the calls of sessions one after the other, in any order; the page is read once, after the last. */
export interface SessionBook<Source> {
  /** A call without a session is left out. */
  add(facts: GenerationFacts, source: Source, readRecord: () => GenerationRecord): void;
  read(): SessionPage;
}

interface Session<Source> {
  readonly sessionId: string;
  first: Source;
  firstAtMs: number;
  lastAtMs: number;
  endMs: number;
  requests: number;
  matching: number;
  failed: number;
  cancelled: number;
  interrupted: number;
  costNanoUsd: number;
  isCostKnown: boolean;
  /** With the number of calls. */
  readonly models: Map<string, number>;
  readonly principalIds: Set<string>;
}

/**
 * Creates the sums of a query. Those of all calls of a session are kept, whether or not the filter chooses them, so that
 * a page costs one look at each generation. The id of a source is read only for the page.
 */
export function createSessionBook<Source extends { readonly id: string }>({
  limit,
  after,
  workspaceId,
  filter,
}: SessionQuery): SessionBook<Source> {
  const sessions = new Map<string, Session<Source>>();
  return {
    add(facts, source, readRecord) {
      const { sessionId } = facts;
      if (sessionId === null) return;
      // Before the record is read, which may cost much.
      if (filter?.sessionId !== undefined && filter.sessionId !== sessionId) return;
      // Old records name none.
      const isOf = (id: string): boolean => (readRecord().generation.workspace_id ?? DEFAULT_WORKSPACE_ID) === id;
      if (workspaceId !== undefined && !isOf(workspaceId)) return;
      let session = sessions.get(sessionId);
      if (session === undefined) sessions.set(sessionId, (session = toSession(sessionId, facts, source)));
      addTo(session, facts, source);
      if (filter === undefined || matchesFilter(facts, filter, readRecord)) session.matching += 1;
    },
    read() {
      const first = takeFirst(sessions.values(), limit + 1, after);
      const page = first.slice(0, limit);
      const last = page.at(-1);
      return {
        sessions: page.map(toSum),
        next:
          first.length > limit && last !== undefined ? { lastAtMs: last.lastAtMs, sessionId: last.sessionId } : null,
      };
    },
  };
}

const toSession = <Source>(sessionId: string, { createdAtMs }: GenerationFacts, source: Source): Session<Source> => ({
  sessionId,
  first: source,
  firstAtMs: createdAtMs,
  lastAtMs: createdAtMs,
  endMs: createdAtMs,
  requests: 0,
  matching: 0,
  failed: 0,
  cancelled: 0,
  interrupted: 0,
  costNanoUsd: 0,
  isCostKnown: true,
  models: new Map(),
  principalIds: new Set(),
});

function addTo<Source extends { readonly id: string }>(
  session: Session<Source>,
  facts: GenerationFacts,
  source: Source,
): void {
  const { createdAtMs, durationMs, model, principalId, status } = facts;
  // Ids are read only of calls that began at once.
  const isFirst =
    createdAtMs < session.firstAtMs || (createdAtMs === session.firstAtMs && source.id < session.first.id);
  if (isFirst) {
    session.first = source;
    session.firstAtMs = createdAtMs;
  }
  session.lastAtMs = Math.max(session.lastAtMs, createdAtMs);
  session.endMs = Math.max(session.endMs, createdAtMs + (durationMs ?? 0));
  session.requests += 1;
  if (status !== 'ok') session[status] += 1;
  session.costNanoUsd += facts.costNanoUsd;
  session.isCostKnown &&= facts.isCostKnown;
  session.models.set(model, (session.models.get(model) ?? 0) + 1);
  session.principalIds.add(principalId);
}

/** The first of the sessions after a place of which a call matched, without sorting all of them. */
function takeFirst<Source>(
  sessions: Iterable<Session<Source>>,
  count: number,
  after: SessionPlace | undefined,
): Session<Source>[] {
  const first: Session<Source>[] = [];
  for (const session of sessions) {
    if (session.matching === 0 || (after !== undefined && compareSessions(session, after) <= 0)) continue;
    takeIn(first, session, count, compareSessions);
  }
  return first;
}

/** Puts an item at its place among those that are first so far, of which no more than `most` are kept. */
function takeIn<Item>(first: Item[], item: Item, most: number, compare: (left: Item, right: Item) => number): void {
  const last = first[most - 1];
  if (last !== undefined && compare(item, last) >= 0) return;
  let low = 0;
  let high = first.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(item, first[middle] as Item) < 0) high = middle;
    else low = middle + 1;
  }
  first.splice(low, 0, item);
  if (first.length > most) first.pop();
}

/** The latest first, those of the same time by their ids. */
function compareSessions(left: SessionPlace, right: SessionPlace): number {
  if (left.lastAtMs !== right.lastAtMs) return right.lastAtMs - left.lastAtMs;
  return left.sessionId < right.sessionId ? -1 : left.sessionId > right.sessionId ? 1 : 0;
}

function toSum<Source extends { readonly id: string }>({
  first,
  models,
  principalIds,
  ...sums
}: Session<Source>): SessionSum {
  const byCalls = [...models].toSorted(([a, calls], [b, others]) => others - calls || (a < b ? -1 : 1));
  return {
    ...sums,
    firstId: first.id,
    models: byCalls.map(([model]) => model),
    principalIds: [...principalIds].toSorted(),
  };
}

/** The generations of one page in the order of a query, chosen among all that are added, in whatever order. */
export interface FirstGenerations<Source> {
  add(facts: GenerationFacts, source: Source): void;
  /** The page, once all are added. */
  read(toRecord: (source: Source) => GenerationRecord): SortedPage;
}

interface Candidate<Source> {
  readonly value: SortValue;
  readonly createdAtMs: number;
  readonly source: Source;
}

/**
 * Creates the choice. It keeps no more than a page and one, so that a page costs one look at each generation, however
 * many there are. The id of a source is read only where everything else is equal.
 */
export function createFirstGenerations<Source extends { readonly id: string }>({
  limit,
  sort,
  order,
  after,
}: Omit<SortedQuery, 'filter'>): FirstGenerations<Source> {
  const sign = order === 'asc' ? 1 : -1;
  const first: Candidate<Source>[] = [];
  const place = after && { ...after, source: after };
  const compare = (left: Comparable, right: Comparable): number => compareCandidates(left, right, sign);

  return {
    add(facts, source) {
      const candidate = { value: sortValueOf(facts, sort), createdAtMs: facts.createdAtMs, source };
      if (place !== undefined && compare(candidate, place) <= 0) return;
      takeIn(first, candidate, limit + 1, compare);
    },
    read(toRecord) {
      const page = first.slice(0, limit);
      const last = page.at(-1);
      const isMore = first.length > limit && last !== undefined;
      return {
        records: page.map(({ source }) => toRecord(source)),
        next: isMore ? { value: last.value, createdAtMs: last.createdAtMs, id: last.source.id } : null,
      };
    },
  };
}

type Comparable = Pick<Candidate<{ readonly id: string }>, 'value' | 'createdAtMs' | 'source'>;

/** By the value, unknown ones last in either order; among equals the newest first. */
function compareCandidates(left: Comparable, right: Comparable, sign: 1 | -1): number {
  if (left.value !== right.value) {
    if (left.value === null) return 1;
    if (right.value === null) return -1;
    return left.value < right.value ? -sign : sign;
  }
  if (left.createdAtMs !== right.createdAtMs) return right.createdAtMs - left.createdAtMs;
  const [leftId, rightId] = [left.source.id, right.source.id];
  return leftId === rightId ? 0 : leftId > rightId ? -1 : 1;
}

/** What a generation is sorted by; null if it is unknown or absent. */
function sortValueOf(facts: GenerationFacts, sort: GenerationSort): SortValue {
  switch (sort) {
    case 'time':
      return facts.createdAtMs;
    case 'cost':
      return facts.isCostKnown ? facts.costNanoUsd : null;
    case 'duration':
      return facts.durationMs;
    case 'latency':
      return facts.firstTokenMs;
    case 'tokens_in':
      return facts.promptTokens;
    case 'tokens_out':
      return facts.completionTokens;
    case 'speed':
      return facts.tokensPerSecond;
    case 'attempts':
      return facts.attempts;
    case 'model':
      return facts.model;
    case 'provider':
      return facts.providerName;
    case 'status':
      return facts.status;
  }
}
