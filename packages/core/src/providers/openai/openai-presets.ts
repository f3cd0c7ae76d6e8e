import { OPENAI_ONLY_FIELDS } from '../../wire/chat-parameters.ts';
import type { OpenAiPreset } from '../provider-preset.ts';
import { type DataPolicy, UNKNOWN_DATA_POLICY } from '../provider.ts';
import { COMMON_DIALECT, type OpenAiDialect } from './openai-dialect.ts';

/** API traffic is not used for training by default, but stored for a while against abuse. */
const NO_TRAINING: DataPolicy = { training: false, retainsPrompts: true };
const NO_TRAINING_RETENTION_UNKNOWN: DataPolicy = { training: false, retainsPrompts: null };
/** Traffic is neither used for training nor stored, or the model runs on the operator's own machine. */
const NOTHING_KEPT: DataPolicy = { training: false, retainsPrompts: false };

const dialect = (differences: Partial<OpenAiDialect>): OpenAiDialect => ({ ...COMMON_DIALECT, ...differences });

const SAMPLING_BEYOND_OPENAI = ['top_k', 'min_p', 'top_a', 'repetition_penalty'];
const LOG_PROBABILITIES = ['logit_bias', 'logprobs', 'top_logprobs'];
const without = (...lists: readonly Iterable<string>[]): ReadonlySet<string> =>
  new Set(lists.flatMap((list) => [...list]));

const openAi = dialect({
  maxTokensField: 'max_completion_tokens',
  renamedValues: { verbosity: { xhigh: 'high', max: 'high' } },
  unsupportedParameters: without(SAMPLING_BEYOND_OPENAI),
  knowsDeveloperRole: true,
  cacheMarks: 'prompt_cache_breakpoint',
  hasResponses: true,
  embeddings: { input_type: null },
  hasAudioEvents: true,
  transcripts: 'counted',
});

/** The dialect of a server with the API of this gateway. */
const gateway = dialect({
  knowsDeveloperRole: true,
  cacheMarks: 'cache_control',
  cacheTtls: ['5m', '1h'],
  streamUsage: 'always',
  reasoningRequest: 'reasoning',
  earlierReasoning: 'reasoning_details',
  isGateway: true,
  transcripts: 'counted',
});

const preset = (
  name: string,
  baseUrl: string,
  apiKeyEnv: string | null,
  rest: Pick<OpenAiPreset, 'dialect' | 'dataPolicy'> & Partial<OpenAiPreset>,
): OpenAiPreset => ({ wire: 'openai', name, baseUrl, apiKeyEnv, listsModels: true, ...rest });

/** How each differs, from its own documentation as of 2026-11; `docs/providers/openai.md` has the table. */
export const OPENAI_PRESETS = {
  openai: preset('OpenAI', 'https://api.openai.com/v1', 'OPENAI_API_KEY', {
    keyPage: 'https://platform.openai.com/api-keys',
    dialect: openAi,
    dataPolicy: NO_TRAINING,
  }),
  azure: {
    wire: 'openai',
    name: 'Azure',
    baseUrl: null,
    cloud: 'azure',
    ownAddress: {
      env: 'AZURE_OPENAI_ENDPOINT',
      path: '/openai/v1',
      example: 'https://RESOURCE.openai.azure.com/openai/v1',
    },
    apiKeyEnv: 'AZURE_OPENAI_API_KEY',
    // It lists what could be deployed; what can be called is deployments, under names of the customer's own.
    listsModels: false,
    dialect: { ...openAi, keyHeader: 'api-key', hasDeployments: true },
    dataPolicy: NO_TRAINING,
  },
  groq: preset('Groq', 'https://api.groq.com/openai/v1', 'GROQ_API_KEY', {
    keyPage: 'https://console.groq.com/keys',
    dialect: dialect({
      maxTokensField: 'max_completion_tokens',
      renamedValues: { service_tier: { default: 'on_demand', priority: 'performance' } },
      unsupportedParameters: without(SAMPLING_BEYOND_OPENAI, LOG_PROBABILITIES, OPENAI_ONLY_FIELDS),
      knowsMessageExtras: false,
      efforts: ['low', 'medium', 'high'],
      earlierReasoning: 'reasoning',
      hasThinkTags: true,
    }),
    dataPolicy: NO_TRAINING,
  }),
  together: preset('Together', 'https://api.together.xyz/v1', 'TOGETHER_API_KEY', {
    keyPage: 'https://api.together.ai/settings/api-keys',
    dialect: dialect({
      unsupportedParameters: without(['top_a', 'service_tier'], OPENAI_ONLY_FIELDS),
      reasoningRequest: 'reasoning_enabled',
      efforts: ['low', 'medium', 'high'],
      earlierReasoning: 'reasoning',
      hasThinkTags: true,
    }),
    dataPolicy: NO_TRAINING_RETENTION_UNKNOWN,
  }),
  fireworks: preset('Fireworks', 'https://api.fireworks.ai/inference/v1', 'FIREWORKS_API_KEY', {
    keyPage: 'https://fireworks.ai/account/api-keys',
    dialect: dialect({
      unsupportedParameters: without(['top_a', 'modalities', 'audio', 'verbosity']),
      efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
      earlierReasoning: 'reasoning_content',
      hasThinkTags: true,
    }),
    dataPolicy: NOTHING_KEPT,
  }),
  deepinfra: preset('DeepInfra', 'https://api.deepinfra.com/v1/openai', 'DEEPINFRA_API_KEY', {
    keyPage: 'https://deepinfra.com/dash/api_keys',
    dialect: dialect({
      unsupportedParameters: without(['top_a'], OPENAI_ONLY_FIELDS),
      efforts: ['low', 'medium', 'high'],
      earlierReasoning: 'reasoning_content',
      hasThinkTags: true,
    }),
    dataPolicy: NOTHING_KEPT,
  }),
  deepseek: preset('DeepSeek', 'https://api.deepseek.com/v1', 'DEEPSEEK_API_KEY', {
    keyPage: 'https://platform.deepseek.com/api_keys',
    dialect: dialect({
      unsupportedParameters: without(SAMPLING_BEYOND_OPENAI, ['structured_outputs']),
      reasoningRequest: 'thinking',
      efforts: ['low', 'high', 'max'],
      earlierReasoning: 'reasoning_content',
      reasoningPlaceholder: '',
      prefill: 'prefix',
      prefillSegment: 'beta',
    }),
    dataPolicy: UNKNOWN_DATA_POLICY,
  }),
  mistral: preset('Mistral', 'https://api.mistral.ai/v1', 'MISTRAL_API_KEY', {
    keyPage: 'https://console.mistral.ai/api-keys',
    dialect: dialect({
      embeddings: { dimensions: 'output_dimension', input_type: null, user: null },
      renamedFields: { seed: 'random_seed' },
      renamedValues: { tool_choice: { required: 'any' } },
      unsupportedParameters: without(SAMPLING_BEYOND_OPENAI, LOG_PROBABILITIES, [
        'modalities',
        'audio',
        'verbosity',
        'prompt_cache_key',
        'service_tier',
      ]),
      knowsMessageExtras: false,
      fileParts: 'document_url',
      hasOcr: true,
      toolCallIds: 'nine-alphanumerics',
      streamUsage: 'always',
      efforts: ['high'],
      earlierReasoning: 'thinking-part',
      prefill: 'prefix',
      transcripts: 'plain',
    }),
    dataPolicy: NO_TRAINING,
  }),
  cohere: preset('Cohere', 'https://api.cohere.ai/compatibility/v1', 'CO_API_KEY', {
    apiKeyAliases: ['COHERE_API_KEY'],
    keyPage: 'https://dashboard.cohere.com/api-keys',
    dialect: dialect({
      unsupportedParameters: without(SAMPLING_BEYOND_OPENAI, OPENAI_ONLY_FIELDS, [
        'logit_bias',
        'top_logprobs',
        'service_tier',
        'modalities',
        'audio',
      ]),
      knowsDeveloperRole: true,
      knowsMessageExtras: false,
      efforts: ['high'],
      earlierReasoning: null,
      embeddings: 'cohere',
      modelsPath: '/../../v1/models?page_size=1000',
      rerankPath: '/../../v2/rerank',
    }),
    dataPolicy: NO_TRAINING_RETENTION_UNKNOWN,
  }),
  voyage: preset('Voyage AI', 'https://api.voyageai.com/v1', 'VOYAGE_API_KEY', {
    keyPage: 'https://dashboard.voyageai.com/organization/api-keys',
    hasChat: false,
    listsModels: false,
    dialect: dialect({
      renamedFields: { top_n: 'top_k' },
      renamedValues: { input_type: { search_query: 'query', search_document: 'document' } },
      // It takes no word for numbers, which are what it sends without one.
      embeddings: { dimensions: 'output_dimension', encoding_format: null, user: null },
    }),
    dataPolicy: UNKNOWN_DATA_POLICY,
  }),
  jina: preset('Jina AI', 'https://api.jina.ai/v1', 'JINA_API_KEY', {
    keyPage: 'https://jina.ai/api-dashboard/key-manager',
    hasChat: false,
    listsModels: false,
    dialect: dialect({
      renamedValues: {
        input_type: {
          search_query: 'retrieval.query',
          query: 'retrieval.query',
          search_document: 'retrieval.passage',
          document: 'retrieval.passage',
          clustering: 'separation',
        },
      },
      embeddings: { encoding_format: 'embedding_type', input_type: 'task', user: null },
    }),
    dataPolicy: UNKNOWN_DATA_POLICY,
  }),
  xai: preset('xAI', 'https://api.x.ai/v1', 'XAI_API_KEY', {
    keyPage: 'https://console.x.ai/',
    dialect: dialect({
      maxTokensField: 'max_completion_tokens',
      unsupportedParameters: without(SAMPLING_BEYOND_OPENAI),
      efforts: ['low', 'medium', 'high'],
    }),
    dataPolicy: NO_TRAINING,
  }),
  cerebras: preset('Cerebras', 'https://api.cerebras.ai/v1', 'CEREBRAS_API_KEY', {
    keyPage: 'https://cloud.cerebras.ai/',
    dialect: dialect({
      maxTokensField: 'max_completion_tokens',
      unsupportedParameters: without(SAMPLING_BEYOND_OPENAI, OPENAI_ONLY_FIELDS, [
        'frequency_penalty',
        'presence_penalty',
        'logit_bias',
        'service_tier',
      ]),
      knowsMessageExtras: false,
      efforts: ['low', 'medium', 'high'],
      earlierReasoning: 'reasoning',
      hasThinkTags: true,
    }),
    dataPolicy: NOTHING_KEPT,
  }),
  perplexity: preset('Perplexity', 'https://api.perplexity.ai', 'PERPLEXITY_API_KEY', {
    keyPage: 'https://www.perplexity.ai/settings/api',
    listsModels: false,
    dialect: dialect({
      unsupportedParameters: without(LOG_PROBABILITIES, OPENAI_ONLY_FIELDS, [
        'min_p',
        'top_a',
        'repetition_penalty',
        'seed',
        'stop',
        'tools',
        'tool_choice',
        'parallel_tool_calls',
        'service_tier',
        'json_object',
      ]),
      streamUsage: 'always',
      efforts: ['minimal', 'low', 'medium', 'high'],
      hasThinkTags: true,
    }),
    dataPolicy: NO_TRAINING_RETENTION_UNKNOWN,
  }),
  moonshot: preset('Moonshot AI', 'https://api.moonshot.ai/v1', 'MOONSHOT_API_KEY', {
    keyPage: 'https://platform.moonshot.ai/console/api-keys',
    slug: 'moonshotai',
    dialect: dialect({
      unsupportedParameters: without(SAMPLING_BEYOND_OPENAI, LOG_PROBABILITIES),
      reasoningRequest: 'thinking',
      efforts: [],
      earlierReasoning: 'reasoning_content',
      // It refuses an empty one.
      reasoningPlaceholder: ' ',
    }),
    dataPolicy: UNKNOWN_DATA_POLICY,
  }),
  alibaba: preset('Alibaba', 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1', 'DASHSCOPE_API_KEY', {
    keyPage: 'https://bailian.console.alibabacloud.com/?apiKey=1',
    dialect: dialect({
      unsupportedParameters: without(['min_p', 'top_a', 'logit_bias', 'service_tier'], OPENAI_ONLY_FIELDS),
      cacheMarks: 'cache_control',
      cacheTtls: ['5m'],
      reasoningRequest: 'enable_thinking',
      efforts: [],
      earlierReasoning: 'reasoning_content',
    }),
    dataPolicy: NO_TRAINING_RETENTION_UNKNOWN,
  }),
  nvidia: preset('Nvidia', 'https://integrate.api.nvidia.com/v1', 'NVIDIA_API_KEY', {
    keyPage: 'https://build.nvidia.com/settings/api-keys',
    dialect: dialect({
      unsupportedParameters: without(SAMPLING_BEYOND_OPENAI, OPENAI_ONLY_FIELDS, ['service_tier']),
      reasoningRequest: 'chat_template_kwargs',
      efforts: ['low', 'medium', 'high'],
      hasThinkTags: true,
    }),
    dataPolicy: UNKNOWN_DATA_POLICY,
  }),
  openrouter: preset('OpenRouter', 'https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY', {
    keyPage: 'https://openrouter.ai/settings/keys',
    dialect: gateway,
    dataPolicy: UNKNOWN_DATA_POLICY,
  }),
  gateway: {
    wire: 'openai',
    name: 'Gateway',
    baseUrl: null,
    ownAddress: { env: 'GATEWAY_UPSTREAM_URL', path: '/api/v1', example: 'https://gateway.example/api/v1' },
    apiKeyEnv: 'GATEWAY_UPSTREAM_KEY',
    listsModels: true,
    dialect: gateway,
    dataPolicy: UNKNOWN_DATA_POLICY,
  },
  ollama: preset('Ollama', 'http://127.0.0.1:11434/v1', null, {
    dialect: dialect({
      localServer: 'ollama',
      unsupportedParameters: without(SAMPLING_BEYOND_OPENAI),
      efforts: ['low', 'medium', 'high'],
      earlierReasoning: 'reasoning',
      hasThinkTags: true,
    }),
    dataPolicy: NOTHING_KEPT,
  }),
  lmstudio: preset('LM Studio', 'http://127.0.0.1:1234/v1', null, {
    dialect: dialect({
      localServer: 'lmstudio',
      renamedFields: { repetition_penalty: 'repeat_penalty' },
      unsupportedParameters: without(['top_a', 'json_object']),
      efforts: ['low', 'medium', 'high', 'xhigh'],
      hasThinkTags: true,
    }),
    dataPolicy: NOTHING_KEPT,
  }),
  'llama-cpp': preset('llama.cpp', 'http://127.0.0.1:8080/v1', null, {
    dialect: dialect({
      localServer: 'llama-cpp',
      renamedFields: { repetition_penalty: 'repeat_penalty' },
      unsupportedParameters: without(['top_a']),
      reasoningRequest: 'chat_template_kwargs',
      efforts: ['low', 'medium', 'high'],
      earlierReasoning: 'reasoning_content',
      hasThinkTags: true,
      prefill: 'continues',
    }),
    dataPolicy: NOTHING_KEPT,
  }),
  vllm: preset('vLLM', 'http://127.0.0.1:8000/v1', null, {
    dialect: dialect({
      unsupportedParameters: without(['top_a']),
      reasoningRequest: 'chat_template_kwargs',
      efforts: ['low', 'medium', 'high'],
      earlierReasoning: 'reasoning',
      hasThinkTags: true,
      prefill: 'continue_final_message',
    }),
    dataPolicy: NOTHING_KEPT,
  }),
} satisfies Readonly<Record<string, OpenAiPreset>>;
