import { z } from 'zod';

import { modelEndpointSchema } from './models.ts';
import { KEY_STATES } from './providers.ts';

/**
 * The formats of a chat call, by the last word of their paths: `chat` is `POST /chat/completions`, and those of Ollama
 * are `POST /api/chat` and `POST /api/generate`; `gemini` is `POST /v1beta/models/{model}:generateContent`.
 */
export const FORMATS = [
  'chat',
  'messages',
  'responses',
  'completions',
  'ollama-chat',
  'ollama-generate',
  'gemini',
] as const;
export type FormatName = (typeof FORMATS)[number];

const name = z.string().min(1).max(200);
const patterns = z.array(name).min(1).max(100);

/** The conditions of a rule by their names here. All that are given have to hold. */
const routingConditionsSchema = z
  .strictObject({
    /** Models as they are asked for; `*` is any text. */
    models: patterns.describe('Requested models; * matches any text'),
    /** Whether it is a small task that an agent does beside its work. */
    background: z.boolean().describe('Small background tasks of an agent'),
    /** Whether reasoning is asked for. */
    thinking: z.boolean().describe('Whether reasoning is requested'),
    /** Estimated tokens of the prompt, tools included. */
    min_prompt_tokens: z.int().min(1).describe('Estimated tokens of the prompt, tools included'),
    has_images: z.boolean().describe('Whether the prompt has images'),
    has_tools: z.boolean().describe('Whether the request has tools'),
    min_tools: z.int().min(1).describe('Minimum number of tools in the request'),
    /** Whether an agent that another one has started makes the call. */
    sub_agent: z.boolean().describe('Whether a sub-agent makes the call'),
    kind: z.literal('chat').describe('The kind of the call; rules apply to chats only'),
    formats: z.array(z.enum(FORMATS)).min(1).describe('The API format of the call'),
    doors: z.array(z.enum(FORMATS)).min(1).describe('Former name of formats'),
    /** Names or hashes of keys. */
    keys: z.array(name).min(1).max(100).describe('Names or hashes of keys to which the rule applies'),
    except_keys: z.array(name).min(1).max(100).describe('Names or hashes of keys to which the rule does not apply'),
    /** Patterns for the address of the application, or its user agent. */
    apps: patterns.describe('Addresses (HTTP-Referer) or user agents of applications; * matches any text'),
  })
  .partial();
export type RoutingConditions = z.infer<typeof routingConditionsSchema>;

/** A rule that chooses the model of a chat call by what the call is. */
const routingRuleSchema = z.strictObject({
  name: z.string().min(1).max(100),
  /** Without any condition it holds for every call. */
  when: routingConditionsSchema,
  /** Takes the place of the models that the call asks for. */
  model: name,
  /** Those that are tried after it. */
  models: z.array(name).max(3).optional(),
});
export type RoutingRule = z.infer<typeof routingRuleSchema>;

const MAX_RULES = 100;

/** Rules in the order in which they are tried. */
export const routingRulesSchema = z.array(routingRuleSchema).max(MAX_RULES).superRefine(refuseSameNames);

const {
  min_prompt_tokens: minPromptTokens,
  has_images: hasImages,
  has_tools: hasTools,
  min_tools: minTools,
  sub_agent: subAgent,
  except_keys: exceptKeys,
  ...sameNames
} = routingConditionsSchema.shape;

/** A rule in the words of the configuration. */
const configuredRoutingRuleSchema = routingRuleSchema.extend({
  when: z
    .strictObject({ ...sameNames, minPromptTokens, hasImages, hasTools, minTools, subAgent, exceptKeys })
    .partial(),
});
export type ConfiguredRoutingRule = z.infer<typeof configuredRoutingRuleSchema>;

export const configuredRoutingRulesSchema = z
  .array(configuredRoutingRuleSchema)
  .max(MAX_RULES)
  .superRefine(refuseSameNames);

/** Converts a rule of the configuration to its form on the wire. */
export function toRoutingRule({ when, ...rule }: ConfiguredRoutingRule): RoutingRule {
  const {
    minPromptTokens: min_prompt_tokens,
    hasImages: has_images,
    hasTools: has_tools,
    minTools: min_tools,
    subAgent: sub_agent,
    exceptKeys: except_keys,
    ...same
  } = when;
  const renamed = { min_prompt_tokens, has_images, has_tools, min_tools, sub_agent, except_keys };
  const given = Object.entries(renamed).filter(([, value]) => value !== undefined);
  return { ...rule, when: { ...same, ...Object.fromEntries(given) } };
}

function refuseSameNames(rules: readonly { readonly name: string }[], context: z.RefinementCtx): void {
  for (const [at, { name: named }] of rules.entries()) {
    if (rules.findIndex((other) => other.name === named) === at) continue;
    context.addIssue({ code: 'custom', path: [at, 'name'], message: 'must be the name of one rule alone' });
  }
}

const healthFields = modelEndpointSchema.pick({
  status: true,
  uptime_last_5m: true,
  uptime_last_30m: true,
  uptime_last_1d: true,
  latency_last_30m: true,
  throughput_last_30m: true,
});

/** The response of `POST /admin/v1/explain` for one endpoint. */
const endpointExplanationSchema = z.object({
  /** Slug, with the tag where there is one. */
  provider: z.string(),
  provider_name: z.string(),
  model: z.string(),
  /** The provider's own name of the model. */
  provider_model: z.string(),
  /** The caller's own key, by its name; absent where the gateway's is used. */
  key: z.string().optional(),
  included: z.boolean(),
  /** 1 is called first. Null when excluded. */
  rank: z.int().nullable(),
  /** The field that excludes it; null when included. */
  rule: z.string().nullable(),
  /** The guardrail whose field that is. */
  guardrail_id: z.string().nullable(),
  /** USD a token; `compared` is the blend that decides the order. Null when not known. */
  price: z.object({
    prompt: z.string().nullable(),
    completion: z.string().nullable(),
    compared: z.number().nullable(),
  }),
  /** Where its provider has several keys: which one the call would be sent with, and why. */
  keys: z
    .array(
      z.object({
        name: z.string(),
        weight: z.number(),
        state: z.enum(KEY_STATES),
        chosen: z.boolean(),
        /** Of the chosen one: no other can be used, the session or user leads to it, it was drawn, or all are disabled. */
        reason: z.enum(['only', 'sticky', 'weight', 'last_resort']).optional(),
      }),
    )
    .optional(),
  /** Whether it can continue a completion that has broken off elsewhere. */
  takes_prefill: z.boolean(),
  health: healthFields.extend({
    state: z.enum(['steady', 'half-open', 'unstable', 'resting', 'failing', 'open']),
    /** Former name of `state`. */
    standing: z.enum(['steady', 'half-open', 'unstable', 'resting', 'failing', 'open']),
  }),
});
export type EndpointExplanation = z.infer<typeof endpointExplanationSchema>;

/** One rule of the account, in the order in which they are tried. */
const ruleExplanationSchema = z.object({
  name: z.string(),
  model: z.string(),
  /** `not_reached`: another rule before it is applied. */
  outcome: z.enum(['applied', 'not_met', 'unknown_model', 'not_reached']),
  /** The first condition that does not hold, where one does not. */
  condition: z.string().nullable(),
});

/** How a chat request would be routed now. */
export const routingExplanationSchema = z.object({
  requested: z.string(),
  strategy: z.string(),
  /** The rule that chooses the model, and the model that the request names; absent without any. */
  routing_rule: z.string().optional(),
  requested_model: z.string().optional(),
  /** All rules; absent without any. */
  rules: z.array(ruleExplanationSchema).optional(),
  region: z.string().nullable(),
  models: z.array(z.string()),
  /** Names of providers in the request that no provider has, and no gateway upstream gets. */
  unknown_providers: z.array(z.string()),
  /** Included ones by rank, then the excluded. */
  endpoints: z.array(endpointExplanationSchema),
  /** What would happen after a failure: what the request says, else the settings. */
  failover: z
    .object({
      wait_for_retry_after_ms: z.int(),
      retries_at_endpoint: z.int(),
      /** In milliseconds, while another endpoint is left; absent where the limits of every call hold. */
      limits_before_fallback: z
        .object({
          headers_ms: z.number().optional(),
          first_token_ms: z.number().optional(),
          idle_ms: z.number().optional(),
          non_stream_ms: z.number().optional(),
        })
        .optional(),
      fallback_on_refusal: z.boolean(),
      continue_broken_streams: z.boolean(),
      continue_with_other_models: z.boolean(),
      hold_stream: z.boolean(),
    })
    .optional(),
});
export type RoutingExplanation = z.infer<typeof routingExplanationSchema>;
