import type { GenerationFacts, SessionPage, SessionPlace, SessionQuery, SessionSum } from '../generation-queries.ts';
import type { GenerationRecord } from '../store.ts';
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
  filter,
}: SessionQuery): SessionBook<Source> {
  const sessions = new Map<string, Session<Source>>();
  return {
    add(facts, source, readRecord) {
      const { sessionId } = facts;
      if (sessionId === null) return;
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
    if (session.matching === 0 || (after !== undefined && compare(session, after) <= 0)) continue;
    const last = first[count - 1];
    if (last !== undefined && compare(session, last) > 0) continue;
    let low = 0;
    let high = first.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(session, first[middle] as Session<Source>) < 0) high = middle;
      else low = middle + 1;
    }
    first.splice(low, 0, session);
    if (first.length > count) first.pop();
  }
  return first;
}

/** The latest first, those of the same time by their ids. */
function compare(left: SessionPlace, right: SessionPlace): number {
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
