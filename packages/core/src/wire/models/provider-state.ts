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
      /**
       * The models of its list that are not served: beyond the limit of 20,000, with names of more than 256 characters, or
       * with names that cannot stand in an address. Null for none.
       */
      models_left_out: z.object({ surplus: count, long_names: count, unfit_names: count }).nullable(),
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

/** Whether the findings of a test are sent as they come. */
export const streamsFindings = z
  .boolean()
  .default(false)
  .describe('Lines of JSON: `{ "finding": … }` for each layer as it comes, and last the whole response');

/** The body of `POST /admin/v1/providers/{slug}/test`. Closed. */
export const providerTestRequestSchema = z.strictObject({
  /** Makes one call of a few tokens, too. */
  call: z.boolean().default(false),
  stream: streamsFindings,
});

/** What was found of one layer between the gateway and a provider. */
export const layerFindingSchema = z.object({
  layer: z.string(),
  status: z.enum(['ok', 'warning', 'failed', 'skipped']),
  detail: z.string(),
  advice: z.string().optional(),
  /** How long it took; absent where nothing was waited for. */
  duration_ms: z.int().optional(),
});
export type LayerFinding = z.infer<typeof layerFindingSchema>;

/** The line of a streamed test that tells of one layer. */
export const findingLineSchema = z.object({ finding: layerFindingSchema });

export const providerTestResultSchema = z.object({
  data: z.object({ slug: z.string(), ok: z.boolean(), findings: z.array(layerFindingSchema) }),
});
export type ProviderTestResult = z.infer<typeof providerTestResultSchema>;
