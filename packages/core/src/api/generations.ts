import { z } from 'zod';

import type { AuthenticateCaller } from '../auth/authenticate.ts';
import type { FindKeyNames, MemberDirectory } from '../auth/keys.ts';
import type { Broadcaster } from '../broadcast/broadcaster.ts';
import type { Timeouts } from '../calls/attempt.ts';
import type { OpenCalls, Closing } from '../dispatch/open-calls.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import type { TimerWheel } from '../foundation/timers.ts';
import { changeGeneration, type RecordChangeParts } from '../generations/change-generation.ts';
import { exportGenerations as writeGenerations } from '../generations/export-generations.ts';
import type { GenerationFeed } from '../generations/feed.ts';
import {
  findReadableGeneration,
  type FoundGenerations,
  getGenerations,
  listGenerations as findGenerations,
  parseCursor,
  parseSortedCursor,
  toAskedRow,
  toCursor,
  toGenerationFilter,
  toSortedCursor,
} from '../generations/list-generations.ts';
import { hasAttemptTexts, toPublicContent, withoutAttemptTexts } from '../generations/to-generation.ts';
import { findStoredRequest } from '../generations/whole-request.ts';
import { operation } from '../http/operation.ts';
import type { Provider } from '../providers/provider.ts';
import { callTimelineOf } from '../stores/generations.ts';
import type { Store } from '../stores/store.ts';
import { feedbackResponseSchema } from '../wire/account.ts';
import { deletedSchema, refuseField } from '../wire/fields.ts';
import {
  exportedGenerationSchema,
  generationExportQuerySchema,
  type GenerationListQuery,
  generationListQuerySchema,
  generationListSchema,
} from '../wire/generation-list.ts';
import {
  callCourseResponseSchema,
  feedbackRequestSchema,
  generationContentResponseSchema,
  generationResponseSchema,
  reviewRequestSchema,
  reviewResponseSchema,
  streamTimelineResponseSchema,
  callTimelineResponseSchema,
  type CallTimelineReport,
} from '../wire/generation.ts';
import { storedRequestQuerySchema, storedRequestResponseSchema } from '../wire/stored-request.ts';

export interface GenerationParts extends RecordChangeParts {
  readonly platform: Platform;
  readonly wheel: TimerWheel;
  readonly timeouts: Timeouts;
  readonly store: Pick<Store, 'generations' | 'keys'>;
  readonly providers: readonly Provider[];
  readonly authenticate: AuthenticateCaller;
  readonly findKeyNames: FindKeyNames;
  readonly members: MemberDirectory;
  /** The latest generations that this process has recorded. */
  readonly generationFeed: GenerationFeed;
  readonly openCalls: Pick<OpenCalls, 'states' | 'interrupt' | 'has'>;
  readonly logger: Logger;
  readonly broadcaster: Pick<Broadcaster, 'arrivalsOf'>;
  /** Random text that identifies this gateway. */
  readonly instanceId: () => string;
  readonly closing: Pick<Closing, 'signal'>;
}

/** The query of the operations on one generation. */
const generationQuerySchema = z.object({
  id: z.string({ error: 'must be given' }).min(1, 'must have at least 1 character'),
});

/** The moment from which on no calls are missing that were dropped, for a response about a span that begins before it. */
export function toCompleteFrom(
  completeFromMs: number | undefined,
  fromMs: number,
): { readonly complete_from?: string } {
  const isWhole = completeFromMs === undefined || completeFromMs <= fromMs;
  return isWhole ? {} : { complete_from: new Date(completeFromMs).toISOString() };
}

/** The moment from which on all calls were looked at, for a response, where the store had no time for more. */
export function toSearchedFrom(...moments: readonly (number | undefined)[]): { readonly searched_from?: string } {
  const latest = Math.max(...moments.map((ms) => ms ?? Number.NEGATIVE_INFINITY));
  return Number.isFinite(latest) ? { searched_from: new Date(latest).toISOString() } : {};
}

/** `GET /generation?id=` */
export const getGeneration = operation<GenerationParts>()({
  query: generationQuerySchema,
  response: generationResponseSchema,
  errors: ['not_found'],
  async run(context) {
    const { generation } = await findReadableGeneration(context.query.id, context);
    if (context.principal.kind === 'management') return { data: generation };
    const { review: _, ...shown } = generation;
    return { data: shown };
  },
});

/** `GET /generation/content?id=` */
export const getGenerationContent = operation<GenerationParts>()({
  query: generationQuerySchema,
  response: generationContentResponseSchema,
  errors: ['not_found'],
  async run(context) {
    const { generation } = await findReadableGeneration(context.query.id, context);
    const content = await context.parts.store.generations.getContent(generation.id);
    if (content === undefined) {
      throw new GatewayError('not_found', `No content is stored for generation ${generation.id}`);
    }
    return { data: toPublicContent(content) };
  },
});

/** `GET /admin/v1/generations/{id}/request` */
export const getGenerationRequest = operation<GenerationParts>()({
  params: ['id'],
  query: storedRequestQuerySchema,
  response: storedRequestResponseSchema,
  async run(context) {
    const { generation } = await findReadableGeneration(context.params.id, context);
    const { generations } = context.parts.store;
    const isOptional = context.query.optional === 'true';
    const stored = isOptional
      ? (await generations.getContent(generation.id))?.request
      : await findStoredRequest(generation.id, generations);
    if (stored === undefined) return { data: null };
    const { routing_rule = null, preset_id, narrowed_by = null } = generation;
    return { data: { ...stored, routing_rule, preset_id, narrowed_by } };
  },
});

/** `POST /generation/feedback`: stored with the generation's record. */
export const submitGenerationFeedback = operation<GenerationParts>()({
  body: feedbackRequestSchema,
  response: feedbackResponseSchema,
  errors: ['not_found'],
  async run(context) {
    const { parts, body } = context;
    const record = await findReadableGeneration(body.generation_id, context);
    const feedback = {
      category: body.category,
      comment: body.comment ?? null,
      created_at: new Date(parts.platform.now()).toISOString(),
    };
    await changeGeneration(record, parts, (generation) => ({
      ...generation,
      feedback: [...(generation.feedback ?? []), feedback],
    }));
    return { data: { success: true } };
  },
});

/** `PUT /admin/v1/generations/{id}/review`: what the users of the gateway think of a response, in place of what was there. */
export const reviewGeneration = operation<GenerationParts>()({
  params: ['id'],
  body: reviewRequestSchema,
  response: reviewResponseSchema,
  async run(context) {
    const { parts, body } = context;
    const record = await findReadableGeneration(context.params.id, context);
    const { rating } = body;
    const note = body.note === '' ? null : body.note;
    const review =
      rating === null && note === null
        ? null
        : { rating, note, updated_at: new Date(parts.platform.now()).toISOString() };
    await changeGeneration(record, parts, ({ review: _, ...generation }) =>
      review === null ? generation : { ...generation, review },
    );
    return { data: review };
  },
});

/** `GET /admin/v1/generations`: newest first or sorted, page by page. */
export const listGenerations = operation<GenerationParts>()({
  query: generationListQuerySchema,
  response: generationListSchema,
  async run({ parts, query: asked }) {
    const { limit: _limit, cursor, id: ids, fields, sort: _sort, order: _order, ...filters } = asked;
    const isNarrowed = Object.values(filters).some((value) => value !== undefined);
    if (ids !== undefined && (isNarrowed || isSorted(asked) || cursor !== undefined))
      throw refuseField('id', 'cannot be given together with a filter, an order or a cursor');
    const { records, nextCursor, searched, searchedBackTo, searchedFromMs }: FoundPage =
      ids === undefined ? await findPage(asked, parts) : { ...(await getGenerations(ids, parts)), nextCursor: null };
    return {
      data: await Promise.all(records.map((record) => toAskedRow(record, fields, parts))),
      next_cursor: nextCursor,
      key_names: await parts.findKeyNames(new Set(records.map(({ principalId }) => principalId))),
      ...(!isNarrowed && ids === undefined && { total_estimate: await parts.store.generations.count() }),
      ...(asked.text !== undefined && { searched: { records: searched, back_to: searchedBackTo } }),
      ...toSearchedFrom(searchedFromMs),
    };
  },
});

/** Newest first, which the store can do by reading no further than a page, is no sorting. */
const isSorted = ({ sort, order }: GenerationListQuery): boolean => sort !== 'time' || order !== 'desc';

interface FoundPage extends Omit<FoundGenerations, 'next'> {
  readonly nextCursor: string | null;
  /** In sorted lists. */
  readonly searchedFromMs?: number | undefined;
}

async function findPage(asked: GenerationListQuery, parts: GenerationParts): Promise<FoundPage> {
  const { limit, cursor, text, sort, order } = asked;
  const filter = toGenerationFilter(asked, parts);
  if (!isSorted(asked)) {
    const found = await findGenerations({ filter, text, limit, before: parseCursor(cursor) }, parts);
    return { ...found, nextCursor: toCursor(found.next) };
  }
  if (text !== undefined) {
    const reason = 'text is searched from the newest call backwards';
    throw refuseField('sort', `cannot be given together with text: ${reason}`);
  }
  const after = parseSortedCursor(cursor, asked);
  const { records, next, searchedFromMs } = await parts.store.generations.sorted({ limit, sort, order, after, filter });
  return { records, nextCursor: toSortedCursor(next, asked), searched: 0, searchedBackTo: null, searchedFromMs };
}

const TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv; charset=utf-8' } as const;

/** `GET /admin/v1/generations/export`: writes all generations that match the query to a file. */
export const exportGenerations = operation<GenerationParts>()({
  query: generationExportQuerySchema,
  response: { mediaTypes: { 'application/x-ndjson': exportedGenerationSchema, 'text/csv': null } },
  responseHeaders: { 'content-disposition': 'The name of the file', 'cache-control': '`no-store`' },
  run({ request, parts, query: { format, content, text, ...query } }) {
    if (format === 'csv' && content === 'true') {
      throw refuseField('content', 'is not available in csv; ask for format=ndjson');
    }
    const filter = toGenerationFilter(query, parts);
    const { signal } = request;
    return {
      status: 200,
      headers: {
        'content-type': TYPES[format],
        'content-disposition': `attachment; filename="generations.${format}"`,
        'cache-control': 'no-store',
      },
      body: writeGenerations({ filter, text, format, withContent: content === 'true', signal }, parts),
    };
  },
});

/**
 * `GET /admin/v1/generations/{id}/timeline`: the times at which the text of a streamed completion arrived. It is
 * deleted together with the content.
 */
export const getGenerationTimeline = operation<GenerationParts>()({
  params: ['id'],
  response: streamTimelineResponseSchema,
  async run(context) {
    const { generation } = await findReadableGeneration(context.params.id, context);
    const content = await context.parts.store.generations.getContent(generation.id);
    if (content !== undefined) return { data: content.timeline ?? null };
    throw new GatewayError('not_found', `No content is stored for generation ${generation.id}`);
  },
});

/**
 * `GET /admin/v1/generations/{id}/call-timeline`: the timeline of a call, and how it was routed. The timelines are
 * deleted together with the content.
 */
export const getCallTimeline = operation<GenerationParts>()({
  params: ['id'],
  response: callTimelineResponseSchema,
  run: async (context) => ({ data: await readCallTimeline(context.params.id, context) }),
});

/** `GET /admin/v1/generations/{id}/course`: the same under its former names. */
export const getGenerationCourse = operation<GenerationParts>()({
  params: ['id'],
  response: callCourseResponseSchema,
  async run(context) {
    const { call, stream, arrivals } = await readCallTimeline(context.params.id, context);
    return { data: { course: call, timeline: stream, arrivals } };
  },
});

async function readCallTimeline(
  id: string,
  context: Parameters<typeof findReadableGeneration>[1] & { readonly parts: GenerationParts },
): Promise<CallTimelineReport> {
  const { store, broadcaster } = context.parts;
  const { generation } = await findReadableGeneration(id, context);
  const content = await store.generations.getContent(generation.id);
  return {
    call: callTimelineOf(content) ?? null,
    stream: content?.timeline ?? null,
    arrivals: await broadcaster.arrivalsOf(generation),
  };
}

/**
 * `DELETE /admin/v1/generations/{id}`: deletes the request, the completion and the messages of upstream's errors at once;
 * the rest of the record stays, because it accounts for money.
 */
export const deleteGenerationContent = operation<GenerationParts>()({
  params: ['id'],
  response: deletedSchema,
  async run(context) {
    const record = await findReadableGeneration(context.params.id, context);
    const { generation } = record;
    const isDeleted = await context.parts.store.generations.deleteContent(generation.id);
    // An error of upstream may repeat what was said. It goes where there is no content, too: a first try may have failed
    // between the two.
    const hasTexts = hasAttemptTexts(generation);
    if (hasTexts) await changeGeneration(record, context.parts, withoutAttemptTexts);
    if (isDeleted || hasTexts) return { deleted: true };
    throw new GatewayError('not_found', `No content is stored for generation ${generation.id}`);
  },
});
