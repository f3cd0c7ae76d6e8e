import { z } from 'zod';

/** One line of the file of a batch. */
export const batchLineSchema = z.object({
  custom_id: z.string().min(1).max(256),
  method: z.literal('POST').optional(),
  url: z.string(),
  body: z.record(z.string(), z.unknown()),
});
export type BatchLine = z.infer<typeof batchLineSchema>;
