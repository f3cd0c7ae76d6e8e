interface CallKindTraits {
  /** As records name it, in `api_type`. */
  readonly apiType: string;
  /** Output modality of the models that it is for. */
  readonly output: string;
  /** Where it is called, below the version. */
  readonly path: `/${string}`;
  /** The tokens that its models have; those without a price make the cost of a call unknown. */
  readonly tokens: readonly ('prompt' | 'completion')[];
  /** Providers retain what such calls make, whatever their policy on prompts: zero retention excludes all (wire.md 15.1). */
  readonly retainsData: boolean;
  /** A provider that is a gateway gets the preferences of such calls, for its choice among the providers behind it. */
  readonly sendsPreferences: boolean;
}

/** Every kind of call to a model, by the member of a provider that serves it. */
export const CALL_KINDS = {
  chat: {
    apiType: 'completions',
    output: 'text',
    path: '/chat/completions',
    tokens: ['prompt', 'completion'],
    retainsData: false,
    sendsPreferences: true,
  },
  video: {
    apiType: 'video',
    output: 'video',
    path: '/videos',
    tokens: [],
    retainsData: true,
    sendsPreferences: false,
  },
  embeddings: {
    apiType: 'embeddings',
    output: 'embeddings',
    path: '/embeddings',
    tokens: ['prompt'],
    retainsData: false,
    sendsPreferences: true,
  },
  rerank: {
    apiType: 'rerank',
    output: 'rerank',
    path: '/rerank',
    // Some are charged by searches alone.
    tokens: [],
    retainsData: false,
    sendsPreferences: true,
  },
  speech: {
    apiType: 'speech',
    output: 'speech',
    path: '/audio/speech',
    tokens: [],
    retainsData: false,
    sendsPreferences: false,
  },
  transcription: {
    apiType: 'transcription',
    output: 'transcription',
    path: '/audio/transcriptions',
    tokens: [],
    retainsData: false,
    sendsPreferences: false,
  },
  image: {
    apiType: 'image',
    output: 'image',
    path: '/images',
    tokens: [],
    retainsData: false,
    sendsPreferences: true,
  },
  moderation: {
    apiType: 'moderation',
    output: 'moderation',
    path: '/moderations',
    tokens: ['prompt'],
    retainsData: false,
    sendsPreferences: false,
  },
} as const satisfies Record<string, CallKindTraits>;

export type CallKindName = keyof typeof CALL_KINDS;

export const CALL_KIND_NAMES = Object.keys(CALL_KINDS) as CallKindName[];

/**
 * The kind of call that a model with this output is for. A model without declared output is a chat model, and so is one
 * that writes text beside its images.
 */
export function kindOfOutput(modalities: readonly string[]): CallKindName {
  if (modalities.includes(CALL_KINDS.chat.output)) return 'chat';
  return CALL_KIND_NAMES.find((name) => name !== 'chat' && modalities.includes(CALL_KINDS[name].output)) ?? 'chat';
}

type ApiType = (typeof CALL_KINDS)[CallKindName]['apiType'];

/** The names of all kinds in records. */
export const API_TYPES = CALL_KIND_NAMES.map((name): ApiType => CALL_KINDS[name].apiType);
