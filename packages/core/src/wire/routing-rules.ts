import { z } from 'zod';

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

function refuseSameNames(rules: readonly { readonly name: string }[], context: z.RefinementCtx): void {
  for (const [at, { name: named }] of rules.entries()) {
    if (rules.findIndex((other) => other.name === named) === at) continue;
    context.addIssue({ code: 'custom', path: [at, 'name'], message: 'must be the name of one rule alone' });
  }
}
