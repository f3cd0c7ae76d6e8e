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
  /** Servers with a closed schema refuse this field of OpenAI's own. */
  readonly isOpenAiOnly?: true;
  /**
   * The text that a model reads or a record contains, which guardrails therefore see: the field's `values`, or `entries`
   * where the keys are the caller's, too. Null for switches, numbers and names of the gateway.
   */
  readonly texts: 'values' | 'entries' | null;
}

/** Every field of the schema; a field that is added to the schema and not here does not compile. */
const CHAT_FIELDS = {
  messages: { isParameter: false, texts: 'values' },
  model: { isParameter: false, texts: null },
  models: { isParameter: false, texts: null },
  provider: { isParameter: false, texts: null },
  route: { isParameter: false, texts: null },
  preset: { isParameter: false, texts: null },

  temperature: { isParameter: true, openAi: 'listed', texts: null },
  top_p: { isParameter: true, openAi: 'listed', texts: null },
  top_k: { isParameter: true, openAi: 'listed', texts: null },
  min_p: { isParameter: true, openAi: 'listed', texts: null },
  top_a: { isParameter: true, openAi: 'listed', texts: null },
  repetition_penalty: { isParameter: true, openAi: 'listed', texts: null },
  frequency_penalty: { isParameter: true, openAi: 'listed', texts: null },
  presence_penalty: { isParameter: true, openAi: 'listed', texts: null },
  max_tokens: { isParameter: true, texts: null },
  max_completion_tokens: { isParameter: true, alsoListedAs: ['max_tokens'], texts: null },
  seed: { isParameter: true, openAi: 'listed', texts: null },
  stop: { isParameter: true, openAi: 'listed', texts: 'values' },
  logit_bias: { isParameter: true, openAi: 'listed', texts: null },
  logprobs: { isParameter: true, openAi: 'listed', texts: null },
  top_logprobs: { isParameter: true, openAi: 'listed', texts: null },

  tools: { isParameter: true, texts: 'values' },
  tool_choice: { isParameter: true, alsoListedAs: ['tools'], openAi: 'listed', texts: null },
  parallel_tool_calls: { isParameter: true, alsoListedAs: ['tools'], openAi: 'listed', texts: null },
  max_tool_calls: { isParameter: false, texts: null },
  stop_server_tools_when: { isParameter: false, texts: null },

  response_format: { isParameter: true, alsoListedAs: ['structured_outputs'], texts: 'values' },
  reasoning: { isParameter: true, texts: null },
  reasoning_effort: { isParameter: true, alsoListedAs: ['reasoning'], texts: null },
  include_reasoning: { isParameter: true, alsoListedAs: ['reasoning'], texts: null },
  verbosity: { isParameter: true, openAi: 'listed', isOpenAiOnly: true, texts: null },
  prediction: { isParameter: true, openAi: 'unlisted', isOpenAiOnly: true, texts: 'values' },
  modalities: { isParameter: false, openAi: 'unlisted', isOpenAiOnly: true, texts: null },
  audio: { isParameter: false, openAi: 'unlisted', isOpenAiOnly: true, texts: 'values' },
  image_config: { isParameter: false, texts: 'values' },

  plugins: { isParameter: false, texts: 'values' },
  transforms: { isParameter: false, texts: null },
  cache_control: { isParameter: false, texts: null },
  prompt_cache_key: { isParameter: false, openAi: 'unlisted', isOpenAiOnly: true, texts: 'values' },
  prompt_cache_options: { isParameter: false, texts: null },

  metadata: { isParameter: false, texts: 'entries' },
  session_id: { isParameter: false, texts: 'values' },
  user: { isParameter: false, texts: 'values' },
  trace: { isParameter: false, texts: 'entries' },
  service_tier: { isParameter: false, openAi: 'unlisted', texts: null },
  stream: { isParameter: false, texts: null },
  stream_options: { isParameter: false, texts: null },
  debug: { isParameter: false, texts: null },

  n: { isParameter: false, texts: null },
  functions: { isParameter: false, texts: null },
  function_call: { isParameter: false, texts: null },
} as const satisfies Readonly<Record<keyof ChatCompletionRequest, FieldTraits>>;

type ChatField = keyof typeof CHAT_FIELDS;
type FieldWithTexts<Texts> = {
  [Name in ChatField]: (typeof CHAT_FIELDS)[Name]['texts'] extends Texts ? Name : never;
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

export const TEXT_FIELDS = [...namesWhere(({ texts }) => texts === 'values')] as readonly FieldWithTexts<'values'>[];

/** The fields that are the caller's own records: their keys are texts, too. */
export const RECORD_FIELDS = [
  ...namesWhere(({ texts }) => texts === 'entries'),
] as readonly FieldWithTexts<'entries'>[];

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
