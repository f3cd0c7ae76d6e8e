import { isSupported, OPENAI_FIELDS, UNLISTED_OPENAI_FIELDS } from '../../../wire/chat-parameters.ts';
import type { ChatCompletionRequest, ChatMessage, ContentPart, ReasoningEffort } from '../../../wire/chat-request.ts';
import type { PrefillForm } from '../../../wire/model-definition.ts';
import { budgetOfEffort, effortOfBudget, JSON_OBJECT_INSTRUCTION, toSchemaInstruction } from '../../kit/to-upstream.ts';
import type { ChatCall } from '../../provider.ts';
import { effortsOf, knowsBreakpoints as modelKnowsBreakpoints, toNearestEffort, toNoEffort } from '../model-traits.ts';
import { type OpenAiDialect, toRenamed } from '../openai-dialect.ts';

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
  if (isTaken('reasoning_effort')) Object.assign(body, toReasoningFields(call, dialect));
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
  // An empty beginning was left out, and leaves nothing to be continued.
  if (last?.['role'] !== 'assistant') return;
  if (form === 'prefix') last['prefix'] = true;
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
  return toRenamed(renamedValues, field, common);
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

/** The fields that request reasoning, in the server's own form; none where the caller gave no options. */
function toReasoningFields(
  { request, providerModel, isOfFamily }: ChatCall,
  { reasoningRequest, efforts, hasResponses }: OpenAiDialect,
): Record<string, unknown> {
  const asked = readAsked(request);
  if (asked === undefined) return {};
  const limit = request.max_completion_tokens ?? request.max_tokens ?? undefined;
  if (reasoningRequest === 'effort') {
    // OpenAI refuses an effort that the model does not have.
    const model = hasResponses ? effortsOf(providerModel) : undefined;
    if (asked.isOff) return { reasoning_effort: toNoEffort(model, isOfFamily) };
    return { reasoning_effort: toEffort(asked, limit, model?.efforts ?? efforts) };
  }
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

export function readAsked({ reasoning, reasoning_effort }: ChatCompletionRequest): AskedReasoning | undefined {
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
  return toNearestEffort(effort === undefined || effort === 'none' ? derived : effort, accepted);
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

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;
type ToId = (id: string) => string;

/** Whether OpenAI's own marks for its cache may be sent. */
const knowsBreakpoints = (providerModel: string, { cacheMarks }: OpenAiDialect): boolean =>
  cacheMarks === 'prompt_cache_breakpoint' && modelKnowsBreakpoints(providerModel);

/** Converts a conversation. Marks and fields that the server does not support are left out; texts never change. */
function toOpenAiMessages(
  { request, providerModel, prefill }: Pick<ChatCall, 'request' | 'providerModel' | 'prefill'>,
  dialect: OpenAiDialect,
): Record<string, unknown>[] {
  const begun = prefill === undefined ? undefined : request.messages.at(-1);
  const toId = dialect.toolCallIds === 'any' ? (id: string) => id : createShortIds();
  const isMarkKnown = dialect.cacheMarks !== 'prompt_cache_breakpoint' || knowsBreakpoints(providerModel, dialect);
  const known = isMarkKnown ? dialect : { ...dialect, cacheMarks: null };
  const messages: Record<string, unknown>[] = [];
  for (const message of request.messages) {
    const upstream = toUpstreamMessage(message, known, toId);
    if (message.role !== 'assistant') messages.push(upstream);
    else if (hasSaid(upstream, message)) {
      if (message !== begun) fillReasoning(upstream, message, { request, dialect });
      messages.push(upstream);
    }
  }
  if (request.cache_control && known.cacheMarks === 'cache_control') markEnd(messages, request.cache_control);
  return messages;
}

/**
 * Whether anything is left of a turn of the model: one of reasoning alone is refused where that is not sent. An empty text
 * without reasoning is what the caller has written.
 */
function hasSaid(turn: Record<string, unknown>, message: AssistantMessage): boolean {
  const { content } = turn;
  if (Array.isArray(content) ? content.length > 0 : Boolean(content)) return true;
  if (content === '' && !hasReasoning(message)) return true;
  return Object.keys(turn).some((field) => field !== 'role' && field !== 'content' && field !== 'name');
}

const hasReasoning = ({ reasoning, reasoning_content: text, reasoning_details: details }: AssistantMessage): boolean =>
  Boolean(reasoning || text || details?.length);

/** Marks the end of the conversation, which is what a mark on the whole request means (wire.md 6.7). */
function markEnd(messages: readonly Record<string, unknown>[], control: Record<string, unknown>): void {
  const last = messages.findLast(({ role, content }) => role !== 'assistant' && content !== '');
  if (last === undefined) return;
  const { content } = last;
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : [...(content as UpstreamPart[])];
  const index = parts.findLastIndex(({ type }) => type === 'text' || type === 'image_url' || type === 'file');
  const part = parts[index];
  if (part === undefined) return;
  parts[index] = { cache_control: withoutNulls(control), ...part };
  last['content'] = parts;
}

type UpstreamPart = Record<string, unknown>;

/** An object without those of its fields that are null or undefined. */
function withoutNulls(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null && value !== undefined));
}

function toUpstreamMessage(message: ChatMessage, dialect: OpenAiDialect, toId: ToId): Record<string, unknown> {
  const role = message.role === 'developer' && !dialect.knowsDeveloperRole ? 'system' : message.role;
  const upstream: Record<string, unknown> = { role };
  if (message.content !== undefined) {
    // A message of the model cannot end a cached part in OpenAI's own form.
    const isUnmarked = role === 'assistant' && dialect.cacheMarks === 'prompt_cache_breakpoint';
    upstream['content'] = toUpstreamContent(message.content, isUnmarked ? { ...dialect, cacheMarks: null } : dialect);
  }
  if (typeof message.name === 'string' && dialect.knowsMessageExtras) upstream['name'] = message.name;
  if (message.role === 'tool') upstream['tool_call_id'] = toId(message.tool_call_id);
  if (message.role === 'assistant') {
    if (message.tool_calls && message.tool_calls.length > 0) {
      upstream['tool_calls'] = message.tool_calls.map((call) => ({ ...call, id: toId(call.id) }));
    }
    if (dialect.knowsMessageExtras) {
      if (typeof message.refusal === 'string') upstream['refusal'] = message.refusal;
      if (message.audio) upstream['audio'] = message.audio;
    } else if (typeof message.refusal === 'string') upstream['content'] ??= message.refusal;
    if (dialect.isGateway) {
      if (message.images && message.images.length > 0) upstream['images'] = message.images;
      if (message.annotations && message.annotations.length > 0) upstream['annotations'] = message.annotations;
    }
    addEarlierReasoning(upstream, message, dialect);
  }
  return upstream;
}

/** Only reasoning that led to tool calls, which some servers require; other reasoning is ignored at best. */
function addEarlierReasoning(
  upstream: Record<string, unknown>,
  message: AssistantMessage,
  { earlierReasoning }: OpenAiDialect,
): void {
  if (earlierReasoning === null) return;
  if (earlierReasoning === 'reasoning_details') {
    if (message.reasoning_details && message.reasoning_details.length > 0) {
      upstream['reasoning_details'] = message.reasoning_details;
    }
    return;
  }
  const text = textOfReasoning(message);
  if (text === '' || !message.tool_calls || message.tool_calls.length === 0) return;
  if (earlierReasoning !== 'thinking-part') {
    upstream[earlierReasoning] = text;
    return;
  }
  const content = upstream['content'];
  const said = typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : content;
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text }] };
  upstream['content'] = [thinking, ...(Array.isArray(said) ? (said as unknown[]) : [])];
}

/**
 * Adds reasoning to a turn without, for servers that refuse a turn that called tools without it, and any turn of a model
 * where there are tools to be called.
 */
function fillReasoning(
  upstream: Record<string, unknown>,
  message: AssistantMessage,
  { request, dialect: { reasoningPlaceholder, earlierReasoning } }: TurnContext,
): void {
  if (reasoningPlaceholder === null || earlierReasoning === null || upstream[earlierReasoning] !== undefined) return;
  const hasTools = (message.tool_calls ?? []).length > 0 || (request.tools ?? []).length > 0;
  if (!hasTools || readAsked(request)?.isOff === true) return;
  upstream[earlierReasoning] = textOfReasoning(message) || reasoningPlaceholder;
}

interface TurnContext {
  readonly request: ChatCompletionRequest;
  readonly dialect: OpenAiDialect;
}

const textOfReasoning = (message: AssistantMessage): string =>
  message.reasoning ?? message.reasoning_content ?? textOfDetails(message);

function textOfDetails({ reasoning_details: details }: AssistantMessage): string {
  return (details ?? []).map(({ text, summary }) => textOf(text) + textOf(summary)).join('');
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function toUpstreamContent(content: ChatMessage['content'], dialect: OpenAiDialect): unknown {
  return Array.isArray(content) ? content.map((part) => toUpstreamPart(part, dialect)) : content;
}

/** Removes marks of other wires, because some upstreams refuse unknown fields. */
function toUpstreamPart(part: ContentPart, dialect: OpenAiDialect): Record<string, unknown> {
  const mark = toCacheMark(part, dialect);
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text, ...mark };
    case 'image_url':
      return { type: 'image_url', image_url: withoutNulls(part.image_url), ...mark };
    case 'file':
      return dialect.fileParts === 'document_url' && part.file.file_data
        ? withoutNulls({
            type: 'document_url',
            document_url: part.file.file_data,
            document_name: part.file.filename,
          })
        : { type: 'file', file: withoutNulls(part.file), ...mark };
    case 'input_video':
      return { type: 'video_url', video_url: part.video_url };
    default:
      return part;
  }
}

function toCacheMark(part: ContentPart, { cacheMarks }: OpenAiDialect): Record<string, unknown> {
  if (cacheMarks === null) return {};
  const control = 'cache_control' in part ? part.cache_control : undefined;
  const isBreakpoint = 'prompt_cache_breakpoint' in part && part.prompt_cache_breakpoint?.mode === 'explicit';
  if (!control && !isBreakpoint) return {};
  return cacheMarks === 'cache_control'
    ? { cache_control: withoutNulls(control ?? { type: 'ephemeral' }) }
    : { prompt_cache_breakpoint: { mode: 'explicit' } };
}

/**
 * Replaces ids that are not nine letters or digits by valid ones, the same one for a call and its result. They are
 * numbered within the conversation, so that no state is needed between requests.
 */
function createShortIds(): ToId {
  const made = new Map<string, string>();
  return (id) => {
    if (/^[A-Za-z0-9]{9}$/.test(id)) return id;
    const short = made.get(id) ?? `call${String(made.size).padStart(5, '0')}`;
    made.set(id, short);
    return short;
  };
}
