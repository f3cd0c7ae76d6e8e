import { z } from 'zod';

import { routingDecisionSchema } from './routing-decision.ts';
import { streamTimelineSchema } from './stream-timeline.ts';

const courseStepSchema = z.object({
  /** `stage`: something around the completion; `tool`: a tool that the gateway ran; `budget`: money was held. */
  kind: z.enum(['budget', 'stage', 'tool']),
  name: z.string(),
  /** Milliseconds since `created_at` of the record. */
  at_ms: z.int(),
  took_ms: z.int(),
  has_failed: z.boolean().optional(),
});
export type CourseStep = z.infer<typeof courseStepSchema>;

/**
 * What the time of a call went to, beside what its record says. The record begins (`created_at`) when the call has been
 * admitted. The gateway's own.
 */
export const callCourseSchema = z.object({
  /** Milliseconds of the steps before that, one after the other. */
  before_ms: z.object({
    /** Reading and checking the request. */
    request: z.int(),
    /** Looking up the caller's rules, input filters and moderation. */
    guardrails: z.int(),
    routing: z.int(),
    rate_limits: z.int(),
  }),
  /** When each of `provider_responses` was called, in milliseconds since `created_at`. */
  attempts_ms: z.array(z.int()),
  /** In order of their beginning; absent without any. */
  steps: z.array(courseStepSchema).optional(),
  /** Absent where only one endpoint was there. */
  decision: routingDecisionSchema.optional(),
});
export type CallCourse = z.infer<typeof callCourseSchema>;

/** A request that brought a generation to a destination, or was to. */
const arrivalSchema = z.object({
  destination_id: z.string(),
  /** When it began. */
  sent_at: z.string(),
  took_ms: z.int(),
  has_arrived: z.boolean(),
  /** In a few words, without addresses. */
  result: z.string(),
});
export type DestinationArrival = z.infer<typeof arrivalSchema>;

export const callCourseResponseSchema = z.object({
  data: z.object({
    /** Null when no content is stored, or it is from before this was recorded, or of another kind of call. */
    course: callCourseSchema.nullable(),
    /** Null for an unstreamed completion, and as above. */
    timeline: streamTimelineSchema.nullable(),
    /** Oldest first; those that are still to come are listed with the destinations. */
    arrivals: z.array(arrivalSchema),
  }),
});
export type CallCourseReport = z.infer<typeof callCourseResponseSchema>['data'];
