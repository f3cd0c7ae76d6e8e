import { z } from 'zod';

const endpointSchema = { provider: z.string(), model: z.string() };

/** The routing of a request, for callers that request it by a header (wire.md 12). */
export const routingMetadataSchema = z.object({
  requested: z.string(),
  strategy: z.string(),
  region: z.string().nullable(),
  summary: z.string(),
  /** The number of the attempt that succeeded, or of the last. */
  attempt: z.int(),
  is_byok: z.boolean(),
  endpoints: z.object({
    total: z.int(),
    available: z.array(z.object({ ...endpointSchema, selected: z.boolean() })),
  }),
  /** Absent when no endpoint was called. */
  attempts: z.array(z.object({ ...endpointSchema, status: z.int() })).optional(),
  /** Milliseconds. */
  generation_time: z.number().optional(),
  /** The other effects on the request. */
  pipeline: z.array(z.looseObject({ type: z.string(), name: z.string() })).optional(),
});
