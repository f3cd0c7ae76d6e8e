import * as z from '@model-gateway/core/foundation/zod';
import { configuredRoutingRulesSchema, maxPriceSchema, sortKeySchema } from '@model-gateway/core/setup';

/** The longest a JavaScript timer can wait; a longer one fires at once. */
export const MAX_TIMER_MS = 2_147_483_647;

const limitMs = z.int().min(1).max(MAX_TIMER_MS);

/** What stands here counts; what does not can be set in the UI, so nothing has a default. */
export const accountSchema = z.strictObject({
  creditsUsd: z.number().min(0).nullish().describe('Spending limit of the whole account; null for none'),
  byok: z
    .strictObject({
      feeShare: z
        .number()
        .min(0)
        .max(1)
        .multipleOf(0.000001)
        .describe("Share of the provider's bill that calls with a workspace's own key cost here: 0.05 for 5 percent"),
    })
    .partial()
    .optional()
    .describe('Calls with provider keys of workspaces'),
  defaultModel: z.string().min(1).nullish().describe('Used when a request names no model'),
  providers: z
    .strictObject({ only: z.array(z.string()), ignore: z.array(z.string()) })
    .partial()
    .optional(),
  privacy: z.strictObject({ zdr: z.boolean(), allowTraining: z.boolean() }).partial().optional(),
  sessions: z
    .strictObject({
      maxCostUsd: z.number().gt(0).nullable().describe('USD that the calls of one session may cost together'),
      maxCalls: z.int().min(1).nullable().describe('Calls of one session'),
      maxMinutes: z.number().gt(0).nullable().describe('Minutes from the beginning of its first call'),
      maxRepeats: z.int().min(3).max(50).nullable().describe('So many times the same step of an agent is a loop'),
      action: z.enum(['warn', 'refuse']).describe('What becomes of further calls of the session'),
    })
    .partial()
    .optional()
    .describe('How far a session of an agent may go'),
});

/** For calls that do not say otherwise. As with the account, nothing has a default. */
export const routingSchema = z
  .strictObject({
    order: z.array(z.string()).describe('These providers first, in this order'),
    sort: sortKeySchema.nullable().describe('Null balances the load'),
    allowFallbacks: z.boolean().describe('Whether another endpoint is called if the first fails'),
    continueBrokenStreams: z
      .boolean()
      .describe('Whether another endpoint of the model continues a stream that breaks off, if it can'),
    automaticCacheMarks: z
      .boolean()
      .describe('Whether prompts are marked for the caches of providers where callers set no marks'),
    continueWithOtherModels: z
      .boolean()
      .describe('Whether an endpoint of another model that the request names may continue it'),
    holdStreams: z
      .boolean()
      .describe('Whether a stream is sent only when it is whole, so that a break before that begins anew elsewhere'),
    fallbackOnRefusal: z.boolean().describe('Whether another model is asked after a refusal by moderation'),
    waitForRetryAfterMs: z
      .int()
      .min(0)
      .max(60_000)
      .describe('The longest Retry-After that is waited out at an endpoint, once; 0 waits for none'),
    retriesAtEndpoint: z
      .int()
      .min(0)
      .max(2)
      .describe('How often an endpoint is asked again after 500, 502, 504 or a broken connection'),
    limitsBeforeFallback: z
      .strictObject({
        headersMs: limitMs,
        firstTokenMs: limitMs,
        idleMs: limitMs,
        nonStreamMs: limitMs,
      })
      .partial()
      .describe('Time limits in milliseconds while another endpoint is left to be asked'),
    maxPrice: maxPriceSchema.strict().describe('USD per million tokens; USD each for request, image and audio'),
    rules: configuredRoutingRulesSchema.describe('Rules that choose the model of a call; the first match applies'),
  })
  .partial();
