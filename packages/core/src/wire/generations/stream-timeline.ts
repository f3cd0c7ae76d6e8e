import { z } from 'zod';

const integers = z.array(z.int());

/** When the text of a streamed answer came: member n of each list tells of arrival n. Ours alone. */
export const streamTimelineSchema = z.object({
  /** What came within this many milliseconds of an arrival's beginning belongs to it. */
  interval_ms: z.int(),
  /** Milliseconds since the arrival before; for the first, since the call began. */
  gaps_ms: integers,
  /** How much of `completion` came, in UTF-16 code units. */
  text: integers,
  /** How much of `reasoning` came; absent for an answer without any. */
  reasoning: integers.optional(),
});
export type StreamTimeline = z.infer<typeof streamTimelineSchema>;

/** Null for an answer that was not streamed, or is of a time before this was recorded. */
export const streamTimelineResponseSchema = z.object({ data: streamTimelineSchema.nullable() });
