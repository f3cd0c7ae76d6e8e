import { z } from 'zod';

import { GatewayError } from '../../foundation/errors.ts';
import { checkWith, parseJson } from '../../foundation/parse.ts';
import { askWhole } from '../kit/ask-whole.ts';
import type { Upstream } from '../kit/to-upstream.ts';
import { vectorSchema } from '../kit/vector-schema.ts';
import type { EmbeddingsCall, EmbeddingsResult, Provider } from '../provider.ts';
import type { OpenAiDialect } from './openai-dialect.ts';
import { readOpenAiError } from './read-openai-error.ts';
import { toProviderName } from './response/openai-completion-reader.ts';
import { readOpenAiUsage } from './response/read-openai-usage.ts';

const responseSchema = z.object({
  id: z.string().nullish(),
  data: z.array(z.object({ index: z.int().nullish(), embedding: vectorSchema })),
  usage: z.looseObject({ prompt_tokens: z.int().nullish(), total_tokens: z.int().nullish() }).nullish(),
  provider: z.unknown().optional(),
});

interface EmbeddingsWire {
  readonly toUrl: (providerModel: string) => string;
  readonly isGateway: boolean;
  /** Fields that have another name there; null for those that are left out. */
  readonly names: Readonly<Record<string, string | null>>;
  /** Values that have another name there, by the field's common name. */
  readonly renamedValues: OpenAiDialect['renamedValues'];
}

/** Creates the embeddings of a provider over OpenAI's wire: `POST /embeddings`. */
export function createOpenAiEmbeddings(
  upstream: Upstream,
  { toUrl, isGateway, ...words }: EmbeddingsWire,
): NonNullable<Provider['embeddings']> {
  return async (call) => {
    const { providerModel, signal, timeoutMs } = call;
    const body = toBody(call, words);
    call.onSent?.('openai', body);
    const text = await askWhole(upstream, readOpenAiError, {
      url: toUrl(providerModel),
      body: JSON.stringify(body),
      signal,
      timeoutMs,
    });
    return readResult(text, { name: upstream.name, isGateway });
  };
}

/** Floats are requested by default, because not every server supports the other format. */
function toBody(
  { request, providerModel: model, preferences }: EmbeddingsCall,
  { names, renamedValues }: Pick<EmbeddingsWire, 'names' | 'renamedValues'>,
): object {
  const { input, dimensions, encoding_format, input_type, user } = request;
  const body: Record<string, unknown> = { model, input };
  for (const [field, value] of Object.entries({ dimensions, encoding_format, input_type, user })) {
    const name = names[field] === undefined ? field : names[field];
    if (value != null && name !== null) body[name] = renamedValues[field]?.[value] ?? value;
  }
  if (preferences !== undefined) body['provider'] = preferences;
  return body;
}

interface Sender {
  readonly name: string;
  /** Whether upstream is a gateway, and names the provider behind it. */
  readonly isGateway: boolean;
}

function readResult(text: string, { name: providerName, isGateway }: Sender): EmbeddingsResult {
  const parsed = checkWith(responseSchema, parseJson(text));
  if (!parsed.success) {
    throw new GatewayError('provider_unavailable', `${providerName} returned a response without embeddings`);
  }
  const { id, data, usage, provider } = parsed.data;
  const promptTokens = usage?.prompt_tokens ?? usage?.total_tokens ?? undefined;
  const read = readOpenAiUsage({ ...usage, prompt_tokens: promptTokens ?? 0, completion_tokens: 0 });
  const sorted = data.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0));
  return {
    vectors: sorted.map(({ embedding }) => embedding),
    promptTokens,
    upstreamId: id ?? undefined,
    upstreamCostUsd: read?.upstreamCostUsd,
    upstreamCosts: read?.upstreamCosts,
    isByok: read?.usage.is_byok,
    ...(isGateway && typeof provider === 'string' && { upstreamProvider: toProviderName(provider) }),
  };
}
