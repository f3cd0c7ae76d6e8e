import type { EmbeddingsItem, EmbeddingsRequest } from './embeddings.ts';

/*
 * Values of the API that calls read without its schemas, which are built where a request or a configuration is checked
 * (docs/decisions/0121-schemas-where-they-are-used.md).
 */

/** The wire formats of providers. */
export const WIRES = [
  'openai',
  'openai-responses',
  'anthropic',
  'google',
  'fal',
  'replicate',
  'elevenlabs',
  'deepgram',
  'bedrock',
] as const;
export type Wire = (typeof WIRES)[number];

/** Ordered from the narrowest to the broadest; a lifetime budget never resets. */
export const BUDGET_INTERVALS = ['daily', 'weekly', 'monthly', 'lifetime'] as const;
export type BudgetInterval = (typeof BUDGET_INTERVALS)[number];

/** What guardrails do to calls. A call counts once for each guardrail and effect. */
export const GUARDRAIL_EFFECTS = ['blocked', 'redacted', 'flagged', 'narrowed', 'unserved', 'over_budget'] as const;
export type GuardrailEffect = (typeof GUARDRAIL_EFFECTS)[number];

/** The name of a preset in addresses and requests. `@preset/` comes before it, and nothing behind. */
const PRESET_SLUG = /^[A-Za-z0-9][A-Za-z0-9_.~-]{0,99}$/;

export const isPresetSlug = (text: string): boolean => PRESET_SLUG.test(text);

/** The fields that `POST /messages` shares with chat completions, in name and form, beside those that it checks itself. */
export const MESSAGES_SHARED_FIELDS = [
  ...(['models', 'provider', 'plugins', 'route', 'preset', 'transforms', 'debug', 'trace', 'user'] as const),
  ...(['session_id', 'stream', 'temperature', 'top_p', 'top_k', 'stop_server_tools_when'] as const),
] as const;

/** Those of `POST /responses`. */
export const RESPONSES_SHARED_FIELDS = [
  ...(['models', 'provider', 'plugins', 'route', 'preset', 'transforms', 'debug', 'trace', 'user'] as const),
  ...(['session_id', 'temperature', 'top_p', 'top_k', 'frequency_penalty', 'presence_penalty'] as const),
  ...(['top_logprobs', 'metadata', 'service_tier', 'prompt_cache_key', 'prompt_cache_options'] as const),
  ...(['cache_control', 'stop_server_tools_when', 'max_tool_calls', 'modalities', 'image_config'] as const),
] as const;

/** Each format of speech, with the media type of its bytes. `pcm` is 16-bit little-endian, mono, mostly of 24 kHz. */
export const SPEECH_TYPES = {
  pcm: 'audio/pcm',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
} as const;
export type SpeechFormat = keyof typeof SPEECH_TYPES;
export const SPEECH_FORMATS = Object.keys(SPEECH_TYPES) as SpeechFormat[];

/** What a provider is asked for where the request names no format, as by the public API; OpenAI's own has `mp3`. */
export const DEFAULT_SPEECH_FORMAT: SpeechFormat = 'pcm';

/** The items of the input of embeddings, one for each vector. */
export function itemsOf(input: EmbeddingsRequest['input']): readonly EmbeddingsItem[] {
  if (typeof input === 'string') return [input];
  return typeof input[0] === 'number' ? [input as number[]] : (input as readonly EmbeddingsItem[]);
}

/** The workspace of everything until there are others. */
export const DEFAULT_WORKSPACE_ID = '00000000-0000-4000-8000-000000000000';
