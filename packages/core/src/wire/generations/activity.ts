import { z } from 'zod';

/** The activity of one endpoint on one day, as `GET /activity` lists it. Costs are USD. */
export const activityItemSchema = z.object({
  /** The day in UTC, `YYYY-MM-DD`. */
  date: z.string(),
  model: z.string(),
  model_permaslug: z.string(),
  endpoint_id: z.string(),
  provider_name: z.string(),
  requests: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  reasoning_tokens: z.int(),
  usage: z.number(),
  byok_usage_inference: z.number(),
  /** Only when grouped by workspace. */
  workspace_id: z.string().optional(),
});
export type ActivityItem = z.infer<typeof activityItemSchema>;

/** The query of `GET /activity`. */
export const activityQuerySchema = z.object({
  date: z.iso.date('must be a day like 2026-03-01').optional(),
  api_key_hash: z.string().optional(),
  user_id: z.string().optional(),
  workspace_id: z.string().optional(),
  group_by: z.literal('workspace').optional(),
});

export type ActivityQuery = z.infer<typeof activityQuerySchema>;

export const activityListSchema = z.object({
  data: z.array(activityItemSchema),
  /** From then on no calls are missing; retention has dropped some before. Absent where that was before the first day. */
  complete_from: z.string().optional(),
});
