import { COMMON_DIALECT, type OpenAiDialect } from './openai/openai-dialect.ts';
import { type DataPolicy, UNKNOWN_DATA_POLICY } from './provider.ts';

/** A well-known provider as data: everything but the key. */
export interface Preset {
  readonly wire: 'openai';
  readonly name: string;
  readonly baseUrl: string;
  /** The customary environment variable of its key; null where none is needed. */
  readonly apiKeyEnv: string | null;
  readonly dialect: OpenAiDialect;
  readonly dataPolicy: DataPolicy;
}

const SAMPLING_BEYOND_OPENAI = ['top_k', 'min_p', 'top_a', 'repetition_penalty'];

/** API traffic is not trained on by default, but kept for a while against abuse. */
const NO_TRAINING: DataPolicy = { training: false, retainsPrompts: true };
/** The model runs on a machine of the operator's own. */
const LOCAL: DataPolicy = { training: false, retainsPrompts: false };

const dialect = (differences: Partial<OpenAiDialect>): OpenAiDialect => ({ ...COMMON_DIALECT, ...differences });

const openAi = dialect({
  maxTokensField: 'max_completion_tokens',
  unsupportedParameters: new Set(SAMPLING_BEYOND_OPENAI),
});
const withoutExtraSampling = dialect({ unsupportedParameters: new Set(SAMPLING_BEYOND_OPENAI) });

/** Providers that need no code of their own, by slug. */
export const PRESETS: Readonly<Record<string, Preset>> = {
  openai: {
    wire: 'openai',
    name: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    apiKeyEnv: 'OPENAI_API_KEY',
    dialect: openAi,
    dataPolicy: NO_TRAINING,
  },
  deepseek: {
    wire: 'openai',
    name: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com/v1',
    apiKeyEnv: 'DEEPSEEK_API_KEY',
    dialect: withoutExtraSampling,
    dataPolicy: UNKNOWN_DATA_POLICY,
  },
  groq: {
    wire: 'openai',
    name: 'Groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    apiKeyEnv: 'GROQ_API_KEY',
    dialect: withoutExtraSampling,
    dataPolicy: NO_TRAINING,
  },
  xai: {
    wire: 'openai',
    name: 'xAI',
    baseUrl: 'https://api.x.ai/v1',
    apiKeyEnv: 'XAI_API_KEY',
    dialect: withoutExtraSampling,
    dataPolicy: NO_TRAINING,
  },
  ollama: {
    wire: 'openai',
    name: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    apiKeyEnv: null,
    dialect: COMMON_DIALECT,
    dataPolicy: LOCAL,
  },
};
