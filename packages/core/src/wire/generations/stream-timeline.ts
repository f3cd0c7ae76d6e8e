import { z } from 'zod';

const integers = z.array(z.int());

/**
 * The times at which the text of a streamed completion arrived: member n of each list belongs to arrival n. The
 * gateway's own.
 */
export const streamTimelineSchema = z.object({
  /** Text that came within this many milliseconds of an arrival's beginning belongs to it. */
  interval_ms: z.int(),
  /** Milliseconds since the arrival before; for the first, since the call began. */
  gaps_ms: integers,
  /** Length of `completion` in each arrival, in UTF-16 code units. */
  text: integers,
  /** Length of `reasoning` in each arrival; absent for a completion without any. */
  reasoning: integers.optional(),
});
export type StreamTimeline = z.infer<typeof streamTimelineSchema>;

/** Null for an unstreamed completion, or one from before this was recorded. */
export const streamTimelineResponseSchema = z.object({ data: streamTimelineSchema.nullable() });
