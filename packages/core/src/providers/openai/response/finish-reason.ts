import type { FinishReason } from '../../../wire/chat-chunk.ts';

/** The end of a choice; only the fields that are used. */
export interface UpstreamEnd {
  readonly finish_reason?: unknown;
  /** Set by gateways. */
  readonly native_finish_reason?: unknown;
}

/** Finish reasons of other servers, and the wire's own. Any other counts as `stop`. */
const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['content_filter', 'content_filter'],
  ['error', 'error'],
  ['eos', 'stop'],
  ['end_turn', 'stop'],
  ['function_call', 'tool_calls'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  // Reasons of DeepSeek and vLLM for a completion that was broken off.
  ['insufficient_system_resource', 'error'],
  ['abort', 'error'],
]);

/** Gateways report the word of the provider behind them beside their own. */
export function nativeReasonOf({ native_finish_reason: native, finish_reason: reason }: UpstreamEnd): string | null {
  if (typeof native === 'string') return native;
  return typeof reason === 'string' ? reason : null;
}

/** Some servers end with `stop` although they called tools; a client that relies on the reason would drop the calls. */
export function toFinishReason(native: string | null, toolCallCount: number): FinishReason {
  const reason = native === null ? 'stop' : (FINISH_REASONS.get(native) ?? 'stop');
  return reason === 'stop' && toolCallCount > 0 ? 'tool_calls' : reason;
}
