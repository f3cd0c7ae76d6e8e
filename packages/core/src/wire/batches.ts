import { z } from 'zod';

import { pageQuerySchema, wholeNumber } from './fields.ts';

/** What the lines of a batch are calls to, as OpenAI names them. */
export const BATCH_ENDPOINTS = [
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/messages',
  '/v1/responses',
] as const;
export type BatchEndpoint = (typeof BATCH_ENDPOINTS)[number];

const BATCH_STATUSES = [
  'validating',
  'failed',
  'in_progress',
  'finalizing',
  'completed',
  'expired',
  'cancelling',
  'cancelled',
] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

const endpointSchema = z.preprocess(
  (endpoint) => (typeof endpoint === 'string' ? `/v1/${endpoint.replace(/^\/?(?:api\/)?(?:v1\/)?/, '')}` : endpoint),
  z.enum(BATCH_ENDPOINTS),
);

export const createBatchRequestSchema = z.strictObject({
  input_file_id: z.string(),
  endpoint: endpointSchema,
  completion_window: z.literal('24h').default('24h'),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
});

export const createInlineBatchRequestSchema = z.strictObject({
  endpoint: endpointSchema,
  /** For the lines that name no model. */
  model: z.string().optional(),
  requests: z
    .array(z.strictObject({ custom_id: z.string().min(1).max(256), body: z.record(z.string(), z.unknown()) }))
    .min(1)
    .max(10_000),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
});

export const batchListQuerySchema = z.object({
  after: z.string().optional(),
  limit: wholeNumber(1, 100).default(20),
});

const time = z.int().nullable();

export const batchSchema = z.object({
  id: z.string(),
  object: z.literal('batch'),
  endpoint: z.string(),
  errors: z
    .object({
      object: z.literal('list'),
      data: z.array(
        z.object({ code: z.string(), message: z.string(), line: z.int().nullable(), param: z.string().nullable() }),
      ),
    })
    .nullable(),
  input_file_id: z.string(),
  completion_window: z.literal('24h'),
  status: z.enum(BATCH_STATUSES),
  output_file_id: z.string().nullable(),
  error_file_id: z.string().nullable(),
  created_at: z.int(),
  in_progress_at: time,
  expires_at: z.int(),
  finalizing_at: time,
  completed_at: time,
  failed_at: time,
  expired_at: time,
  cancelling_at: time,
  cancelled_at: time,
  request_counts: z.object({ total: z.int(), completed: z.int(), failed: z.int() }),
  metadata: z.record(z.string(), z.string()).nullable(),
  /** USD of all lines so far. */
  cost: z.number(),
});

const batchResultSchema = z.object({
  id: z.string(),
  custom_id: z.string(),
  response: z.object({ status_code: z.int(), request_id: z.string(), body: z.unknown() }).nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
});

/** With the results of all lines, once the batch has ended. */
export const inlineBatchSchema = batchSchema.extend({ results: z.array(batchResultSchema).nullable() });

export const batchListSchema = z.object({
  object: z.literal('list'),
  data: z.array(batchSchema),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
});

/** The query of `GET /admin/v1/batches`: each member narrows the list. */
export const batchRowListQuerySchema = pageQuerySchema.extend({
  workspace_id: z.string().optional(),
  key_hash: z.string().optional(),
  /** `open`: any that has not ended. */
  status: z.enum([...BATCH_STATUSES, 'open']).optional(),
});

/** A batch as management sees it. */
const batchRowSchema = batchSchema.extend({
  workspace_id: z.string(),
  /** The hash of the key that its calls are made as. */
  key_hash: z.string(),
  key_name: z.string(),
});

export const batchRowListSchema = z.object({ data: z.array(batchRowSchema), total_count: z.int() });
export const batchRowResponseSchema = z.object({ data: batchRowSchema });

export type BatchRow = z.infer<typeof batchRowSchema>;
export type BatchRowList = z.infer<typeof batchRowListSchema>;
export type Batch = z.infer<typeof batchSchema>;
export type BatchResult = z.infer<typeof batchResultSchema>;
