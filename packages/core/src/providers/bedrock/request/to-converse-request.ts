import { isRecord, type Unchecked } from '../../../foundation/parse.ts';
import { isReasoningSupported, isSupported } from '../../../wire/chat-parameters.ts';
import type { ChatCompletionRequest } from '../../../wire/chat-request.ts';
import { refuseField } from '../../../wire/fields.ts';
import type { Block } from '../../anthropic/request/to-anthropic-content.ts';
import { toCacheControl } from '../../anthropic/request/to-anthropic-content.ts';
import {
  toAnthropicToolChoice,
  toAnthropicTools,
  toStopSequences,
} from '../../anthropic/request/to-anthropic-request.ts';
import {
  effortOfBudget,
  JSON_OBJECT_INSTRUCTION,
  type RealEffort,
  toSchemaInstruction,
} from '../../kit/to-upstream.ts';
import type { ChatCall } from '../../provider.ts';
import { type BedrockTraits, readBedrockTraits } from '../models.ts';
import { toCachePoint, toConverseConversation } from './to-converse-conversation.ts';

/** Of a model without a limit in the catalog, where a budget of reasoning has to be seen as a share of something. */
const USUAL_MAX_TOKENS = 8192;

/**
 * Builds the body of `Converse` and `ConverseStream`, which have the same. An unsupported field is left out when it only
 * tunes the completion; when content or form depends on it, `invalid_request` names it.
 */
export function toConverseRequest(call: ChatCall): Record<string, unknown> {
  const { request } = call;
  const traits = readBedrockTraits(call.providerModel);
  const supports: Supports = (name) => isSupported(call, name) !== false;
  const { system, messages } = toConverseConversation(request.messages, traits);
  messages.at(-1)?.content.push(...toCachePoint(toCacheControl(request), traits));
  const output = supports('response_format') ? toOutput(request, traits) : {};
  if (output.instruction !== undefined) system.push({ text: output.instruction });
  const reasoning = isReasoningSupported(call) === false ? {} : toReasoning(call, traits);
  const fields = { ...reasoning.fields, ...(supports('top_k') && toTopK(request, traits)) };
  const inference = toInference(request, supports, reasoning.isAlone === true);
  const tools = supports('tools') ? toToolConfig(call, traits, messages) : toEarlierTools(messages);
  const tier = toServiceTier(request);
  return {
    messages,
    ...(system.length > 0 && { system }),
    ...(Object.keys(inference).length > 0 && { inferenceConfig: inference }),
    ...(tools !== undefined && { toolConfig: tools }),
    ...(output.textFormat && { outputConfig: { textFormat: output.textFormat } }),
    ...(Object.keys(fields).length > 0 && { additionalModelRequestFields: fields }),
    ...(tier !== undefined && { serviceTier: { type: tier } }),
  };
}

type Supports = (name: string) => boolean;

function toInference(request: ChatCompletionRequest, supports: Supports, isReasoningAlone: boolean): Block {
  const { temperature, top_p: topP } = request;
  const maxTokens = request.max_completion_tokens ?? request.max_tokens;
  const stop = supports('stop') ? toStopSequences(request.stop) : [];
  const isFree = !isReasoningAlone;
  return {
    ...(typeof maxTokens === 'number' && { maxTokens }),
    // From 0 to 1 here, from 0 to 2 in the gateway's form.
    ...(typeof temperature === 'number' &&
      supports('temperature') &&
      isFree && { temperature: Math.min(temperature, 1) }),
    ...(typeof topP === 'number' && supports('top_p') && isFree && { topP }),
    ...(stop.length > 0 && { stopSequences: stop }),
  };
}

function toTopK({ top_k: topK }: ChatCompletionRequest, traits: BedrockTraits): Block {
  if (typeof topK !== 'number' || traits.topK === null) return {};
  return traits.topK === 'nova' ? { inferenceConfig: { topK } } : { top_k: topK };
}

function toToolConfig(
  { request, ignoresCalls }: ChatCall,
  traits: BedrockTraits,
  messages: readonly { readonly content: readonly Block[] }[],
): Block | undefined {
  const tools = toAnthropicTools(request.tools ?? []);
  // Earlier calls of tools want the tools.
  if (tools.length === 0) return toEarlierTools(messages);
  const choice = toAnthropicToolChoice(request);
  if (choice?.['type'] === 'none') {
    // No choice keeps them from being called again.
    const isInUse = messages.some(({ content }) =>
      content.some((block) => 'toolUse' in block || 'toolResult' in block),
    );
    if (!isInUse) return undefined;
    if (ignoresCalls !== true) {
      throw refuseField('tool_choice', '"none" cannot be said to this provider once tools have been called');
    }
  }
  return {
    tools: tools.flatMap((tool) => [
      {
        toolSpec: {
          name: tool['name'],
          ...(tool['description'] !== undefined && { description: tool['description'] }),
          inputSchema: { json: tool['input_schema'] },
          ...(tool['strict'] === true && { strict: true }),
        },
      },
      ...toCachePoint(tool, traits),
    ]),
    ...toToolChoice(choice),
  };
}

/** The tools that were called, by their names alone, where the caller names none any more. */
function toEarlierTools(messages: readonly { readonly content: readonly Block[] }[]): Block | undefined {
  const names = messages.flatMap(({ content }) =>
    content.flatMap(({ toolUse }) => (isRecord(toolUse) ? [toolUse['name']] : [])),
  );
  if (names.length === 0) return undefined;
  const inputSchema = { json: { type: 'object' } };
  return { tools: [...new Set(names)].map((name) => ({ toolSpec: { name, inputSchema } })) };
}

function toToolChoice(choice: Unchecked | undefined): Block {
  switch (choice?.['type']) {
    case 'any':
      return { toolChoice: { any: {} } };
    case 'tool':
      return { toolChoice: { tool: { name: choice['name'] } } };
    default:
      return {};
  }
}

interface Output {
  readonly textFormat?: Block;
  /** Describes the format in words, where the wire cannot bind the completion to it. */
  readonly instruction?: string;
}

function toOutput({ response_format: format }: ChatCompletionRequest, traits: BedrockTraits): Output {
  switch (format?.type) {
    case 'json_object':
      return { instruction: JSON_OBJECT_INSTRUCTION };
    case 'json_schema': {
      const { schema, name, description } = format.json_schema;
      if (!schema) return { instruction: JSON_OBJECT_INSTRUCTION };
      if (!traits.hasOutputFormat) return { instruction: toSchemaInstruction(schema) };
      const jsonSchema = { schema: JSON.stringify(schema), name, ...(description && { description }) };
      return { textFormat: { type: 'json_schema', structure: { jsonSchema } } };
    }
    case 'grammar':
    case 'python':
      throw refuseField('response_format.type', `"${format.type}" is not known to this provider`);
    default:
      return {};
  }
}

interface Reasoning {
  readonly fields?: Block;
  /** The model then refuses sampling parameters. */
  readonly isAlone?: boolean;
}

/** Reasoning is said in each vendor's own words; a model without any reasons as it does. */
function toReasoning({ request, maxOutputTokens }: ChatCall, { reasoning }: BedrockTraits): Reasoning {
  const maxTokens = request.max_completion_tokens ?? request.max_tokens;
  const effort = readEffort(request, maxTokens ?? maxOutputTokens ?? USUAL_MAX_TOKENS);
  if (reasoning === 'none' || effort === undefined) return {};
  if (effort === 'none') return reasoning === 'nova' ? { fields: { reasoningConfig: { type: 'disabled' } } } : {};
  const known = effort === 'minimal' ? 'low' : effort === 'xhigh' || effort === 'max' ? 'high' : effort;
  if (reasoning === 'effort') return { fields: { reasoning_effort: known } };
  // At its highest effort Nova refuses a limit of tokens, which the caller pays by.
  const isLimited = known === 'high' && typeof maxTokens === 'number';
  const maxReasoningEffort = isLimited ? 'medium' : known;
  return {
    fields: { reasoningConfig: { type: 'enabled', maxReasoningEffort } },
    isAlone: maxReasoningEffort === 'high',
  };
}

function readEffort(
  { reasoning, reasoning_effort: outer }: ChatCompletionRequest,
  maxTokens: number,
): RealEffort | 'none' | undefined {
  if (reasoning?.enabled === false) return 'none';
  const budget = reasoning?.max_tokens ?? 0;
  if (budget > 0 && reasoning?.effort !== 'none') return effortOfBudget(budget, maxTokens);
  return reasoning?.effort ?? outer ?? (reasoning?.enabled === true ? 'medium' : undefined);
}

function toServiceTier({ service_tier: tier }: ChatCompletionRequest): string | undefined {
  return tier === 'priority' || tier === 'flex' || tier === 'default' ? tier : undefined;
}
