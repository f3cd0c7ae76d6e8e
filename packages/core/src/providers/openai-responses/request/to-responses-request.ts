import { isReasoningSupported, isSupported } from '../../../wire/chat-parameters.ts';
import type { ChatCompletionRequest, ChatMessage, ContentPart, ReasoningEffort } from '../../../wire/chat-request.ts';
import { refuseField } from '../../../wire/fields.ts';
import { effortOfBudget } from '../../kit/to-upstream.ts';
import { type Efforts, effortsOf, knowsBreakpoints, toNearestEffort, toNoEffort } from '../../openai/model-traits.ts';
import type { ChatCall } from '../../provider.ts';
import { toReasoningItems } from './to-reasoning-items.ts';

const ENCRYPTED_REASONING = 'reasoning.encrypted_content';
const LOG_PROBABILITIES = 'message.output_text.logprobs';
/** A lower limit is refused. */
const MIN_OUTPUT_TOKENS = 16;
const VERBOSITIES: ReadonlyMap<unknown, string> = new Map([
  ['xhigh', 'high'],
  ['max', 'high'],
]);

/** The nearest amount that this wire has. */
export const toVerbosity = (verbosity: unknown): unknown => VERBOSITIES.get(verbosity) ?? verbosity;

/** A tier under its name on this wire. */
export const toServiceTier = (tier: unknown): unknown => (tier === 'fast' ? 'priority' : tier);

/**
 * Builds the upstream body (Responses API). An unsupported field is left out when it only tunes the completion; when
 * content or form depends on it, `invalid_request` names it. `userId` is the opaque form of `user`.
 */
export function toResponsesRequest(call: ChatCall, userId?: string): Record<string, unknown> {
  const { request } = call;
  const supports = (name: string): boolean => isSupported(call, name) !== false;
  const tools = supports('tools') ? toResponsesTools(request.tools ?? []) : [];
  const choice = tools.length > 0 ? toResponsesToolChoice(request.tool_choice) : undefined;
  const reasoning = toResponsesReasoning(call);
  const text = {
    ...(request.response_format && supports('response_format') && { format: toFormat(request.response_format) }),
    ...(request.verbosity && supports('verbosity') && { verbosity: toVerbosity(request.verbosity) }),
  };
  const wantsLogprobs = request.logprobs === true && supports('logprobs');
  const include = [...(mayReason(call) ? [ENCRYPTED_REASONING] : []), ...(wantsLogprobs ? [LOG_PROBABILITIES] : [])];
  const isParallel = request.parallel_tool_calls;
  const hasMarks = knowsBreakpoints(call.providerModel);
  const cache = hasMarks ? toCacheOptions(request) : undefined;
  return {
    model: call.providerModel,
    input: toResponsesInput(request.messages, hasMarks),
    ...toLimit(request),
    ...(tools.length > 0 && { tools }),
    ...(choice !== undefined && { tool_choice: choice }),
    ...(tools.length > 0 && typeof isParallel === 'boolean' && { parallel_tool_calls: isParallel }),
    ...(Object.keys(text).length > 0 && { text }),
    ...(reasoning && { reasoning }),
    ...(include.length > 0 && { include }),
    ...toSampling(request, supports),
    ...(wantsLogprobs && request.top_logprobs && { top_logprobs: request.top_logprobs }),
    ...(request.prompt_cache_key && { prompt_cache_key: request.prompt_cache_key }),
    ...(cache && { prompt_cache_options: cache }),
    ...(userId !== undefined && { safety_identifier: userId }),
    ...(request.service_tier && { service_tier: toServiceTier(request.service_tier) }),
    store: false,
    ...(call.stream && { stream: true }),
  };
}

function toLimit({ max_completion_tokens: newer, max_tokens: older }: ChatCompletionRequest): object {
  const limit = newer ?? older;
  return typeof limit === 'number' ? { max_output_tokens: Math.max(limit, MIN_OUTPUT_TOKENS) } : {};
}

function toCacheOptions({ prompt_cache_options: options }: ChatCompletionRequest): object | undefined {
  if (!options) return undefined;
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null && value !== undefined));
}

function toSampling(
  { temperature, top_p: topP }: ChatCompletionRequest,
  supports: (name: string) => boolean,
): Record<string, unknown> {
  return {
    ...(typeof temperature === 'number' && supports('temperature') && { temperature }),
    ...(typeof topP === 'number' && supports('top_p') && { top_p: topP }),
  };
}

function toFormat(format: NonNullable<ChatCompletionRequest['response_format']>): object {
  switch (format.type) {
    case 'json_schema': {
      const { name, description, schema, strict } = format.json_schema;
      if (!schema) return { type: 'json_object' };
      return {
        type: 'json_schema',
        name,
        schema,
        ...(description && { description }),
        ...(typeof strict === 'boolean' && { strict }),
      };
    }
    case 'grammar':
    case 'python':
      throw refuseField('response_format.type', `"${format.type}" is not known to this provider`);
    default:
      return { type: format.type };
  }
}

/** Models that reason unasked. Others refuse to be asked for encrypted reasoning. */
const REASONS = /(?:^|\/)(?:o\d|gpt-(?:[5-9]|\d\d)(?!.*-chat)|gpt-oss|codex)/;

/** The field that asks for reasoning; undefined if the caller has not given it. */
export function toResponsesReasoning(call: ChatCall): Record<string, unknown> | undefined {
  const { request } = call;
  if (isReasoningSupported(call) === false) return undefined;
  const effort = toEffort(call);
  const summary = toSummary(request, effort);
  if (effort === undefined && summary === undefined) return undefined;
  return { ...(effort && { effort }), ...(summary && { summary }) };
}

/** Whether reasoning may come back that has to be kept by the caller, as upstream keeps none. */
export function mayReason(call: ChatCall): boolean {
  const isSupported = isReasoningSupported(call);
  if (isSupported !== null) return isSupported;
  const { reasoning, reasoning_effort: effort } = call.request;
  const asked = reasoning?.effort ?? effort;
  if (reasoning?.enabled === true || reasoning?.max_tokens || (asked && asked !== 'none')) return true;
  return REASONS.test(call.providerModel);
}

/** What a request includes, and what its reasoning is sent back by. */
export function withEncryptedReasoning(include: unknown): unknown[] {
  const given = Array.isArray(include) ? (include as unknown[]) : [];
  return given.includes(ENCRYPTED_REASONING) ? given : [...given, ENCRYPTED_REASONING];
}

/** The efforts of a model that is not known. */
const USUAL_EFFORTS: Efforts = ['minimal', 'low', 'medium', 'high', 'xhigh'];

function toEffort({ request, providerModel, isOfFamily }: ChatCall): ReasoningEffort | undefined {
  const { reasoning, reasoning_effort } = request;
  const model = effortsOf(providerModel);
  const effort = reasoning?.effort ?? reasoning_effort ?? undefined;
  if (effort === 'none' || reasoning?.enabled === false) return toNoEffort(model, isOfFamily);
  const accepted = model?.efforts ?? USUAL_EFFORTS;
  if (effort !== undefined) return toNearestEffort(effort, accepted);
  const budget = reasoning?.max_tokens ?? undefined;
  if (budget === undefined) {
    // Models that can do without reasoning may do so where no effort is named.
    return reasoning?.enabled === true && model?.canRest === true ? toNearestEffort('medium', accepted) : undefined;
  }
  const limit = request.max_completion_tokens ?? request.max_tokens ?? undefined;
  return toNearestEffort(limit === undefined ? 'medium' : effortOfBudget(budget, limit), accepted);
}

/** Reasoning that a caller wants to see comes as a summary alone. OpenAI's own field for the effort asks for none. */
function toSummary({ reasoning }: ChatCompletionRequest, effort: ReasoningEffort | undefined): string | undefined {
  if (!reasoning || effort === 'none') return undefined;
  if (reasoning.summary) return reasoning.summary;
  const isAsked = Boolean(reasoning.effort) || Boolean(reasoning.max_tokens) || reasoning.enabled === true;
  return isAsked && reasoning.exclude !== true ? 'auto' : undefined;
}

type Tool = NonNullable<ChatCompletionRequest['tools']>[number];
type FunctionTool = Extract<Tool, { function: { name: string } }>;

const isFunctionTool = (tool: Tool): tool is FunctionTool => tool.type === 'function';

/** Throws `invalid_request` for a tool that is no function, because it is one of another form. */
function toResponsesTools(tools: readonly Tool[]): object[] {
  return tools.map((tool, index) => {
    if (!isFunctionTool(tool)) {
      throw refuseField(`tools.${index}.type`, `"${tool.type}" cannot be sent to this provider; only functions can`);
    }
    const { name, description, parameters, strict } = tool.function;
    return {
      type: 'function',
      name,
      ...(description && { description }),
      parameters: parameters ?? { type: 'object', properties: {} },
      // Strict is the default here, and refuses most schemas that are not written for it.
      strict: strict === true,
    };
  });
}

function toResponsesToolChoice(choice: ChatCompletionRequest['tool_choice']): unknown {
  if (typeof choice !== 'object' || choice === null) return choice ?? undefined;
  if (choice.type !== 'function')
    throw refuseField('tool_choice.type', 'only functions can be chosen at this provider');
  return { type: 'function', name: (choice as { function: { name: string } }).function.name };
}

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

/**
 * Converts a conversation to input items. Names are left out, and marks for a cache where the model has none, or that are
 * on what a model or a tool said; texts never change.
 */
export function toResponsesInput(messages: readonly ChatMessage[], hasMarks = false): object[] {
  return messages.flatMap((message): object[] => {
    switch (message.role) {
      case 'assistant':
        return toTurn(message);
      case 'tool':
        return [{ type: 'function_call_output', call_id: message.tool_call_id, output: toContent(message.content) }];
      default:
        return [{ role: message.role, content: toContent(message.content, hasMarks) }];
    }
  });
}

/** One turn of the model: its reasoning, its texts and its calls, each an item. */
function toTurn({ content, refusal, reasoning_details: details, tool_calls: calls }: AssistantMessage): object[] {
  const said = toSaid(content);
  if (refusal) said.push({ type: 'refusal', refusal });
  return [
    ...toReasoningItems(details ?? []),
    ...(said.length > 0 ? [{ type: 'message', role: 'assistant', content: said }] : []),
    ...(calls ?? []).map(({ id, function: { name, arguments: text } }) => ({
      type: 'function_call',
      call_id: id,
      name,
      arguments: text,
    })),
  ];
}

/** Only texts are output of the model on this wire. */
function toSaid(content: AssistantMessage['content']): object[] {
  const parts: readonly ContentPart[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  return parts.flatMap((part) =>
    part.type === 'text' && part.text !== '' ? [{ type: 'output_text', text: part.text }] : [],
  );
}

const toContent = (content: string | readonly ContentPart[], hasMarks = false): string | object[] =>
  typeof content === 'string' ? content : content.map((part) => ({ ...toPart(part), ...(hasMarks && toMark(part)) }));

/** The end of a cached part, in either of the public forms. */
function toMark(part: ContentPart): object | undefined {
  const control = 'cache_control' in part ? part.cache_control : undefined;
  const isBreakpoint = 'prompt_cache_breakpoint' in part && part.prompt_cache_breakpoint?.mode === 'explicit';
  return control || isBreakpoint ? { prompt_cache_breakpoint: { mode: 'explicit' } } : undefined;
}

function toPart(part: ContentPart): object {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'image_url': {
      const { url, detail } = part.image_url;
      return { type: 'input_image', image_url: url, ...(detail && { detail }) };
    }
    case 'file':
      return { type: 'input_file', ...toFile(part.file) };
    case 'input_audio':
      return { type: 'input_audio', input_audio: part.input_audio };
    // Upstream says itself whether it takes films.
    case 'video_url':
    case 'input_video':
      return { type: 'input_video', video_url: part.video_url.url };
  }
}

function toFile({ filename, file_data, file_id }: Extract<ContentPart, { type: 'file' }>['file']): object {
  const isAddress = file_data ? /^https?:/i.test(file_data) : false;
  // An address brings the name along, and this wire refuses both together.
  if (isAddress) return { file_url: file_data };
  return { ...(filename && { filename }), ...(file_data && { file_data }), ...(file_id && { file_id }) };
}
