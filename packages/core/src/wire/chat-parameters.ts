import type { ChatCompletionRequest } from './chat-request.ts';

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
  /** Servers with a closed schema refuse this field of OpenAI's own. */
  readonly isOpenAiOnly?: true;
  /**
   * Whether it may hold a text that a model reads or a record contains, which guardrails therefore see. False for
   * switches, numbers and names of the gateway.
   */
  readonly hasTexts: boolean;
}

/** Every field of the schema; a field that is added to the schema and not here does not compile. */
const CHAT_FIELDS = {
  messages: { isParameter: false, hasTexts: true },
  model: { isParameter: false, hasTexts: false },
  models: { isParameter: false, hasTexts: false },
  provider: { isParameter: false, hasTexts: false },
  route: { isParameter: false, hasTexts: false },
  preset: { isParameter: false, hasTexts: false },

  temperature: { isParameter: true, openAi: 'listed', hasTexts: false },
  top_p: { isParameter: true, openAi: 'listed', hasTexts: false },
  top_k: { isParameter: true, openAi: 'listed', hasTexts: false },
  min_p: { isParameter: true, openAi: 'listed', hasTexts: false },
  top_a: { isParameter: true, openAi: 'listed', hasTexts: false },
  repetition_penalty: { isParameter: true, openAi: 'listed', hasTexts: false },
  frequency_penalty: { isParameter: true, openAi: 'listed', hasTexts: false },
  presence_penalty: { isParameter: true, openAi: 'listed', hasTexts: false },
  max_tokens: { isParameter: true, hasTexts: false },
  max_completion_tokens: { isParameter: true, alsoListedAs: ['max_tokens'], hasTexts: false },
  seed: { isParameter: true, openAi: 'listed', hasTexts: false },
  stop: { isParameter: true, openAi: 'listed', hasTexts: true },
  logit_bias: { isParameter: true, openAi: 'listed', hasTexts: true },
  logprobs: { isParameter: true, openAi: 'listed', hasTexts: false },
  top_logprobs: { isParameter: true, openAi: 'listed', hasTexts: false },

  tools: { isParameter: true, hasTexts: true },
  tool_choice: { isParameter: true, alsoListedAs: ['tools'], openAi: 'listed', hasTexts: true },
  parallel_tool_calls: { isParameter: true, alsoListedAs: ['tools'], openAi: 'listed', hasTexts: false },
  max_tool_calls: { isParameter: false, hasTexts: false },
  stop_server_tools_when: { isParameter: false, hasTexts: false },

  response_format: { isParameter: true, alsoListedAs: ['structured_outputs'], hasTexts: true },
  reasoning: { isParameter: true, hasTexts: false },
  reasoning_effort: { isParameter: true, alsoListedAs: ['reasoning'], hasTexts: false },
  include_reasoning: { isParameter: true, alsoListedAs: ['reasoning'], hasTexts: false },
  verbosity: { isParameter: true, openAi: 'listed', isOpenAiOnly: true, hasTexts: false },
  prediction: { isParameter: true, openAi: 'unlisted', isOpenAiOnly: true, hasTexts: true },
  modalities: { isParameter: false, openAi: 'unlisted', isOpenAiOnly: true, hasTexts: false },
  audio: { isParameter: false, openAi: 'unlisted', isOpenAiOnly: true, hasTexts: true },
  image_config: { isParameter: false, hasTexts: true },

  plugins: { isParameter: false, hasTexts: true },
  transforms: { isParameter: false, hasTexts: false },
  cache_control: { isParameter: false, hasTexts: false },
  prompt_cache_key: { isParameter: false, openAi: 'unlisted', isOpenAiOnly: true, hasTexts: true },
  prompt_cache_options: { isParameter: false, hasTexts: true },

  metadata: { isParameter: false, hasTexts: true },
  session_id: { isParameter: false, hasTexts: true },
  user: { isParameter: false, hasTexts: true },
  trace: { isParameter: false, hasTexts: true },
  service_tier: { isParameter: false, openAi: 'unlisted', hasTexts: false },
  stream: { isParameter: false, hasTexts: false },
  stream_options: { isParameter: false, hasTexts: false },
  debug: { isParameter: false, hasTexts: false },

  n: { isParameter: false, hasTexts: false },
  functions: { isParameter: false, hasTexts: false },
  function_call: { isParameter: false, hasTexts: false },
} as const satisfies Readonly<Record<keyof ChatCompletionRequest, FieldTraits>>;

type ChatField = keyof typeof CHAT_FIELDS;

/** The parameters of models that are not one company's own, in the words of lists. */
export const MODEL_PARAMETERS: readonly string[] = [
  ...Object.entries(CHAT_FIELDS).flatMap(([name, traits]) =>
    traits.isParameter && !('isOpenAiOnly' in traits) ? [name] : [],
  ),
  'structured_outputs',
];

/** A field that may hold texts. */
export type TextField = {
  [Name in ChatField]: (typeof CHAT_FIELDS)[Name]['hasTexts'] extends true ? Name : never;
}[ChatField];

const FIELD_LIST: readonly (readonly [string, FieldTraits])[] = Object.entries(CHAT_FIELDS);

// Derived once, because each request looks up every field it has.
const namesWhere = (isMeant: (traits: FieldTraits) => boolean): ReadonlySet<string> =>
  new Set(FIELD_LIST.flatMap(([name, traits]) => (isMeant(traits) ? [name] : [])));

export const PARAMETERS = namesWhere(({ isParameter }) => isParameter);

export const OPENAI_FIELDS = namesWhere(({ openAi }) => openAi !== undefined);

/** The OpenAI fields that lists of supported parameters never name. */
export const UNLISTED_OPENAI_FIELDS = namesWhere(({ openAi }) => openAi === 'unlisted');

export const OPENAI_ONLY_FIELDS = namesWhere(({ isOpenAiOnly }) => isOpenAiOnly === true);

export const TEXT_FIELDS = [...namesWhere(({ hasTexts }) => hasTexts)] as readonly TextField[];

const ALSO_LISTED_AS: ReadonlyMap<string, readonly string[]> = new Map(
  FIELD_LIST.flatMap(([name, { alsoListedAs }]) => (alsoListedAs ? [[name, alsoListedAs]] : [])),
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

/** Whether reasoning can be requested in any of its three forms, because wires convert each of them. */
export function isReasoningSupported(supporting: Supporting): boolean | null {
  const isEffortSupported = isSupported(supporting, 'reasoning_effort');
  return isEffortSupported === false ? isSupported(supporting, 'include_reasoning') : isEffortSupported;
}
