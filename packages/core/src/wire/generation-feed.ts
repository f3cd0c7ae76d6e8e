import { z } from 'zod';

import { generationRowSchema } from './generation-list.ts';
import { generationSchema } from './generation.ts';
import { videoResponseSchema } from './videos.ts';

const videoEventSchema = videoResponseSchema.extend({
  model: z.string(),
  /** Hash of the key that started the job. */
  key_hash: z.string(),
});
export type VideoEvent = z.infer<typeof videoEventSchema>;

/** An event of `GET /admin/v1/generations/feed`. */
export const generationFeedEventSchema = z
  .union([
    /** Whole rows, unless `fields` selects a part. */
    z.object({ id: z.string(), event: z.literal('generation'), data: generationRowSchema.partial() }),
    z.object({ id: z.string(), event: z.literal('video'), data: videoEventSchema }),
    /** `reset`: events were missed. Without a name: a generation that is no longer stored. */
    z.object({ id: z.string(), event: z.literal('reset').optional(), data: z.object({}) }),
  ])
  .describe('One server-sent event.');

const nullableString = z.string().nullable();

/** A call that has not ended, with what it has used so far. */
const runningCallSchema = z.object({
  /** Id of the generation that it becomes. */
  id: z.string(),
  created_at: z.string(),
  elapsed_ms: z.int(),
  /** The one that is asked, or else the first that was requested. */
  model: z.string(),
  /** The provider that is asked or responds, or was asked last. Null while none was asked. */
  provider_name: nullableString,
  api_type: generationSchema.shape.api_type,
  streamed: z.boolean(),
  /** `waiting`: no provider is asked right now. `asked`: one is. `responding`: the completion has begun. */
  state: z.enum(['waiting', 'asked', 'responding']),
  /** Endpoints that were asked, the present one included. */
  attempts: z.int(),
  key_hash: z.string(),
  user_id: nullableString,
  workspace_id: z.string(),
  session_id: nullableString,
  http_referer: nullableString,
  user_agent: nullableString,
  external_user: nullableString,
  /** Estimates, where upstream has not counted yet. Null where nothing is known. */
  tokens_prompt: z.int().nullable(),
  tokens_completion: z.int().nullable(),
  /** USD charged up to now: with an own provider key the fee. Null where a price is missing, or nothing is known. */
  cost: z.number().nullable(),
});
export type RunningCallRow = z.infer<typeof runningCallSchema>;

export const runningCallListSchema = z.object({
  /** At most 200. */
  data: z.array(runningCallSchema),
  total_count: z.int(),
  /** The names of their keys, by hash. */
  key_names: z.record(z.string(), z.string()),
});

export const cancelledSchema = z.object({ cancelled: z.literal(true) });
