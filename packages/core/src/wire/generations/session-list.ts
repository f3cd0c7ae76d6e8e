import { z } from 'zod';

import { wholeNumber } from '../page-query.ts';
import { filterShape, searchedFromSchema } from './generation-list.ts';

/** The query of `GET /admin/v1/generations/sessions`: the filters of lists, of which one call of a session has to match. */
export const sessionListQuerySchema = z.strictObject({
  ...filterShape,
  limit: wholeNumber(1, 100).default(50),
  /** `next_cursor` of the page before. */
  cursor: z.string().max(2000).optional(),
});

/** Calls with the same session id, added up. */
const sessionSchema = z.object({
  session_id: z.string(),
  first_generation_id: z.string(),
  /** The beginning of what the user said in the first call; null where it is not stored. */
  first_prompt: z.string().nullable(),
  started_at: z.string(),
  /** When its latest call began. */
  last_call_at: z.string(),
  ended_at: z.string(),
  requests: z.int(),
  /** Number of its calls that the filters match. */
  matching: z.int(),
  failed: z.int(),
  cancelled: z.int(),
  interrupted: z.int(),
  /** USD. */
  cost: z.number(),
  /** Whether the cost of every call is known. */
  cost_known: z.boolean(),
  /** Those with the most calls first. */
  models: z.array(z.string()),
  key_hashes: z.array(z.string()),
});
export type SessionRow = z.infer<typeof sessionSchema>;

export const sessionListSchema = z.object({
  /** The one with the latest call first. */
  data: z.array(sessionSchema),
  next_cursor: z.string().nullable(),
  /** Names of the keys in `data`, by their hashes. */
  key_names: z.record(z.string(), z.string()),
  searched_from: searchedFromSchema,
});
export type SessionList = z.infer<typeof sessionListSchema>;
