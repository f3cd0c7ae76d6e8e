import { type ChatCompletionRequest, parseChatCompletion } from '../../wire/chat-request.ts';
import type { GeminiGenerationConfig, GeminiRequest, GeminiTool } from '../../wire/gemini.ts';
import { OWN_FIELDS } from './to-camel-case.ts';
import { toChatMessages } from './to-chat-messages.ts';
import { toJsonSchema } from './to-json-schema.ts';
import type { ToolNames } from './tool-names.ts';

/** In place of the messages, which have been checked, and are converted without another check. */
const NO_MESSAGES = [{ role: 'user', content: '' }];

/** Converts a checked request. Throws `invalid_request` for a wrong field that both forms share. */
export function toChatRequest(body: GeminiRequest, names: ToolNames): ChatCompletionRequest {
  const shared: Record<string, unknown> = { messages: NO_MESSAGES, model: body.model, stream: body.stream };
  for (const field of OWN_FIELDS) if (body[field] !== undefined) shared[field] = body[field];
  const { generationConfig: config, toolConfig, serviceTier } = body;
  Object.assign(shared, config && toSampling(config), config && toOutput(config));
  const choice = toolConfig?.functionCallingConfig ?? undefined;
  const tools = toChatTools(body.tools ?? [], names, choice?.mode === 'ANY' ? choice.allowedFunctionNames : null);
  if (tools.length > 0) Object.assign(shared, { tools, ...toToolChoice(choice, names) });
  const stop = config?.stopSequences ?? [];
  const tier = TIERS.get(serviceTier?.toLowerCase() ?? '');
  return {
    ...parseChatCompletion(shared),
    messages: toChatMessages(body, names),
    // One more than in chat completions.
    ...(stop.length > 0 && { stop }),
    ...(tier !== undefined && { service_tier: tier }),
  };
}

/** An unknown tier goes upstream as it is. */
const TIERS: ReadonlyMap<string, NonNullable<ChatCompletionRequest['service_tier']>> = new Map([
  ['standard', 'default'],
  ['flex', 'flex'],
  ['priority', 'priority'],
]);

function toSampling(config: GeminiGenerationConfig): Record<string, unknown> {
  const { temperature, topP, topK, maxOutputTokens, seed, presencePenalty, frequencyPenalty } = config;
  const sent: Record<string, unknown> = {
    temperature,
    top_p: topP,
    top_k: topK,
    max_tokens: maxOutputTokens,
    seed,
    presence_penalty: presencePenalty,
    frequency_penalty: frequencyPenalty,
    ...(config.responseLogprobs === true && { logprobs: true, top_logprobs: config.logprobs }),
    ...toReasoning(config.thinkingConfig),
    ...toFormat(config),
  };
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined && value !== null));
}

/**
 * A budget of 0 is what a request without thinking asks for, too; models that always reason do so. `includeThoughts`
 * shows thoughts, and has no say in how much a model thinks.
 */
function toReasoning(
  thinking: GeminiGenerationConfig['thinkingConfig'],
): Pick<ChatCompletionRequest, 'reasoning'> | undefined {
  if (!thinking) return undefined;
  const { includeThoughts, thinkingBudget: budget, thinkingLevel: level } = thinking;
  const effort = level && level !== 'THINKING_LEVEL_UNSPECIFIED' ? level.toLowerCase() : undefined;
  const amount =
    effort !== undefined
      ? { effort: effort as 'low' }
      : budget && (budget > 0 ? { max_tokens: budget } : { enabled: true });
  const reasoning = { ...amount, ...(includeThoughts !== true && { exclude: true }) };
  return Object.keys(reasoning).length === 0 ? undefined : { reasoning };
}

/** Without `strict`, which upstreams refuse for schemas as these clients write them. */
function toFormat(config: GeminiGenerationConfig): Pick<ChatCompletionRequest, 'response_format'> | undefined {
  const { responseMimeType: type, responseSchema, responseJsonSchema } = config;
  if (type !== 'application/json') return undefined;
  const schema = responseJsonSchema ?? (responseSchema ? toJsonSchema(responseSchema) : undefined);
  if (schema === undefined) return { response_format: { type: 'json_object' } };
  return { response_format: { type: 'json_schema', json_schema: { name: 'output', schema } } };
}

function toOutput({ responseModalities, imageConfig, speechConfig }: GeminiGenerationConfig): Record<string, unknown> {
  const modalities = (responseModalities ?? [])
    .map((name) => name.toLowerCase())
    .filter((name) => name !== 'modality_unspecified');
  const { aspectRatio, imageSize } = imageConfig ?? {};
  const image = { ...(aspectRatio && { aspect_ratio: aspectRatio }), ...(imageSize && { image_size: imageSize }) };
  const voice = speechConfig?.voiceConfig?.prebuiltVoiceConfig?.voiceName;
  return {
    ...(modalities.length > 0 && { modalities }),
    ...(Object.keys(image).length > 0 && { image_config: image }),
    ...(voice && modalities.includes('audio') && { audio: { voice, format: 'pcm16' } }),
  };
}

type ChatTools = NonNullable<ChatCompletionRequest['tools']>;

/**
 * Converts tools. Those that only Google runs are left out: an upstream of its form gets them in the native form, and
 * others cannot run them. `allowed`: the functions of which the model has to call one; where it is one alone, the choice
 * says so.
 */
function toChatTools(
  tools: readonly GeminiTool[],
  names: ToolNames,
  allowed: readonly string[] | null | undefined,
): ChatTools {
  const isAllowed = (name: string): boolean => !allowed || allowed.length < 2 || allowed.includes(name);
  return tools.flatMap((tool): ChatTools => {
    // Tools that this gateway runs have the same names in every format.
    if (tool.type && /^(openrouter|service):/.test(tool.type)) return [tool as ChatTools[number]];
    return (tool.functionDeclarations ?? []).flatMap((declared): ChatTools => {
      const { name, description, parameters, parametersJsonSchema } = declared;
      if (!isAllowed(name)) return [];
      const schema = parametersJsonSchema ?? (parameters ? toJsonSchema(parameters) : undefined);
      const called = {
        name: names.toChat(name),
        ...(description && { description }),
        parameters: schema ?? { type: 'object', properties: {} },
      };
      return [{ type: 'function', function: called }];
    });
  });
}

type CallingConfig = NonNullable<NonNullable<GeminiRequest['toolConfig']>['functionCallingConfig']>;

function toToolChoice(
  choice: CallingConfig | undefined,
  names: ToolNames,
): Pick<ChatCompletionRequest, 'tool_choice'> | undefined {
  switch (choice?.mode) {
    case 'NONE':
      return { tool_choice: 'none' };
    case 'AUTO':
    case 'VALIDATED':
      return { tool_choice: 'auto' };
    case 'ANY': {
      const [only, ...others] = choice.allowedFunctionNames ?? [];
      if (only === undefined || others.length > 0) return { tool_choice: 'required' };
      return { tool_choice: { type: 'function', function: { name: names.toChat(only) } } };
    }
    default:
      return undefined;
  }
}
