import { z } from 'zod';

import { GatewayError } from '../../foundation/errors.ts';
import { checkWith, parseJson, readCount } from '../../foundation/parse.ts';
import type { RerankDocument } from '../../wire/rerank.ts';
import { askWhole } from '../kit/ask-whole.ts';
import type { Upstream } from '../kit/to-upstream.ts';
import type { Provider } from '../provider.ts';
import type { RerankCall, RerankResult } from '../rerank-contract.ts';
import type { OpenAiDialect } from './openai-dialect.ts';
import { readOpenAiError } from './read-openai-error.ts';
import { toProviderName } from './response/openai-completion-reader.ts';
import { readOpenAiUsage } from './response/read-openai-usage.ts';

const rankedSchema = z.array(z.object({ index: z.int().min(0), relevance_score: z.number() }));
const counts = z.looseObject({}).nullish();

/** Cohere, Jina and vLLM call the list `results`, Voyage calls it `data`. */
const responseSchema = z
  .object({
    id: z.string().nullish(),
    results: rankedSchema.nullish(),
    data: rankedSchema.nullish(),
    usage: counts,
    meta: z.object({ billed_units: counts, tokens: counts }).partial().nullish(),
    provider: z.unknown().optional(),
  })
  .transform(({ results, data, ...rest }, context) => {
    const ranked = results ?? data;
    if (ranked != null) return { ...rest, ranked };
    context.addIssue('must have results');
    return z.NEVER;
  });

interface RerankWire {
  readonly toUrl: (providerModel: string) => string;
  readonly dialect: Pick<OpenAiDialect, 'isGateway' | 'renamedFields'>;
}

/**
 * Creates the ranking of a provider: `POST /rerank` in the form that Cohere began with and most servers have. Voyage
 * differs by the name of one field, and all of them by where their counts are.
 */
export function createOpenAiRerank(upstream: Upstream, wire: RerankWire): NonNullable<Provider['rerank']> {
  return async (call) => {
    const { providerModel, signal, timeoutMs } = call;
    const body = toBody(call, wire.dialect);
    call.onSent?.('openai', body);
    const text = await askWhole(upstream, readOpenAiError, {
      url: wire.toUrl(providerModel),
      body: JSON.stringify(body),
      signal,
      timeoutMs,
    });
    return readResult(text, upstream.name, wire.dialect);
  };
}

function toBody({ request, providerModel: model, preferences }: RerankCall, { renamedFields }: RerankWire['dialect']) {
  const { query, documents, top_n: limit } = request;
  return {
    model,
    query,
    documents: documents.map(toSent),
    ...(limit != null && { [renamedFields['top_n'] ?? 'top_n']: limit }),
    ...(preferences !== undefined && { provider: preferences }),
  };
}

/** A text is sent as text, because that is the one form of a document that every server reads. */
const toSent = (document: RerankDocument): RerankDocument =>
  typeof document === 'string' || document.image !== undefined ? document : (document.text ?? document);

function readResult(text: string, providerName: string, { isGateway }: RerankWire['dialect']): RerankResult {
  const parsed = checkWith(responseSchema, parseJson(text));
  if (!parsed.success) {
    throw new GatewayError('provider_unavailable', `${providerName} returned a response without ranked documents`);
  }
  const { id, ranked, usage, meta, provider } = parsed.data;
  const promptTokens =
    readCount(usage?.['total_tokens']) ??
    readCount(usage?.['prompt_tokens']) ??
    readCount(meta?.tokens?.['input_tokens']) ??
    readCount(meta?.billed_units?.['input_tokens']);
  const read = readOpenAiUsage({ ...usage, prompt_tokens: promptTokens ?? 0, completion_tokens: 0 });
  return {
    ranked: ranked.map(({ index, relevance_score: score }) => ({ index, score })),
    promptTokens,
    searchUnits: readCount(meta?.billed_units?.['search_units']) ?? readCount(usage?.['search_units']),
    upstreamId: id ?? undefined,
    upstreamCostUsd: read?.upstreamCostUsd,
    upstreamCosts: read?.upstreamCosts,
    isByok: read?.usage.is_byok,
    ...(isGateway && typeof provider === 'string' && { upstreamProvider: toProviderName(provider) }),
  };
}
