import { isReasoningSupported, isSupported } from '../../../wire/chat-parameters.ts';
import type { ChatCompletionRequest } from '../../../wire/chat-request.ts';
import { refuseField } from '../../../wire/fields.ts';
import { budgetOfEffort, effortOfBudget, MIN_REASONING_TOKENS, type RealEffort } from '../../kit/to-upstream.ts';
import type { ChatCall } from '../../provider.ts';
import { type GeminiThinking, readGeminiTraits, type ThinkingLevel } from '../models.ts';
import { toGoogleConversation } from './to-google-conversation.ts';

type Supports = (name: string) => boolean;

/** Parameters that only have another name on this wire. */
const RENAMED = [
  ['temperature', 'temperature'],
  ['top_p', 'topP'],
  ['frequency_penalty', 'frequencyPenalty'],
  ['presence_penalty', 'presencePenalty'],
  ['seed', 'seed'],
] as const satisfies readonly (readonly [keyof ChatCompletionRequest, string])[];

/** Fields of `image_config` that this wire supports. */
const IMAGE_FIELDS = [
  ['aspect_ratio', 'aspectRatio'],
  ['image_size', 'imageSize'],
] as const;

/**
 * Builds the upstream body. A field that the endpoint does not support is left out, as the public wire promises; one
 * that it supports but this wire cannot express is refused with `invalid_request` that names it, or left out where a
 * completion without it still meets the request (docs/providers/google.md has the list). With `needsFileTypes` each file
 * at an address gets a type, which Vertex AI demands.
 */
export function toGoogleRequest(call: ChatCall, needsFileTypes = false): Record<string, unknown> {
  const { request, providerModel, supportedParameters } = call;
  const supports: Supports = (name) => isSupported(call, name) !== false;
  const traits = readGeminiTraits(providerModel, supportedParameters);
  const tools = supports('tools') ? toFunctionDeclarations(request.tools) : [];
  const choice = tools.length > 0 && supports('tool_choice') ? toCallingConfig(request.tool_choice) : undefined;
  const generationConfig: Record<string, unknown> = {
    ...toSampling(request, supports),
    ...(supports('response_format') && toResponseFormat(request.response_format)),
    ...toOutput(request),
  };
  const thinking =
    isReasoningSupported(call) !== false ? toThinkingConfig(request, traits.thinking, call.isOfFamily) : undefined;
  if (thinking !== undefined) generationConfig['thinkingConfig'] = thinking;
  return {
    ...toGoogleConversation(request.messages, { ...traits, needsFileTypes }),
    ...(tools.length > 0 && { tools: [{ functionDeclarations: tools }] }),
    ...(choice && { toolConfig: { functionCallingConfig: choice } }),
    ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
  };
}

function toSampling(request: ChatCompletionRequest, supports: Supports): Record<string, unknown> {
  const config: Record<string, unknown> = {};
  for (const [name, upstreamName] of RENAMED) {
    const value = request[name];
    if (value !== undefined && value !== null && supports(name)) config[upstreamName] = value;
  }
  const { top_k: topK, logprobs, top_logprobs: topLogprobs } = request;
  // On other wires 0 turns the limit off, which is the absence of the field here.
  if (topK && supports('top_k')) config['topK'] = topK;
  if (logprobs === true && supports('logprobs')) {
    config['responseLogprobs'] = true;
    if (topLogprobs && supports('top_logprobs')) config['logprobs'] = topLogprobs;
  }
  const stop = supports('stop') ? toStopSequences(request.stop) : [];
  if (stop.length > 0) config['stopSequences'] = stop;
  const maxTokens = request.max_completion_tokens ?? request.max_tokens;
  if (typeof maxTokens === 'number') config['maxOutputTokens'] = maxTokens;
  return config;
}

function toStopSequences(stop: unknown): string[] {
  if (stop === undefined || stop === null) return [];
  const list: unknown[] = Array.isArray(stop) ? stop : [stop];
  if (list.every((item) => typeof item === 'string')) return list;
  throw refuseField('stop', 'must be a text or a list of texts for this provider');
}

function toResponseFormat(format: ChatCompletionRequest['response_format']): Record<string, unknown> {
  if (!format || format.type === 'text') return {};
  if (format.type !== 'json_object' && format.type !== 'json_schema') {
    throw refuseField('response_format.type', `"${format.type}" is not supported by this provider`);
  }
  const schema = format.type === 'json_schema' ? format.json_schema.schema : undefined;
  return { responseMimeType: 'application/json', ...(schema && { responseJsonSchema: schema }) };
}

function toOutput({ modalities, image_config: image }: ChatCompletionRequest): Record<string, unknown> {
  const known = IMAGE_FIELDS.flatMap(([name, upstreamName]) => (image?.[name] ? [[upstreamName, image[name]]] : []));
  return {
    ...(modalities && modalities.length > 0 && { responseModalities: modalities.map((name) => name.toUpperCase()) }),
    ...(known.length > 0 && { imageConfig: Object.fromEntries(known) as unknown }),
  };
}

function toFunctionDeclarations(tools: ChatCompletionRequest['tools']): Record<string, unknown>[] {
  return (tools ?? []).map((tool, index) => {
    if (tool.type !== 'function')
      throw refuseField(`tools.${index}.type`, `"${tool.type}" cannot be run by this provider`);
    const { name, description, parameters } = (tool as { function: FunctionTool }).function;
    return { name, ...(description && { description }), ...(parameters && { parametersJsonSchema: parameters }) };
  });
}

interface FunctionTool {
  readonly name: string;
  readonly description?: string | null;
  readonly parameters?: Readonly<Record<string, unknown>> | null;
}

const MODES: Readonly<Record<string, string>> = { none: 'NONE', auto: 'AUTO', required: 'ANY' };

function toCallingConfig(choice: ChatCompletionRequest['tool_choice']): Record<string, unknown> | undefined {
  if (choice === undefined || choice === null) return undefined;
  if (typeof choice === 'string') return { mode: MODES[choice] };
  if (choice.type !== 'function') {
    throw refuseField('tool_choice.type', 'only functions can be chosen at this provider');
  }
  return { mode: 'ANY', allowedFunctionNames: [(choice as { function: { name: string } }).function.name] };
}

/** The output limit of the models that think, for shares of it when the caller sets none. */
const DEFAULT_MAX_TOKENS = 65_536;

/**
 * Undefined without parameters. Thoughts are requested unless the caller hides them, because they are returned by
 * default (wire.md 6.6). Throws `invalid_request` when the output limit leaves no room for the budget, or when thinking
 * cannot be turned off as requested; with `isOfFamily` it is reduced to the minimum instead.
 */
export function toThinkingConfig(
  request: ChatCompletionRequest,
  thinking: GeminiThinking,
  isOfFamily = false,
): Record<string, unknown> | undefined {
  const { reasoning } = request;
  if (thinking.kind === 'none') return undefined;
  const wish = reasoning?.effort ?? request.reasoning_effort ?? (reasoning?.enabled === true ? 'medium' : undefined);
  const isOff = reasoning?.enabled === false || wish === 'none';
  if (isOff && thinking.kind === 'budget' && thinking.canBeOff) return { thinkingBudget: 0 };
  if (isOff && !isOfFamily) {
    throw refuseField('reasoning.effort', 'reasoning cannot be turned off on this model; ask for "minimal" instead');
  }
  const effort = isOff ? 'minimal' : wish;
  const budget = isOff ? 0 : (reasoning?.max_tokens ?? 0);
  const isHidden = reasoning?.exclude === true || request.include_reasoning === false;
  const shown = isHidden ? undefined : { includeThoughts: true };
  if (budget <= 0 && effort === undefined) return shown;
  const maxTokens = request.max_completion_tokens ?? request.max_tokens ?? undefined;
  const asked = budget > 0 ? effortOfBudget(budget, maxTokens ?? DEFAULT_MAX_TOKENS) : effort;
  return thinking.kind === 'budget'
    ? { ...shown, thinkingBudget: clamp(toBudget(budget, effort, maxTokens), thinking) }
    : { ...shown, thinkingLevel: toLevel(asked, thinking.levels) };
}

function toBudget(budget: number, effort: RealEffort | undefined, maxTokens: number | undefined): number {
  if (budget > 0) {
    if (maxTokens === undefined || budget < maxTokens) return budget;
    throw refuseField(
      'reasoning.max_tokens',
      `must be below max_tokens: ${budget} leaves nothing of ${maxTokens} for the completion`,
    );
  }
  const tokens = budgetOfEffort(effort ?? 'medium', maxTokens ?? DEFAULT_MAX_TOKENS);
  if (maxTokens === undefined || tokens < maxTokens) return tokens;
  throw refuseField('max_tokens', `must be above ${MIN_REASONING_TOKENS} for reasoning on this model`);
}

const clamp = (tokens: number, { min, max }: { readonly min: number; readonly max: number }): number =>
  Math.max(min, Math.min(max, tokens));

/** The nearest level that the model supports; each supports LOW and HIGH. */
function toLevel(effort: RealEffort | undefined, levels: readonly ThinkingLevel[]): ThinkingLevel {
  const asked = effort === 'xhigh' || effort === 'max' ? 'HIGH' : (effort?.toUpperCase() as ThinkingLevel);
  if (levels.includes(asked)) return asked;
  return asked === 'MINIMAL' ? 'LOW' : 'HIGH';
}
