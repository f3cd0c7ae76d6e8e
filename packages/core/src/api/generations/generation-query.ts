import { z } from 'zod';

/** The query of the operations on one generation. */
export const generationQuerySchema = z.object({
  id: z.string({ error: 'must be given' }).min(1, 'must have at least 1 character'),
});
