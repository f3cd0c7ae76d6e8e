import { z } from 'zod';

/** Made-up records that a demo begins with. */
const sampleDataSchema = z.object({
  generations: z.int(),
  /** When the first of them begins. ISO 8601. */
  from: z.string(),
});
export type SampleDataState = z.infer<typeof sampleDataSchema>;

/** Null when there are none, or none any more. */
export const sampleDataResponseSchema = z.object({ data: sampleDataSchema.nullable() });
export const sampleDataDeletedSchema = z.object({ deleted: z.literal(true) });
