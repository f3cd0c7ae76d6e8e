import { isSupported, OPENAI_FIELDS, UNLISTED_OPENAI_FIELDS } from '../../../wire/chat-parameters.ts';
import type { ChatCompletionRequest, ReasoningEffort } from '../../../wire/chat-request.ts';
import type { PrefillForm } from '../../../wire/model-definition.ts';
import {
  budgetOfEffort,
  effortOfBudget,
  JSON_OBJECT_INSTRUCTION,
  type RealEffort,
  toSchemaInstruction,
} from '../../kit/to-upstream.ts';
import type { ChatCall } from '../../provider.ts';
import type { OpenAiDialect } from '../openai-dialect.ts';
import { knowsBreakpoints, toOpenAiMessages, withoutNulls } from './to-openai-messages.ts';

/** Leaves out unsupported fields, as the public wire promises; adds nothing but the request for usage. */
export function toOpenAiRequest(call: ChatCall, dialect: OpenAiDialect): Record<string, unknown> {
  const { request } = call;
  const isTaken = (field: string): boolean => isTakenBy(call, dialect, field);
  const messages = toOpenAiMessages(call, dialect);
  const body: Record<string, unknown> = { model: call.providerModel, messages };
  // Iterates over the few fields that are present, because a check for every possible field is slower.
  for (const field in request) {
    if (!OPENAI_FIELDS.has(field)) continue;
    const value = (request as Readonly<Record<string, unknown>>)[field];
    if (value === undefined || value === null || !isTaken(field)) continue;
    body[dialect.renamedFields[field] ?? field] = toUpstreamValue(field, value, dialect);
  }
  if (request.response_format && isTaken('response_format')) {
    const { format, instruction } = toOpenAiFormat(request.response_format, dialect);
    if (format !== undefined) body['response_format'] = format;
    if (instruction !== undefined) addInstruction(messages, instruction);
  }
  const maxTokens = request.max_completion_tokens ?? request.max_tokens;
  if (typeof maxTokens === 'number') body[dialect.maxTokensField] = maxTokens;
  if (request.tools && request.tools.length > 0 && isTaken('tools')) {
    body['tools'] = dialect.cacheMarks === 'cache_control' ? request.tools : request.tools.map(withoutCacheControl);
  }
  if (request.prompt_cache_options && knowsBreakpoints(call.providerModel, dialect)) {
    body['prompt_cache_options'] = withoutNulls(request.prompt_cache_options);
  }
  if (isTaken('reasoning_effort')) Object.assign(body, toReasoningFields(request, dialect));
  if (dialect.isGateway) Object.assign(body, toGatewayFields(call));
  if (call.prefill !== undefined) addPrefill(body, messages, call.prefill);
  if (call.stream) {
    body['stream'] = true;
    if (dialect.streamUsage === 'on-request') body['stream_options'] = { include_usage: true };
  }
  return body;
}

/** Says that the last message is to be continued; to some servers it says so itself. */
function addPrefill(
  body: Record<string, unknown>,
  messages: readonly Record<string, unknown>[],
  form: PrefillForm,
): void {
  const last = messages.at(-1);
  if (form === 'prefix' && last !== undefined) last['prefix'] = true;
  if (form !== 'continue_final_message') return;
  body['continue_final_message'] = true;
  body['add_generation_prompt'] = false;
}

function isTakenBy(call: ChatCall, dialect: OpenAiDialect, field: string): boolean {
  if (dialect.unsupportedParameters.has(field)) return false;
  return isSupported(call, field) !== false || UNLISTED_OPENAI_FIELDS.has(field);
}

function toUpstreamValue(field: string, value: unknown, { renamedValues }: OpenAiDialect): unknown {
  if (typeof value !== 'string') return value;
  const common = field === 'service_tier' && value === 'fast' ? 'priority' : value;
  return renamedValues[field]?.[common] ?? common;
}

function withoutCacheControl(tool: Record<string, unknown>): Record<string, unknown> {
  if (!('cache_control' in tool)) return tool;
  const { cache_control: _, ...rest } = tool;
  return rest;
}

/** The reasoning options of a request, merged from its two forms. */
interface AskedReasoning {
  readonly effort: ReasoningEffort | undefined;
  /** Tokens. */
  readonly budget: number | undefined;
  readonly isOff: boolean;
}

const SCALE = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const satisfies readonly RealEffort[];

/** The fields that request reasoning, in the server's own form; none where the caller gave no options. */
function toReasoningFields(
  request: ChatCompletionRequest,
  { reasoningRequest, efforts }: OpenAiDialect,
): Record<string, unknown> {
  const asked = readAsked(request);
  if (asked === undefined) return {};
  const limit = request.max_completion_tokens ?? request.max_tokens ?? undefined;
  if (reasoningRequest === 'effort') return { reasoning_effort: toEffort(asked, limit, efforts) };
  if (reasoningRequest === 'reasoning') return { reasoning: withoutNulls(toOwnForm(request)) };

  const isOn = !asked.isOff;
  // Without an effort or a budget the switch alone is sent, and the server chooses the amount.
  const hasWish = isOn && (asked.effort !== undefined || asked.budget !== undefined);
  const effort = hasWish && efforts.length > 0 ? { reasoning_effort: toEffort(asked, limit, efforts) } : {};
  switch (reasoningRequest) {
    case 'thinking':
      return { thinking: { type: isOn ? 'enabled' : 'disabled' }, ...effort };
    case 'reasoning_enabled':
      return { reasoning: { enabled: isOn }, ...effort };
    case 'chat_template_kwargs':
      // Templates differ in the name of the variable; an unknown one has no effect.
      return { chat_template_kwargs: { enable_thinking: isOn, thinking: isOn, ...effort }, ...effort };
    case 'enable_thinking': {
      const budget = isOn ? toBudget(asked, limit) : undefined;
      return { enable_thinking: isOn, ...(budget !== undefined && { thinking_budget: budget }) };
    }
  }
}

function readAsked({ reasoning, reasoning_effort }: ChatCompletionRequest): AskedReasoning | undefined {
  const effort = reasoning?.effort ?? reasoning_effort ?? undefined;
  const budget = reasoning?.max_tokens ?? undefined;
  const enabled = reasoning?.enabled ?? undefined;
  if (effort === undefined && budget === undefined && enabled === undefined) return undefined;
  const isOff = effort === 'none' || enabled === false;
  return { effort, budget, isOff };
}

/** The nearest accepted effort; of two equally near, the higher. `none` is never changed. */
function toEffort(
  { effort, budget, isOff }: AskedReasoning,
  limit: number | undefined,
  accepted: OpenAiDialect['efforts'],
): ReasoningEffort {
  if (isOff) return 'none';
  // A budget without an output limit to relate it to means only that reasoning is on.
  const derived = budget === undefined || limit === undefined ? 'medium' : effortOfBudget(budget, limit);
  const wish = effort === undefined || effort === 'none' ? derived : effort;
  const distance = (other: RealEffort): number => Math.abs(SCALE.indexOf(other) - SCALE.indexOf(wish));
  return accepted.reduce((best, other) => (distance(other) <= distance(best) ? other : best), accepted[0] ?? wish);
}

/** The reasoning tokens; undefined without a budget, or without a limit to relate an effort to. */
function toBudget({ effort, budget }: AskedReasoning, limit: number | undefined): number | undefined {
  if (budget !== undefined) return budget;
  if (effort === undefined || effort === 'none' || limit === undefined) return undefined;
  return budgetOfEffort(effort, limit);
}

function toOwnForm({ reasoning, reasoning_effort }: ChatCompletionRequest): Record<string, unknown> {
  const { effort, max_tokens, exclude, enabled, summary } = reasoning ?? {};
  return { effort: effort ?? reasoning_effort, max_tokens, exclude, enabled, summary };
}

/** The fields that only a gateway takes; what this one does itself is not among them. */
export function toGatewayFields({ request, onward }: ChatCall): Record<string, unknown> {
  return {
    ...(request.image_config && { image_config: request.image_config }),
    ...(onward?.preferences && { provider: onward.preferences }),
    ...(onward !== undefined && onward.plugins.length > 0 && { plugins: onward.plugins }),
  };
}

type ResponseFormat = NonNullable<ChatCompletionRequest['response_format']>;

interface FormatInstruction {
  /** The `response_format` that the server supports; undefined where it supports no suitable one. */
  readonly format: ResponseFormat | undefined;
  /** Describes the format in words, where the server cannot bind the completion to it. */
  readonly instruction?: string;
}

/** Requests the format of a completion by the server's parameter where it has one, and otherwise in words. */
function toOpenAiFormat(format: ResponseFormat, { unsupportedParameters }: OpenAiDialect): FormatInstruction {
  const knowsObjects = !unsupportedParameters.has('json_object');
  const schema = format.type === 'json_schema' ? format.json_schema.schema : undefined;
  if (format.type === 'json_schema' && unsupportedParameters.has('structured_outputs')) {
    return {
      format: knowsObjects ? { type: 'json_object' } : undefined,
      instruction: schema ? toSchemaInstruction(schema) : JSON_OBJECT_INSTRUCTION,
    };
  }
  if (format.type !== 'json_object' || knowsObjects) return { format };
  return { format: undefined, instruction: JSON_OBJECT_INSTRUCTION };
}

/** Adds an instruction to those that a conversation begins with, or begins it with this one. */
function addInstruction(messages: Record<string, unknown>[], instruction: string): void {
  const [first] = messages;
  if (first?.['role'] !== 'system' && first?.['role'] !== 'developer') {
    messages.unshift({ role: 'system', content: instruction });
  } else if (Array.isArray(first['content'])) {
    first['content'] = [...(first['content'] as unknown[]), { type: 'text', text: instruction }];
  } else first['content'] = `${String(first['content'])}\n\n${instruction}`;
}
