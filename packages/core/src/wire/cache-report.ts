import { z } from 'zod';

import { momentSchema, wholeNumber } from './fields.ts';
import { generationFilterSchema } from './generation-list.ts';

/** Why the prompt of a call was, or was not, read from the cache of its provider. */
const CACHE_CAUSES = [
  'first_call',
  'hit',
  'system_changed',
  'tools_changed',
  'tools_reordered',
  'message_changed',
  'marks_missing',
  'marks_moved',
  'expired',
  'other_endpoint',
  'other_key',
  'too_short',
  'provider',
  'unknown',
] as const;
export type CacheCause = (typeof CACHE_CAUSES)[number];

/** How long a mark keeps a prompt in its provider's cache, from its last use. */
export type CacheTtl = '5m' | '1h';

const usd = z.number().nullable();

const cacheReportSchema = z.object({
  generation_id: z.string(),
  created_at: z.string(),
  model: z.string(),
  endpoint: z.string().nullable(),
  cause: z.enum(CACHE_CAUSES),
  /** The cause in a sentence. */
  sentence: z.string(),
  /** What the caller can do; null where nothing is to be done. */
  advice: z.string().nullable(),
  /** The earlier call that this one is compared with; null without one. */
  compared_with: z.string().nullable(),
  /** Milliseconds between the beginnings of the two. */
  gap_ms: z.int().nullable(),
  /** As the provider counted them; null where it does not tell. */
  prompt_tokens: z.int().nullable(),
  read_tokens: z.int().nullable(),
  written_tokens: z.int().nullable(),
  /** What both prompts begin with. The tokens are estimated by the characters. */
  common_prefix: z.object({ characters: z.int(), tokens: z.int() }).nullable(),
  /** The first place where they differ; null where the earlier prompt goes on unchanged. */
  difference: z
    .object({
      /** In the body that was sent: `messages[3]`. */
      path: z.string(),
      role: z.string().nullable(),
      /** The words around the difference, in the earlier call and in this one. */
      before: z.string(),
      after: z.string(),
    })
    .nullable(),
  /** USD for the prompt; null where it is not known. */
  cost: usd,
  /** USD that reading from the cache has saved. */
  saved: usd,
  /** USD that reading all of the earlier prompt would have saved in addition. */
  would_have_saved: usd,
  /**
   * On wires with marks: the last place that both prompts have unchanged, and USD that a mark there in both would have
   * saved, estimated by the characters; null where it would have saved nothing.
   */
  stable_mark: z.object({ path: z.string(), would_have_saved: usd }).nullable(),
});
export type CacheReport = z.infer<typeof cacheReportSchema>;

/** The response of `GET /admin/v1/generations/{id}/cache`. */
export const cacheReportResponseSchema = z.object({ data: cacheReportSchema });

const sumsSchema = z.object({
  calls: z.int(),
  prompt_tokens: z.int(),
  read_tokens: z.int(),
  written_tokens: z.int(),
  cost: z.number(),
  saved: z.number(),
  would_have_saved: z.number(),
  /** USD of all prompts had each been marked at its end, for 5 minutes or for an hour, at the gaps between the calls. */
  marked_5m: usd,
  marked_1h: usd,
});
export type CacheSums = z.infer<typeof sumsSchema>;

/** The query of `GET /admin/v1/generations/sessions/cache`. */
export const sessionCacheQuerySchema = z.strictObject({
  session_id: z.string({ error: 'must be given' }).min(1, 'must have at least 1 character'),
});

const searchedFromSchema = z.string().optional();

export const sessionCacheResponseSchema = z.object({
  /** Oldest first. */
  data: z.array(cacheReportSchema),
  sums: sumsSchema,
  /** Where the session has more calls than are looked at: the moment from which on all are in. Absent otherwise. */
  searched_from: searchedFromSchema,
});

/** The query of `GET /admin/v1/generations/cache-causes`; by default the last 24 hours. */
export const cacheCausesQuerySchema = z.strictObject({
  from: momentSchema.optional(),
  to: momentSchema.optional(),
  /** Parts of the span, all as long. */
  buckets: wholeNumber(1, 200).default(24),
});

export const cacheCausesResponseSchema = z.object({
  from: z.string(),
  to: z.string(),
  /** What would have saved most comes first. */
  data: z.array(
    z.object({
      cause: z.enum(CACHE_CAUSES),
      /** The address or name of the app; null for none. */
      app: z.string().nullable(),
      calls: z.int(),
      prompt_tokens: z.int(),
      read_tokens: z.int(),
      saved: z.number(),
      would_have_saved: z.number(),
      /** Ids of the latest calls of the row, at most 3, the latest first. */
      examples: z.array(z.string()),
    }),
  ),
  /** Milliseconds of a part of the span; the last may be cut. */
  bucket_ms: z.int(),
  /** The same by part of the span, oldest first; where nothing was called there is no row. */
  timeline: z.array(
    z.object({
      /** When the part begins. */
      start: z.string(),
      cause: z.enum(CACHE_CAUSES),
      app: z.string().nullable(),
      calls: z.int(),
      would_have_saved: z.number(),
    }),
  ),
  /** Calls that were looked at. */
  calls: z.int(),
  searched_from: searchedFromSchema,
});
export type CacheCausePart = z.infer<typeof cacheCausesResponseSchema>['timeline'][number];
export type CacheCauseRow = z.infer<typeof cacheCausesResponseSchema>['data'][number];

const marksSums = {
  calls: z.int(),
  prompt_tokens: z.int(),
  read_tokens: z.int(),
  would_have_read: z.int(),
  would_have_written: z.int(),
  /** USD of the prompts, as they were and with marks; below 0 saved where marks would have cost more. */
  cost: z.number(),
  would_have_cost: z.number(),
  would_have_saved: z.number(),
};

/** The query of `GET /admin/v1/generations/cache-marks`; by default the last 24 hours. */
export const cacheMarksQuerySchema = generationFilterSchema;

export const cacheMarksResponseSchema = z.object({
  from: z.string(),
  to: z.string(),
  /** Whether marks are set automatically now, in workspaces that do not say. */
  enabled: z.boolean(),
  /** Calls that were looked at, and those that would have been marked. */
  calls: z.int(),
  marked_calls: z.int(),
  sums: z.object(marksSums),
  /** The address or name of the app; null for none. What would have saved most comes first, here and below. */
  apps: z.array(z.object({ app: z.string().nullable(), ...marksSums })),
  models: z.array(z.object({ model: z.string(), ...marksSums })),
  /** With whether marks are set in each now; false for one that has been deleted. */
  workspaces: z.array(z.object({ workspace_id: z.string(), enabled: z.boolean(), ...marksSums })),
  /** The first 50 of those in which something would have changed. */
  sessions: z.array(z.object({ session_id: z.string(), ...marksSums })),
  searched_from: searchedFromSchema,
});
export type CacheMarksDryRun = z.infer<typeof cacheMarksResponseSchema>;
