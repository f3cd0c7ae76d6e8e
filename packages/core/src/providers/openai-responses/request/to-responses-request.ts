import { isSupported } from '../../../wire/chat-parameters.ts';
import type { ChatCompletionRequest } from '../../../wire/chat-request.ts';
import { refuseField } from '../../../wire/fields.ts';
import type { ChatCall } from '../../provider.ts';
import { toResponsesInput } from './to-responses-input.ts';
import { mayReason, toResponsesReasoning } from './to-responses-reasoning.ts';
import { toResponsesToolChoice, toResponsesTools } from './to-responses-tools.ts';

const ENCRYPTED_REASONING = 'reasoning.encrypted_content';
const LOG_PROBABILITIES = 'message.output_text.logprobs';
/** A lower limit is refused. */
const MIN_OUTPUT_TOKENS = 16;
const VERBOSITIES: ReadonlyMap<string, string> = new Map([
  ['xhigh', 'high'],
  ['max', 'high'],
]);

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
    ...(request.verbosity &&
      supports('verbosity') && { verbosity: VERBOSITIES.get(request.verbosity) ?? request.verbosity }),
  };
  const wantsLogprobs = request.logprobs === true && supports('logprobs');
  const include = [...(mayReason(call) ? [ENCRYPTED_REASONING] : []), ...(wantsLogprobs ? [LOG_PROBABILITIES] : [])];
  const isParallel = request.parallel_tool_calls;
  return {
    model: call.providerModel,
    input: toResponsesInput(request.messages),
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
    ...(userId !== undefined && { safety_identifier: userId }),
    ...(request.service_tier && {
      service_tier: request.service_tier === 'fast' ? 'priority' : request.service_tier,
    }),
    store: false,
    ...(call.stream && { stream: true }),
  };
}

function toLimit({ max_completion_tokens: newer, max_tokens: older }: ChatCompletionRequest): object {
  const limit = newer ?? older;
  return typeof limit === 'number' ? { max_output_tokens: Math.max(limit, MIN_OUTPUT_TOKENS) } : {};
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
