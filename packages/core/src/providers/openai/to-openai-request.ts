import { isSupported, OPENAI_FIELDS, UNLISTED_OPENAI_FIELDS } from '../../wire/chat/chat-parameters.ts';
import type { ChatCall } from '../provider.ts';
import type { OpenAiDialect } from './openai-dialect.ts';
import { addInstruction, toOpenAiFormat } from './to-openai-format.ts';
import { knowsBreakpoints, toOpenAiMessages, withoutNulls } from './to-openai-messages.ts';
import { toReasoningFields } from './to-openai-reasoning.ts';

/**
 * Builds the upstream body. Fields that the endpoint does not support are left out, as the public wire promises;
 * nothing is added that the caller did not request, except the request for usage.
 */
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
  if (call.stream) {
    body['stream'] = true;
    if (dialect.streamUsage === 'on-request') body['stream_options'] = { include_usage: true };
  }
  return body;
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
