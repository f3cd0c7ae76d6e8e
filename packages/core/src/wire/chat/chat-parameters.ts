import type { ChatCompletionRequest } from './chat-completion.ts';

/** The meaning of a chat request's field for routing and for the wires of providers. */
interface FieldTraits {
  /** A parameter of the model: `require_parameters` requires that an endpoint lists it as supported. */
  readonly isParameter: boolean;
  /** Other names of the field in lists of supported parameters. */
  readonly alsoListedAs?: readonly string[];
  /**
   * The field has the same meaning on the OpenAI wire and is passed on unchanged: `listed` to endpoints that list it as
   * supported, `unlisted` to all, because lists never name it and it is harmless where it is unknown.
   */
  readonly openAi?: 'listed' | 'unlisted';
}

/** Every field of the schema; a field that is added to the schema and not here does not compile. */
const CHAT_FIELDS: Readonly<Record<keyof ChatCompletionRequest, FieldTraits>> = {
  messages: { isParameter: false },
  model: { isParameter: false },
  models: { isParameter: false },
  provider: { isParameter: false },
  route: { isParameter: false },
  preset: { isParameter: false },

  temperature: { isParameter: true, openAi: 'listed' },
  top_p: { isParameter: true, openAi: 'listed' },
  top_k: { isParameter: true, openAi: 'listed' },
  min_p: { isParameter: true, openAi: 'listed' },
  top_a: { isParameter: true, openAi: 'listed' },
  repetition_penalty: { isParameter: true, openAi: 'listed' },
  frequency_penalty: { isParameter: true, openAi: 'listed' },
  presence_penalty: { isParameter: true, openAi: 'listed' },
  max_tokens: { isParameter: true },
  max_completion_tokens: { isParameter: true, alsoListedAs: ['max_tokens'] },
  seed: { isParameter: true, openAi: 'listed' },
  stop: { isParameter: true, openAi: 'listed' },
  logit_bias: { isParameter: true, openAi: 'listed' },
  logprobs: { isParameter: true, openAi: 'listed' },
  top_logprobs: { isParameter: true, openAi: 'listed' },

  tools: { isParameter: true },
  tool_choice: { isParameter: true, alsoListedAs: ['tools'], openAi: 'listed' },
  parallel_tool_calls: { isParameter: true, alsoListedAs: ['tools'], openAi: 'listed' },
  max_tool_calls: { isParameter: false },
  stop_server_tools_when: { isParameter: false },

  response_format: { isParameter: true, alsoListedAs: ['structured_outputs'] },
  reasoning: { isParameter: true },
  reasoning_effort: { isParameter: true, alsoListedAs: ['reasoning'] },
  include_reasoning: { isParameter: true, alsoListedAs: ['reasoning'] },
  verbosity: { isParameter: true, openAi: 'listed' },
  prediction: { isParameter: true, openAi: 'unlisted' },
  modalities: { isParameter: false, openAi: 'unlisted' },
  image_config: { isParameter: false },

  plugins: { isParameter: false },
  transforms: { isParameter: false },
  cache_control: { isParameter: false },
  prompt_cache_key: { isParameter: false, openAi: 'unlisted' },
  prompt_cache_options: { isParameter: false },

  metadata: { isParameter: false },
  session_id: { isParameter: false },
  user: { isParameter: false },
  trace: { isParameter: false },
  service_tier: { isParameter: false, openAi: 'unlisted' },
  stream: { isParameter: false },
  stream_options: { isParameter: false },
  debug: { isParameter: false },
};

// Derived once, because each request looks up every field it has.
const namesWhere = (isMeant: (traits: FieldTraits) => boolean): ReadonlySet<string> =>
  new Set(Object.entries(CHAT_FIELDS).flatMap(([name, traits]) => (isMeant(traits) ? [name] : [])));

/** The fields that are parameters of a model. */
export const PARAMETERS = namesWhere(({ isParameter }) => isParameter);

/** The fields that travel unchanged on the OpenAI wire. */
export const OPENAI_FIELDS = namesWhere(({ openAi }) => openAi !== undefined);

/** Those of them that lists of supported parameters never name. */
export const UNLISTED_OPENAI_FIELDS = namesWhere(({ openAi }) => openAi === 'unlisted');

const ALSO_LISTED_AS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(CHAT_FIELDS).flatMap(([name, { alsoListedAs }]) => (alsoListedAs ? [[name, alsoListedAs]] : [])),
);

/** An endpoint, or a call to one. */
interface Supporting {
  /** Null when not known. */
  readonly supportedParameters: ReadonlySet<string> | null;
}

/** Whether a list of supported parameters has a parameter, under its own name or another; null without a list. */
export function isSupported({ supportedParameters }: Supporting, name: string): boolean | null {
  if (supportedParameters === null) return null;
  return (
    supportedParameters.has(name) ||
    (ALSO_LISTED_AS.get(name)?.some((other) => supportedParameters.has(other)) ?? false)
  );
}

/**
 * Whether reasoning can be requested in any of its three forms: a wire with a form of its own converts each of them.
 */
export function isReasoningSupported(supporting: Supporting): boolean | null {
  const isEffortSupported = isSupported(supporting, 'reasoning_effort');
  return isEffortSupported === false ? isSupported(supporting, 'include_reasoning') : isEffortSupported;
}
