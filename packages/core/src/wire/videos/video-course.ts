import { z } from 'zod';

import { callCourseSchema } from '../generations/call-course.ts';
import { mediaInputSchema } from '../generations/generation.ts';
import { routingDecisionSchema } from '../generations/routing-decision.ts';
import { ENDED_STATUSES, OPEN_STATUSES } from './video-status.ts';

const pollSchema = z.object({
  at_ms: z.int(),
  took_ms: z.int(),
  /** The poll itself failed, which says nothing about the job. */
  has_failed: z.boolean().optional(),
  /** What upstream said; absent in jobs of former versions, and where it said nothing. */
  status: z.enum([...OPEN_STATUSES, ...ENDED_STATUSES]).optional(),
});
export type VideoPoll = z.infer<typeof pollSchema>;

const announcementSchema = z.object({
  at_ms: z.int(),
  took_ms: z.int(),
  /** In a few words, without addresses. */
  result: z.string(),
  has_arrived: z.boolean(),
});
export type VideoAnnouncement = z.infer<typeof announcementSchema>;

/** What the time of a video job went to, in milliseconds since its `created_at`. */
export const videoCourseSchema = z.object({
  before_ms: callCourseSchema.shape.before_ms.optional(),
  /** When each provider was asked, in the order of the generation's `provider_responses`. */
  attempts_ms: z.array(z.int()),
  /** When upstream had taken the job; absent while it has not. */
  accepted_ms: z.int().optional(),
  /** The first 20 and the last 40. */
  polls: z.array(pollSchema),
  /** How many there were. */
  poll_count: z.int(),
  /** Changes of the status as they were seen, after `pending`. */
  statuses: z.array(z.object({ status: z.enum([...OPEN_STATUSES, ...ENDED_STATUSES]), at_ms: z.int() })),
  /** Attempts to deliver the webhook, at most the last 20. */
  announcements: z.array(announcementSchema),
  /** Absent where contents are not stored, and where only one endpoint was there. */
  decision: routingDecisionSchema.optional(),
});
export type VideoCourse = z.infer<typeof videoCourseSchema>;

const inputSchema = z.object({
  type: z.enum(['image', 'audio', 'video']),
  /** `first_frame` or `last_frame`; null for a reference. */
  frame: z.string().nullable(),
  /** Its address, or the beginning of its data. */
  origin: z.string(),
});

/** `GET /admin/v1/videos/{jobId}/inputs`. */
export const videoInputsResponseSchema = z.object({ data: z.array(mediaInputSchema) });

/** `GET /admin/v1/videos/{jobId}`. */
export const videoDetailResponseSchema = z.object({
  data: z.object({
    id: z.string(),
    /** Null for a job of a former version. */
    course: videoCourseSchema.nullable(),
    /** While the job is open, if contents are stored; then it is read with the generation. */
    prompt: z.string().nullable(),
    /** The same. */
    inputs: z.array(inputSchema),
  }),
});
export type VideoDetail = z.infer<typeof videoDetailResponseSchema>['data'];
