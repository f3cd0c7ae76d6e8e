import { isRecord, type Unchecked } from '../../../foundation/parse.ts';
import { isReasoningSupported, isSupported } from '../../../wire/chat-parameters.ts';
import type { ChatCompletionRequest } from '../../../wire/chat-request.ts';
import { refuseField } from '../../../wire/fields.ts';
import {
  budgetOfEffort,
  effortOfBudget,
  JSON_OBJECT_INSTRUCTION,
  MIN_REASONING_TOKENS,
  type RealEffort,
  toReasoningBudget,
  toSchemaInstruction,
} from '../../kit/to-upstream.ts';
import type { ChatCall } from '../../provider.ts';
import { type ModelTraits, readModelTraits } from '../models.ts';
import { type Block, toCacheControl } from './to-anthropic-content.ts';
import { toAnthropicConversation, type Turn } from './to-anthropic-conversation.ts';

const UNSAID: ReasoningWish = { kind: 'unsaid' };
/** Below this, thinking refuses a `top_p`. */
const MIN_TOP_P_OF_THINKING = 0.95;

/**
 * Builds the upstream body (Messages API of 2023-06-01). An unsupported field is left out when it only tunes the
 * completion; when content or form depends on it, `invalid_request` names it. `userId` is the opaque form of `user`.
 */
export function toAnthropicRequest(call: ChatCall, userId?: string): Record<string, unknown> {
  const { request } = call;
  const supports: Supports = (name) => isSupported(call, name) !== false;
  const traits = readModelTraits(call.providerModel);
  const said = isReasoningSupported(call) !== false ? readReasoningWish(request) : UNSAID;
  const wish = call.isOfFamily === true ? toPossibleWish(said, traits) : said;
  const maxTokens = toMaxTokens(call, traits, wish);
  const { system, messages } = toAnthropicConversation(request.messages);
  const tools = supports('tools') ? toAnthropicTools(request.tools ?? []) : [];
  const toolChoice = tools.length > 0 ? toAnthropicToolChoice(request) : undefined;
  const thinking = toThinking({
    wish,
    traits,
    maxTokens,
    isToolForced: toolChoice?.['type'] === 'any' || toolChoice?.['type'] === 'tool',
    isTurnUnthought: isTurnUnthought(messages),
    isHidden: request.reasoning?.exclude === true || request.include_reasoning === false,
  });
  const output = supports('response_format') ? toOutput(request, traits) : {};
  if (output.instruction !== undefined) system.push({ type: 'text', text: output.instruction });
  const effort = (supports('verbosity') && toVerbosity(request, traits)) || thinking.effort;
  const stop = supports('stop') ? toStopSequences(request.stop) : [];
  const tier = toServiceTier(request.service_tier);
  return {
    model: call.providerModel,
    max_tokens: maxTokens,
    messages,
    ...(system.length > 0 && { system }),
    ...(tools.length > 0 && { tools }),
    ...(toolChoice && { tool_choice: toolChoice }),
    ...(thinking.thinking && { thinking: thinking.thinking }),
    ...((effort || output.format) && {
      output_config: { ...(effort && { effort }), ...(output.format && { format: output.format }) },
    }),
    ...toSampling(request, traits, thinking, supports),
    ...(stop.length > 0 && { stop_sequences: stop }),
    ...toCacheControl(request),
    ...(userId !== undefined && { metadata: { user_id: userId } }),
    ...(tier && { service_tier: tier }),
    ...(call.stream && { stream: true }),
  };
}

/** The wire requires a limit. A budget of reasoning is added to it where the caller set no limit. */
export function toMaxTokens({ request, maxOutputTokens }: ChatCall, traits: ModelTraits, wish: ReasoningWish): number {
  const asked = request.max_completion_tokens ?? request.max_tokens ?? maxOutputTokens;
  return asked ?? traits.defaultMaxTokens + (wish.kind === 'budget' ? wish.tokens : 0);
}

/**
 * Thinking by budget must be at the beginning of a turn. A turn that is to be continued, by text or by the results of
 * its tools, has none when another model began it or the caller did not send it back.
 */
function isTurnUnthought(messages: readonly Turn[]): boolean {
  const last = messages.at(-1);
  if (last?.role === 'assistant') return true;
  if (last?.content[0]?.['type'] !== 'tool_result') return false;
  const type = messages.at(-2)?.content[0]?.['type'];
  return type !== 'thinking' && type !== 'redacted_thinking';
}

type Supports = (name: string) => boolean;

function toSampling(
  { temperature, top_p: topP, top_k: topK }: ChatCompletionRequest,
  { sampling }: ModelTraits,
  { thinking }: Thinking,
  supports: Supports,
): Block {
  if (sampling === 'none') return {};
  const isThinking = thinking !== undefined && thinking['type'] !== 'disabled';
  const body: Block = {};
  if (typeof temperature === 'number' && supports('temperature') && !isThinking) {
    body['temperature'] = Math.min(temperature, 1);
  }
  const isTopPAllowed = isThinking
    ? (topP ?? 0) >= MIN_TOP_P_OF_THINKING
    : sampling === 'free' || body['temperature'] === undefined;
  if (typeof topP === 'number' && supports('top_p') && isTopPAllowed) body['top_p'] = topP;
  if (typeof topK === 'number' && supports('top_k') && !isThinking) body['top_k'] = topK;
  return body;
}

interface Output {
  readonly format?: Block;
  /** Describes the format in words, where the wire cannot bind the completion to it. */
  readonly instruction?: string;
}

function toOutput({ response_format: format }: ChatCompletionRequest, traits: ModelTraits): Output {
  switch (format?.type) {
    case 'json_object':
      return { instruction: JSON_OBJECT_INSTRUCTION };
    case 'json_schema': {
      const { schema } = format.json_schema;
      if (!schema) return toOutput({ response_format: { type: 'json_object' } } as ChatCompletionRequest, traits);
      return {
        ...(traits.outputFormat !== 'unknown' && { format: { type: 'json_schema', schema: toOutputSchema(schema) } }),
        ...(traits.outputFormat !== 'known' && { instruction: toSchemaInstruction(schema) }),
      };
    }
    case 'grammar':
    case 'python':
      throw refuseField('response_format.type', `"${format.type}" is not known to this provider`);
    default:
      return {};
  }
}

function toVerbosity({ verbosity }: ChatCompletionRequest, { efforts }: ModelTraits): string | undefined {
  return verbosity ? toKnownEffort(verbosity, efforts) : undefined;
}

/** Sequences of white space alone are left out: the wire refuses them. */
export function toStopSequences(stop: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(stop) ? stop : stop === undefined || stop === null ? [] : [stop];
  return list.flatMap((sequence, index) => {
    if (typeof sequence !== 'string') {
      throw refuseField(Array.isArray(stop) ? `stop.${index}` : 'stop', 'must be text for this provider');
    }
    return sequence.trim() === '' ? [] : [sequence];
  });
}

/** Tiers that are not bought by this field have no value here. */
export function toServiceTier(tier: unknown): string | undefined {
  switch (tier) {
    case 'auto':
    case 'priority':
    case 'fast':
      return 'auto';
    case 'default':
      return 'standard_only';
    default:
      return undefined;
  }
}

/** Reasoning that the request enables. */
type AskedReasoning =
  | { readonly kind: 'effort'; readonly effort: RealEffort }
  | { readonly kind: 'budget'; readonly tokens: number };

/** The caller's reasoning options, from any of the fields for them. */
type ReasoningWish = { readonly kind: 'unsaid' } | { readonly kind: 'off'; readonly field: string } | AskedReasoning;

/** The wish, with the least effort for none where the model cannot do without. */
function toPossibleWish(wish: ReasoningWish, { thinkingOff }: ModelTraits): ReasoningWish {
  return wish.kind === 'off' && thinkingOff === 'never' ? { kind: 'effort', effort: 'minimal' } : wish;
}

/** Reads the wish; a budget is brought to what the wire accepts. */
function readReasoningWish({ reasoning, reasoning_effort }: ChatCompletionRequest): ReasoningWish {
  if (reasoning?.enabled === false) return { kind: 'off', field: 'reasoning.enabled' };
  if (reasoning?.effort === 'none') return { kind: 'off', field: 'reasoning.effort' };
  const budget = reasoning?.max_tokens ?? 0;
  if (budget > 0) return { kind: 'budget', tokens: toReasoningBudget(budget) };
  const effort = reasoning?.effort ?? reasoning_effort;
  if (effort === 'none') return { kind: 'off', field: 'reasoning_effort' };
  if (effort) return { kind: 'effort', effort };
  return reasoning?.enabled === true ? { kind: 'effort', effort: 'medium' } : { kind: 'unsaid' };
}

interface ThinkingQuestion {
  readonly wish: ReasoningWish;
  readonly traits: ModelTraits;
  readonly maxTokens: number;
  /** A tool must be called, which the wire does not allow beside thinking. */
  readonly isToolForced: boolean;
  /** The turn under way began without thinking, so thinking by budget cannot start within it. */
  readonly isTurnUnthought: boolean;
  /** The caller requested a completion without the reasoning. */
  readonly isHidden: boolean;
}

interface Thinking {
  /** The wire's `thinking`; undefined where it is omitted. */
  readonly thinking?: Readonly<Record<string, unknown>> | undefined;
  /** One of the model's efforts. */
  readonly effort?: string | undefined;
}

/**
 * Decides the reasoning parameters. Throws `invalid_request` when the output limit leaves no room for the budget, or
 * when reasoning cannot be turned off as requested.
 */
function toThinking({ wish, traits, ...facts }: ThinkingQuestion): Thinking {
  const off: Thinking = traits.thinkingOff === 'on-request' ? { thinking: { type: 'disabled' } } : {};
  if (wish.kind === 'off') {
    if (traits.thinkingOff !== 'never') return off;
    throw refuseField(wish.field, 'reasoning cannot be turned off on this model; ask for the effort "low" instead');
  }
  if (traits.thinking === 'none') return {};
  const isEitherByBudget = traits.thinking === 'either' && wish.kind === 'budget';
  if (traits.thinking === 'budget' || isEitherByBudget) {
    const isImpossible = facts.isToolForced || facts.isTurnUnthought;
    return wish.kind === 'unsaid' || isImpossible ? {} : byBudget(wish, facts.maxTokens);
  }
  const effort = wish.kind === 'unsaid' ? undefined : toKnownEffort(effortOf(wish, facts.maxTokens), traits.efforts);
  // Reasoning by default needs to be disabled; a model that always reasons refuses the forced tool itself.
  if (facts.isToolForced && traits.thinkingOff !== 'never') return { ...off, effort };
  if (wish.kind === 'unsaid' && traits.thinkingOff === 'by-default') return {};
  // The text is omitted by default since 4.7; 4.6 does not support the value.
  const display = traits.thinking === 'adaptive' && !facts.isHidden ? { display: 'summarized' } : {};
  return { thinking: { type: 'adaptive', ...display }, effort };
}

function byBudget(wish: AskedReasoning, maxTokens: number): Thinking {
  const budget = wish.kind === 'budget' ? wish.tokens : budgetOfEffort(wish.effort, maxTokens);
  if (budget < maxTokens) return { thinking: { type: 'enabled', budget_tokens: budget } };
  throw wish.kind === 'budget'
    ? refuseField(
        'reasoning.max_tokens',
        `must be below max_tokens: ${budget} leaves nothing of ${maxTokens} for the completion`,
      )
    : refuseField('max_tokens', `must be above ${MIN_REASONING_TOKENS} for reasoning on this model`);
}

const effortOf = (wish: AskedReasoning, maxTokens: number): RealEffort =>
  wish.kind === 'effort' ? wish.effort : effortOfBudget(wish.tokens, maxTokens);

/** The nearest supported effort: the lowest for `minimal`, the next lower one for an unsupported effort. */
function toKnownEffort(effort: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || known.includes(effort)) return known.find((one) => one === effort);
  return effort === 'minimal' ? known[0] : 'high';
}

type Tool = NonNullable<ChatCompletionRequest['tools']>[number];
type FunctionTool = Extract<Tool, { function: { name: string } }>;

const isFunctionTool = (tool: Tool): tool is FunctionTool => tool.type === 'function';

/** Throws `invalid_request` for a tool that is no function, which the wire does not have. */
export function toAnthropicTools(tools: readonly Tool[]): Block[] {
  return tools.map((tool, index) => {
    if (!isFunctionTool(tool)) {
      throw refuseField(`tools.${index}.type`, `"${tool.type}" cannot be sent to this provider; only functions can`);
    }
    const { name, description, parameters, strict } = tool.function;
    const isStrict = strict === true;
    // The type is required even where a schema implies it by its branches alone.
    const schema = { type: 'object', ...parameters };
    return {
      name,
      ...(description && { description }),
      input_schema: isStrict ? toOutputSchema(schema) : schema,
      ...(isStrict && { strict: true }),
      ...toCacheControl(tool),
    };
  });
}

/** The choice of tools, and whether several may be called at once; undefined where it equals the wire's default. */
export function toAnthropicToolChoice({
  tool_choice: choice,
  parallel_tool_calls: isParallel,
}: ChatCompletionRequest): Block | undefined {
  const type = typeof choice === 'string' ? choice : choice ? 'named' : undefined;
  const single = isParallel === false ? { disable_parallel_tool_use: true } : {};
  switch (type) {
    case 'none':
      return { type: 'none' };
    case 'required':
      return { type: 'any', ...single };
    case 'named':
      return { type: 'tool', name: nameOf(choice), ...single };
    case 'auto':
      return { type: 'auto', ...single };
    default:
      return isParallel === false ? { type: 'auto', ...single } : undefined;
  }
}

function nameOf(choice: ChatCompletionRequest['tool_choice']): string {
  if (typeof choice === 'object' && choice !== null && choice.type === 'function') {
    return (choice as { function: { name: string } }).function.name;
  }
  throw refuseField('tool_choice.type', 'only functions can be chosen at this provider');
}

type Schema = Unchecked;

/** Constraints for which the wire responds with a 400, beside lengths of lists above 1. */
const UNSUPPORTED: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
]);
/** Keys below which schemas are listed by name, so that their names are no constraints. */
const NAMED_SCHEMAS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);
/** Keys whose values are data, even if they look like schemas. */
const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'required']);

/**
 * Adapts a JSON schema to the subset that the wire can bind completions to: objects are closed, and constraints it does
 * not support move into the description, where the model still reads them (Anthropic's own SDKs do the same).
 */
export function toOutputSchema(schema: Schema): Record<string, unknown> {
  const adapted: Record<string, unknown> = {};
  const notes: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (UNSUPPORTED.has(key) || (key === 'minItems' && Number(value) > 1)) {
      notes.push(`${key}: ${JSON.stringify(value)}`);
    } else if (NAMED_SCHEMAS.has(key) && isRecord(value)) {
      adapted[key] = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, adapt(inner)]));
    } else {
      adapted[key] = DATA.has(key) ? value : adapt(value);
    }
  }
  if (isObjectType(schema)) adapted['additionalProperties'] = false;
  if (notes.length > 0) {
    const { description } = schema;
    adapted['description'] = [...(typeof description === 'string' ? [description] : []), `{${notes.join(', ')}}`].join(
      '\n\n',
    );
  }
  return adapted;
}

function adapt(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(adapt);
  return isRecord(value) ? toOutputSchema(value) : value;
}

const isObjectType = ({ type, properties }: Schema): boolean =>
  type === 'object' || (Array.isArray(type) && type.includes('object')) || (type === undefined && isRecord(properties));
