import { NANO_PER_USD, toUsd } from '../foundation/money.ts';
import { parseSessionCursor, toGenerationFilter, toSessionCursor } from '../generations/list-generations.ts';
import { operation } from '../http/operation.ts';
import type {
  GenerationFacets,
  GenerationHistogram,
  HistogramFigures,
  HistogramPart,
  SessionSum,
} from '../stores/store.ts';
import { refuseField, toOpenEnd } from '../wire/fields.ts';
import {
  generationHistogramQuerySchema,
  generationHistogramSchema,
  type GenerationSplit,
  sessionListQuerySchema,
  sessionListSchema,
  type SessionRow,
} from '../wire/generation-list.ts';
import { type GenerationParts, toCompleteFrom, toSearchedFrom } from './generations.ts';

/** Names for people of the values of a split: those of keys and members. Other values are names themselves. */
async function findValueNames(
  split: GenerationSplit,
  values: readonly string[],
  { findKeyNames, members }: Pick<GenerationParts, 'findKeyNames' | 'members'>,
): Promise<Record<string, string>> {
  if (split === 'key') return findKeyNames(new Set(values));
  if (split !== 'member') return {};
  const names: Record<string, string> = {};
  for (const id of values) {
    const member = await members.get(id);
    if (member === undefined) continue;
    const name = [member.first_name, member.last_name].filter(Boolean).join(' ') || member.email;
    if (name !== '') names[id] = name;
  }
  return names;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_VALUES = 50;
/** Figures of a split: as many as eight values have in the largest number of buckets. */
const MAX_FIGURES = 8 * 400;

/** `GET /admin/v1/generations/histogram`: counts, cost and speed by time; by default of the last 24 hours. */
export const getGenerationHistogram = operation<GenerationParts>()({
  query: generationHistogramQuerySchema,
  response: generationHistogramSchema,
  async run({ parts, query: { buckets, begin, end, facets, split, rank, parts: limit, compare, ...query } }) {
    const to = query.to ?? Math.min(toOpenEnd(parts.platform.now(), query.from), end ?? Number.POSITIVE_INFINITY);
    const from = query.from ?? to - DAY_MS;
    if (from >= to) throw refuseField('from', 'must be before to');
    const startMs = begin ?? from;
    const endMs = end ?? to;
    if (startMs > from) throw refuseField('begin', 'must not be after from');
    if (endMs < to) throw refuseField('end', 'must not be before to');
    if (limit * buckets > MAX_FIGURES)
      throw refuseField('parts', `must be at most ${Math.floor(MAX_FIGURES / buckets)} with so many buckets`);
    const bucketMs = Math.max(1, Math.ceil((endMs - startMs) / buckets));
    const count = Math.ceil((endMs - startMs) / bucketMs);
    const filter = toGenerationFilter({ ...query, from, to }, parts);
    const { generations } = parts.store;
    // Together, as a store may take long for each.
    const [found, counts, before, completeFromMs] = await Promise.all([
      generations.histogram({
        filter,
        startMs,
        bucketMs,
        buckets: count,
        ...(split !== undefined && { split: { by: split, rank, limit } }),
      }),
      facets === 'true' ? generations.facets(filter) : undefined,
      compare === 'true' ? findBefore({ ...query, from, to }, parts) : undefined,
      generations.completeFromMs?.(),
    ]);
    return {
      data: found.buckets.map((bucket) => ({ start: toIso(bucket.startMs), ...toFigures(bucket) })),
      totals: toFigures(found.total),
      from: toIso(from),
      to: toIso(to),
      bucket_ms: bucketMs,
      ...(split !== undefined && (await toSplit(found, split, parts))),
      ...(before !== undefined && { before }),
      ...(counts !== undefined && { facets: toFacets(counts) }),
      ...toSearchedFrom(found.searchedFromMs, counts?.searchedFromMs),
      ...toCompleteFrom(completeFromMs, from),
    };
  },
});

const toIso = (ms: number): string => new Date(ms).toISOString();

function toFigures(figures: HistogramFigures) {
  const { requests, failed, cancelled, interrupted, costNanoUsd } = figures;
  return {
    requests,
    failed,
    cancelled,
    interrupted,
    cost: costNanoUsd / NANO_PER_USD,
    first_token_p50: figures.firstTokenP50Ms,
    first_token_p95: figures.firstTokenP95Ms,
    tokens_per_second_p50: figures.tokensPerSecondP50,
    duration_p50: figures.durationP50Ms,
    duration_p95: figures.durationP95Ms,
    duration_p99: figures.durationP99Ms,
    retries: figures.retries,
    prompt_tokens: figures.promptTokens,
    cached_tokens: figures.cachedTokens,
    cache_saved: figures.cacheSavedNanoUsd / NANO_PER_USD,
  };
}

const toPart = ({ total, buckets }: Omit<HistogramPart, 'value'>) => ({
  totals: toFigures(total),
  data: buckets.map(toFigures),
});

async function toSplit({ parts: values, rest }: GenerationHistogram, split: GenerationSplit, parts: GenerationParts) {
  const given = values.flatMap(({ value }) => value ?? []);
  const names = await findValueNames(split, given, parts);
  return {
    split: values.map(({ value, ...part }) => ({
      value,
      name: (value === null ? undefined : names[value]) ?? null,
      ...toPart(part),
    })),
    other: rest === null ? null : { values: rest.values, ...toPart(rest) },
  };
}

type SpanQuery = Parameters<typeof toGenerationFilter>[0] & { readonly from: number; readonly to: number };

/** The figures of the span before, which are as long; of a span that is not over, as long as has passed of it. */
async function findBefore({ from: start, to: end, ...query }: SpanQuery, parts: GenerationParts) {
  const passed = Math.min(end, Math.max(start, parts.platform.now()) + 1) - start;
  const from = start - (end - start);
  const to = from + passed;
  const filter = toGenerationFilter({ ...query, from, to }, parts);
  const inOne = { filter, startMs: from, bucketMs: passed, buckets: 1 };
  const { generations } = parts.store;
  const [{ total, searchedFromMs }, completeFromMs] = await Promise.all([
    generations.histogram(inOne),
    generations.completeFromMs?.(),
  ]);
  return {
    from: toIso(from),
    to: toIso(to),
    totals: toFigures(total),
    ...toSearchedFrom(searchedFromMs),
    ...toCompleteFrom(completeFromMs, from),
  };
}

function toFacets({ total, statuses, models, providerNames, principalIds }: GenerationFacets) {
  return {
    total,
    status: toCounts(statuses),
    model: toCounts(models),
    provider: toCounts(providerNames),
    key: toCounts(principalIds),
  };
}

function toCounts(counts: ReadonlyMap<string, number>): { value: string; requests: number }[] {
  return [...counts]
    .map(([value, requests]) => ({ value, requests }))
    .toSorted((a, b) => b.requests - a.requests || a.value.localeCompare(b.value))
    .slice(0, MAX_VALUES);
}

/** `GET /admin/v1/generations/sessions`: calls that a client has marked as belonging together, the latest first. */
export const listGenerationSessions = operation<GenerationParts>()({
  query: sessionListQuerySchema,
  response: sessionListSchema,
  async run({ parts, query: { limit, cursor, ...filters } }) {
    const isNarrowed = Object.values(filters).some((value) => value !== undefined);
    const { sessions, next, searchedFromMs } = await parts.store.generations.sessions({
      limit,
      after: parseSessionCursor(cursor),
      ...(isNarrowed && { filter: toGenerationFilter(filters, parts) }),
    });
    return {
      data: await Promise.all(sessions.map((sum) => toRow(sum, parts))),
      next_cursor: toSessionCursor(next),
      key_names: await parts.findKeyNames(new Set(sessions.flatMap(({ principalIds }) => principalIds))),
      ...toSearchedFrom(searchedFromMs),
    };
  },
});

async function toRow(sum: SessionSum, { store }: Pick<GenerationParts, 'store'>): Promise<SessionRow> {
  const { requests, matching, failed, cancelled, interrupted } = sum;
  return {
    session_id: sum.sessionId,
    first_generation_id: sum.firstId,
    first_prompt: (await store.generations.getPreview(sum.firstId)) ?? null,
    started_at: toIso(sum.firstAtMs),
    last_call_at: toIso(sum.lastAtMs),
    ended_at: toIso(sum.endMs),
    requests,
    matching,
    failed,
    cancelled,
    interrupted,
    cost: toUsd(sum.costNanoUsd),
    cost_known: sum.isCostKnown,
    models: [...sum.models],
    key_hashes: [...sum.principalIds],
  };
}
