import type { ChatCompletionRequest, ReasoningEffort } from '../../schemas/chat-completion.ts';
import type { ChatMessage, ContentPart } from '../../schemas/chat-message.ts';
import type { ChatCall } from '../provider.ts';
import type { OpenAiDialect } from './openai-dialect.ts';

/** Request fields that mean the same on both sides and travel unchanged. */
const SHARED_FIELDS = [
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'top_a',
  'repetition_penalty',
  'frequency_penalty',
  'presence_penalty',
  'seed',
  'stop',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'prediction',
  'modalities',
  'verbosity',
  'prompt_cache_key',
  'service_tier',
] as const satisfies readonly (keyof ChatCompletionRequest)[];

/** Names under which lists of supported parameters know a field, where they differ from the field's own. */
const ALSO_SUPPORTED_AS: Readonly<Record<string, readonly string[]>> = {
  response_format: ['structured_outputs'],
  reasoning_effort: ['reasoning'],
  tool_choice: ['tools'],
  parallel_tool_calls: ['tools'],
};

/** Never listed among a model's parameters, and harmless where unknown. */
const ALWAYS_SUPPORTED: ReadonlySet<string> = new Set(['prompt_cache_key', 'service_tier', 'modalities', 'prediction']);

/**
 * Builds the upstream body. What the endpoint does not support is left out, as the public wire promises; nothing is
 * ever added that the caller did not ask for, except the request for usage.
 */
export function toOpenAiRequest(call: ChatCall, dialect: OpenAiDialect): Record<string, unknown> {
  const { request } = call;
  const isSupported = (field: string): boolean => isSupportedBy(call, dialect, field);
  const body: Record<string, unknown> = {
    model: call.providerModel,
    messages: request.messages.map(toUpstreamMessage),
  };
  for (const field of SHARED_FIELDS) {
    const value = request[field];
    if (value !== undefined && value !== null && isSupported(field)) body[field] = value;
  }
  if (body['service_tier'] === 'fast') body['service_tier'] = 'priority';
  const maxTokens = request.max_completion_tokens ?? request.max_tokens;
  if (typeof maxTokens === 'number') body[dialect.maxTokensField] = maxTokens;
  if (request.tools && request.tools.length > 0 && isSupported('tools')) {
    body['tools'] = request.tools.map(withoutCacheControl);
  }
  const effort = toReasoningEffort(request);
  if (effort !== undefined && isSupported('reasoning_effort')) body['reasoning_effort'] = effort;
  if (call.stream) {
    body['stream'] = true;
    if (dialect.streamUsage === 'on-request') body['stream_options'] = { include_usage: true };
  }
  return body;
}

function isSupportedBy({ supportedParameters }: ChatCall, dialect: OpenAiDialect, field: string): boolean {
  if (dialect.unsupportedParameters.has(field)) return false;
  if (supportedParameters === null || supportedParameters.has(field) || ALWAYS_SUPPORTED.has(field)) return true;
  return ALSO_SUPPORTED_AS[field]?.some((name) => supportedParameters.has(name)) ?? false;
}

function toReasoningEffort({ reasoning, reasoning_effort }: ChatCompletionRequest): string | undefined {
  const asked: ReasoningEffort | undefined =
    reasoning?.effort ?? reasoning_effort ?? (reasoning?.enabled === true ? 'medium' : undefined);
  // This wire's scale ends one step earlier than ours.
  return asked === 'max' ? 'xhigh' : asked;
}

function toUpstreamMessage(message: ChatMessage): Record<string, unknown> {
  const upstream: Record<string, unknown> = { role: message.role };
  if (message.content !== undefined) upstream['content'] = toUpstreamContent(message.content);
  if (typeof message.name === 'string') upstream['name'] = message.name;
  if (message.role === 'tool') upstream['tool_call_id'] = message.tool_call_id;
  if (message.role === 'assistant') {
    if (message.tool_calls && message.tool_calls.length > 0) upstream['tool_calls'] = message.tool_calls;
    if (typeof message.refusal === 'string') upstream['refusal'] = message.refusal;
    if (message.audio) upstream['audio'] = message.audio;
  }
  return upstream;
}

function toUpstreamContent(content: ChatMessage['content']): unknown {
  return Array.isArray(content) ? content.map(toUpstreamPart) : content;
}

/** Leaves out the marks that only other wires know; upstreams differ in how they take unknown fields. */
function toUpstreamPart(part: ContentPart): Record<string, unknown> {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image_url':
      return { type: 'image_url', image_url: withoutNulls(part.image_url) };
    case 'file':
      return { type: 'file', file: withoutNulls(part.file) };
    case 'input_video':
      return { type: 'video_url', video_url: part.video_url };
    default:
      return part;
  }
}

function withoutCacheControl(tool: Record<string, unknown>): Record<string, unknown> {
  if (!('cache_control' in tool)) return tool;
  const { cache_control: _, ...rest } = tool;
  return rest;
}

function withoutNulls(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null && value !== undefined));
}
