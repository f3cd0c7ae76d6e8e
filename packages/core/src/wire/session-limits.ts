import { z } from 'zod';

const costLimit = z.number().gt(0).max(1_000_000).nullable();
const callLimit = z.int().min(1).max(1_000_000).nullable();
const minuteLimit = z.number().gt(0).max(1_000_000).nullable();
/** Two of the same are no loop yet: a person, too, tries a thing again. */
const repeatLimit = z.int().min(3).max(50).nullable();

/** How far a session may go. Null is no limit. */
export const sessionLimitsSchema = z.object({
  /** USD that the recorded calls of the session have cost together. */
  max_cost_usd: costLimit,
  max_calls: callLimit,
  /** From the beginning of its first call. */
  max_minutes: minuteLimit,
  /** So many times the same step one after the other, or the same two to four steps, is a loop. */
  max_repeats: repeatLimit,
  /** What becomes of further calls: they go on with a notice, or they are refused. */
  action: z.enum(['warn', 'refuse']),
});
export type SessionLimits = z.infer<typeof sessionLimitsSchema>;

/** Why a session is stopped. */
export const sessionStopReasonSchema = z.enum(['cost', 'calls', 'minutes', 'loop']);
export type SessionStopReason = z.infer<typeof sessionStopReasonSchema>;

/** A session that has reached a limit. */
export const stoppedSessionSchema = z.object({
  session_id: z.string(),
  workspace_id: z.string(),
  reason: sessionStopReasonSchema,
  /** The limit in words. */
  message: z.string(),
  action: sessionLimitsSchema.shape.action,
  at: z.string(),
  cost_usd: z.number(),
  calls: z.int(),
  /** When a person let it go on; its limits count from there. */
  allowed_at: z.string().nullable(),
});
export type StoppedSession = z.infer<typeof stoppedSessionSchema>;

/** The response of `GET /admin/v1/session-limits`: the limits in force, and what has reached one, the latest first. */
export const sessionLimitsResponseSchema = z.object({
  limits: sessionLimitsSchema,
  data: z.array(stoppedSessionSchema),
});

/** The body of `POST /admin/v1/session-limits/allow`. Closed. */
export const allowSessionRequestSchema = z.strictObject({
  session_id: z.string().min(1).max(256),
  workspace_id: z.string().min(1).max(100),
});
export const allowSessionResponseSchema = z.object({ data: stoppedSessionSchema });

/** The body of `POST /admin/v1/session-limits/trial`: limits to try on past sessions. Closed. */
export const sessionTrialRequestSchema = z.strictObject({
  max_cost_usd: costLimit.default(null),
  max_calls: callLimit.default(null),
  max_minutes: minuteLimit.default(null),
  max_repeats: repeatLimit.default(null),
  /** Calls of the last so many days. */
  days: z.int().min(1).max(90).default(7),
});

/** What limits would have done to past sessions. Nothing is sent. */
export const sessionTrialSchema = z.object({
  from: z.string(),
  /** Sessions and calls that were looked at, and what the calls cost. */
  sessions: z.int(),
  calls: z.int(),
  cost_usd: z.number(),
  /** Sessions whose contents are not stored, in which no loop can be found. */
  without_contents: z.int(),
  /** The sessions that would have been stopped, the ones with the highest saving first. */
  data: z.array(
    z.object({
      session_id: z.string(),
      reason: sessionStopReasonSchema,
      message: z.string(),
      calls: z.int(),
      cost_usd: z.number(),
      /** The first call, counted from 1, that would have been refused. */
      stopped_at_call: z.int(),
      /** Cost of that call and all after it. */
      saved_usd: z.number(),
    }),
  ),
  saved_usd: z.number(),
  /** Begins later than asked for: calls before it were not looked at. Absent where all were. */
  searched_from: z.string().optional(),
});
export const sessionTrialResponseSchema = z.object({ data: sessionTrialSchema });
export type SessionTrial = z.infer<typeof sessionTrialSchema>;
