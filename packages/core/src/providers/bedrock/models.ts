import { GatewayError } from '../../foundation/errors.ts';
import { isObject, objectsOf, parseReturned } from '../../foundation/parse.ts';
import type { CacheTtl } from '../../wire/cache-report.ts';
import type { DiscoveredModel } from '../provider.ts';

/** Differences between models of the Converse wire that affect requests, by their names (AWS's guide, November 2026). */
export interface BedrockTraits {
  /** How the amount of reasoning is said: as Nova has it, as gpt-oss has it, or not at all. */
  readonly reasoning: 'nova' | 'effort' | 'none';
  /** How long cache points keep a prompt; empty for a model that refuses them. */
  readonly cacheTtls: readonly CacheTtl[];
  /** Whether completions can be bound to a JSON schema; elsewhere it is said in words. */
  readonly hasOutputFormat: boolean;
  /** Where `top_k` goes; null where there is none. */
  readonly topK: 'top_k' | 'nova' | null;
}

/** `anthropic.claude-…`, `eu.anthropic.claude-…`: models that are called in Anthropic's own form. */
export const isAnthropicModel = (providerModel: string): boolean => /(?:^|[./])anthropic\.claude/.test(providerModel);

export function readBedrockTraits(providerModel: string): BedrockTraits {
  const isNova = /amazon\.nova/.test(providerModel);
  return {
    reasoning: /amazon\.nova-(?:2|[a-z]+-2)/.test(providerModel)
      ? 'nova'
      : /openai\.gpt-oss/.test(providerModel)
        ? 'effort'
        : 'none',
    cacheTtls: isAnthropicModel(providerModel) ? ['5m', '1h'] : isNova ? ['5m'] : [],
    hasOutputFormat: /openai\.|qwen\.|deepseek\.v|mistral\.|google\.gemma|moonshot|minimax\.|nvidia\./.test(
      providerModel,
    ),
    topK: isNova ? 'nova' : null,
  };
}

const OUTPUTS: Readonly<Record<string, string>> = {
  TEXT: 'text',
  IMAGE: 'image',
  EMBEDDING: 'embeddings',
  VIDEO: 'video',
};

/** Reads `GET /foundation-models`: those that can be called as they are, which speak. Throws `provider_unavailable`. */
export function readBedrockModelList(text: string, providerName: string): readonly DiscoveredModel[] {
  const body = parseReturned(text, providerName, 'a model list');
  if (!isObject(body) || !Array.isArray(body['modelSummaries'])) {
    throw new GatewayError('provider_unavailable', `${providerName} returned a model list without "modelSummaries"`);
  }
  return objectsOf(body['modelSummaries']).flatMap((model) => {
    const { modelId, modelLifecycle, inferenceTypesSupported: types, outputModalities, inputModalities } = model;
    const isActive = !isObject(modelLifecycle) || modelLifecycle['status'] !== 'LEGACY';
    const isCallable = !Array.isArray(types) || types.includes('ON_DEMAND');
    const outputs = toModalities(outputModalities);
    if (typeof modelId !== 'string' || !isActive || !isCallable || !outputs.includes('text')) return [];
    return [{ id: modelId, inputModalities: toModalities(inputModalities), outputModalities: outputs }];
  });
}

const toModalities = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.flatMap((one) => OUTPUTS[String(one)] ?? []) : [];
