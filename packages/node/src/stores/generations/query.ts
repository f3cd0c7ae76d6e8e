import {
  createFacetCount,
  createFirstGenerations,
  createHistogram,
  createSessionBook,
  type GenerationCondition,
  type GenerationFacets,
  type GenerationFilter,
  type GenerationHistogram,
  type GenerationPage,
  type GenerationRecord,
  type HistogramQuery,
  isInReach,
  matchesFilter,
  type ScannedGeneration,
  type ScanQuery,
  type SessionPage,
  type SessionQuery,
  type SortedPage,
  type SortedQuery,
} from '@model-gateway/core';

import { nextTurn } from '../../node-timers.ts';
import { dayAt } from '../log/segment-name.ts';
import type { GenerationEntry } from './generation-entry.ts';

/** Number of generations that are read for a page, however many there are. */
const MAX_LOOKED_AT = 2000;
/** Number that are read in one turn: some 10 ms where their facts have not been read before. */
const READ_IN_A_TURN = 500;
/** Number that may be skipped by their day alone, which takes some ten nanoseconds each. */
const MAX_PASSED_OVER = 50_000;

interface PageQuery {
  readonly limit: number;
  readonly filter?: GenerationFilter | undefined;
}

/** The first page of generations that come newest first and, with a filter, match it. */
export function pageOfGenerations(entries: Iterable<GenerationEntry>, { limit, filter }: PageQuery): GenerationPage {
  const isOutside = createDayCheck(filter?.createdFromMs, filter?.createdBeforeMs);
  const mayMeet = createMeetingCheck(filter);
  const records: GenerationRecord[] = [];
  let lookedAt = 0;
  let passedOver = 0;
  let last: GenerationEntry | undefined;
  for (const entry of entries) {
    if (records.length >= limit || lookedAt >= MAX_LOOKED_AT || passedOver >= MAX_PASSED_OVER) {
      return { records, next: last?.id ?? null };
    }
    last = entry;
    if (filter === undefined) records.push(entry.readRecord());
    else if (isOutside(entry)) passedOver += 1;
    else {
      lookedAt += 1;
      if (mayMeet(entry) && isMatch(entry, filter)) records.push(entry.readRecord());
    }
  }
  return { records, next: null };
}

/** A page in another order; may miss what is added meanwhile. */
export async function sortGenerations(entries: Iterable<GenerationEntry>, query: SortedQuery): Promise<SortedPage> {
  const { filter } = query;
  const first = createFirstGenerations<GenerationEntry>(query);
  const span = { fromMs: filter?.createdFromMs, toMs: filter?.createdBeforeMs };
  await forEachThatMay(entries, { ...span, filter }, (entry) => {
    if (filter === undefined || isMatch(entry, filter)) first.add(entry.readFacts(), entry);
  });
  return first.read((entry) => entry.readRecord());
}

/** Adds up the calls of sessions; may miss those that are added or removed meanwhile. */
export async function addUpSessions(entries: Iterable<GenerationEntry>, query: SessionQuery): Promise<SessionPage> {
  const book = createSessionBook<GenerationEntry>(query);
  // The other calls of a session meet what is said of the session.
  const filter = { sessionId: query.filter?.sessionId };
  await forEachThatMay(entries, { filter }, (entry) => book.add(entry.readFacts(), entry, () => entry.readRecord()));
  return book.read();
}

/** Adds up generations, newest first; may miss those that are added or removed meanwhile. */
export async function addUpGenerations(
  entries: Iterable<GenerationEntry>,
  query: HistogramQuery,
): Promise<GenerationHistogram> {
  const histogram = createHistogram(query);
  const span = { fromMs: query.startMs, toMs: query.startMs + query.bucketMs * query.buckets };
  await forEachThatMay(entries, { ...span, filter: query.filter }, (entry) =>
    histogram.add(entry.readFacts(), () => entry.readRecord()),
  );
  return histogram.read(nextTurn);
}

/** Counts by status, model, provider and principal, in the same way. */
export async function countGenerations(
  entries: Iterable<GenerationEntry>,
  filter: GenerationFilter,
): Promise<GenerationFacets> {
  const count = createFacetCount(filter);
  const span = { fromMs: filter.createdFromMs, toMs: filter.createdBeforeMs };
  await forEachThatMay(entries, { ...span, filter }, (entry) => count.add(entry.readFacts(), () => entry.readRecord()));
  return count.read();
}

/** Shows those of a span to `look`, newest first. */
export async function scanGenerations(
  entries: Iterable<GenerationEntry>,
  { fromMs, toMs, reach }: ScanQuery,
  look: (generation: ScannedGeneration) => void,
): Promise<void> {
  await forEachThatMay(entries, { fromMs, toMs }, (entry) => {
    const facts = entry.readFacts();
    if (facts.createdAtMs < fromMs || facts.createdAtMs >= toMs) return;
    if (reach === undefined || isInReach(facts, reach, () => entry.readRecord())) look(entry);
  });
}

const isMatch = (entry: GenerationEntry, filter: GenerationFilter): boolean =>
  matchesFilter(entry.readFacts(), filter, () => entry.readRecord());

/** Tells by the day of a generation, without reading it, that it is outside of a span of time. */
function createDayCheck(fromMs: number | undefined, toMs: number | undefined): (entry: GenerationEntry) => boolean {
  const first = fromMs === undefined ? '' : dayAt(fromMs);
  const last = toMs === undefined ? '9999-12-31' : dayAt(toMs);
  return ({ origin: { day } }) => day < first || day > last;
}

const ALWAYS: (entry: GenerationEntry) => boolean = () => true;

/** Tells of a generation, without parsing it, that it does not meet all conditions of the filter. */
function createMeetingCheck(filter: GenerationFilter | undefined): (entry: GenerationEntry) => boolean {
  const check = createTextCheck(filter?.conditions);
  const isMet = check === undefined ? ALWAYS : (entry: GenerationEntry) => check(entry.readText());
  const sessionId = filter?.sessionId;
  return sessionId === undefined ? isMet : (entry) => entry.mayBeOf(sessionId) && isMet(entry);
}

interface Chosen {
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly filter?: GenerationFilter | undefined;
}

/** Shows those to `look` of which their day and their text do not tell that they are outside of the span or filter. */
async function forEachThatMay(
  entries: Iterable<GenerationEntry>,
  { fromMs, toMs, filter }: Chosen,
  look: (entry: GenerationEntry) => void,
): Promise<void> {
  const isOutside = createDayCheck(fromMs, toMs);
  const mayMeet = createMeetingCheck(filter);
  let lookedAt = 0;
  for (const entry of entries) {
    if (!isOutside(entry) && mayMeet(entry)) look(entry);
    lookedAt += 1;
    if (lookedAt % READ_IN_A_TURN === 0) await nextTurn();
  }
}

/** Fields whose values are written in the text of a record as they are; of others some are left out or worked out. */
const WRITTEN: ReadonlySet<GenerationCondition['field']> = new Set([
  'app',
  'endpoint',
  'feedback',
  'guardrail',
  'preset',
  'router',
  'rule',
  'search_engine',
  'stage',
  'tier',
  'upstream',
  'upstream_id',
]);
/** Characters that JSON writes as they are, and that have the same small letters everywhere. */
const PLAIN = /^[ !#-[\]-~]+$/;

/**
 * Tells of most records that they cannot meet the conditions, by their text alone, which takes a tenth of the time to
 * parse it. Undefined where nothing can be told.
 */
export function createTextCheck(
  conditions: readonly GenerationCondition[] = [],
): ((text: string) => boolean) | undefined {
  const needed = conditions.flatMap((condition) => {
    const pieces = toPieces(condition);
    return pieces === undefined ? [] : [pieces];
  });
  if (needed.length === 0) return undefined;
  return (text) => {
    const lower = text.toLowerCase();
    return needed.every((pieces) => pieces.some((piece) => lower.includes(piece)));
  };
}

/** Of each wanted value the longest piece without a star; one of them is in the text of all that meet the condition. */
function toPieces({ field, sign, values, isNegated }: GenerationCondition): readonly string[] | undefined {
  if (!WRITTEN.has(field) || sign !== ':' || isNegated) return undefined;
  const pieces = values.map((value) => longestOf(String(value).split('*')));
  return pieces.every((piece) => PLAIN.test(piece)) ? pieces : undefined;
}

const longestOf = (texts: readonly string[]): string =>
  texts.reduce((longest, text) => (text.length > longest.length ? text : longest), '');
