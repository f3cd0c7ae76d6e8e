import { z } from 'zod';

const count = z.int();

export const providerStateListSchema = z.object({
  data: z.array(
    z.object({
      slug: z.string(),
      name: z.string(),
      /** Null where the host does not report it. */
      host: z.string().nullable(),
      has_key: z.boolean().nullable(),
      byok: z.boolean(),
      discovers_models: z.boolean(),
      models: count,
      health: z.object({
        /** `down` when every endpoint that was called before is `open`, `half_open` or `failing`. */
        status: z.enum(['unknown', 'ok', 'degraded', 'down']),
        endpoints: z.object({
          steady: count,
          unstable: count,
          resting: count,
          /** The last call failed, and none of the last half hour succeeded. */
          failing: count,
          half_open: count,
          open: count,
          unused: count,
        }),
      }),
      can_test: z.boolean(),
    }),
  ),
});

export type ProviderStateList = z.infer<typeof providerStateListSchema>;

/** The body of `POST /admin/v1/providers/{slug}/test`. Closed. */
export const providerTestRequestSchema = z.strictObject({
  /** Makes one call of a few tokens, too. */
  call: z.boolean().default(false),
});

export const providerTestResultSchema = z.object({
  data: z.object({
    slug: z.string(),
    ok: z.boolean(),
    findings: z.array(
      z.object({
        layer: z.string(),
        status: z.enum(['ok', 'warning', 'failed', 'skipped']),
        detail: z.string(),
        advice: z.string().optional(),
      }),
    ),
  }),
});
export type ProviderTestResult = z.infer<typeof providerTestResultSchema>;
