import { isReasoningSupported, isSupported } from '../../../wire/chat-parameters.ts';
import type { ChatCompletionRequest } from '../../../wire/chat-request.ts';
import { refuseField } from '../../../wire/fields.ts';
import { JSON_OBJECT_INSTRUCTION, toSchemaInstruction } from '../../kit/to-upstream.ts';
import type { ChatCall } from '../../provider.ts';
import { type ModelTraits, readModelTraits } from '../models.ts';
import { type Block, toCacheControl } from './to-anthropic-content.ts';
import { toAnthropicConversation, type Turn } from './to-anthropic-conversation.ts';
import { toAnthropicToolChoice, toAnthropicTools } from './to-anthropic-tools.ts';
import { toOutputSchema } from './to-output-schema.ts';
import {
  readReasoningWish,
  type ReasoningWish,
  type Thinking,
  toKnownEffort,
  toPossibleWish,
  toThinking,
} from './to-thinking.ts';

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
  const tier = toServiceTier(request);
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
function toStopSequences(stop: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(stop) ? stop : stop === undefined || stop === null ? [] : [stop];
  return list.flatMap((sequence, index) => {
    if (typeof sequence !== 'string') {
      throw refuseField(Array.isArray(stop) ? `stop.${index}` : 'stop', 'must be text for this provider');
    }
    return sequence.trim() === '' ? [] : [sequence];
  });
}

/** Tiers that are not bought by this field have no value here. */
function toServiceTier({ service_tier: tier }: ChatCompletionRequest): string | undefined {
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
