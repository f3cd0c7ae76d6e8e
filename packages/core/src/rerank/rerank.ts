import type { z } from 'zod';

import { type CallKind, minTokensOf, mostTokensOf } from '../calls/call-kind.ts';
import type { ModelCall } from '../calls/model-call.ts';
import { fields, media, type Place, record, text } from '../calls/text-places.ts';
import { mapList, type RequestText, toVisitor, weighText } from '../calls/texts.ts';
import type { CallContext } from '../dispatch/prepare-call.ts';
import { runWholeCall, type WholeCallParts, type WholeKind } from '../dispatch/run-whole-call.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { RerankResult } from '../providers/rerank-contract.ts';
import type { Usage } from '../wire/chat-chunk.ts';
import type { RerankDocument, RerankRequest, rerankResponseSchema } from '../wire/rerank.ts';
import { costOfSearches, estimateSearchUnits, mostSearchUnitsOf } from './search-units.ts';

/** Runs one call for an order of documents. Throws what ended it; either way it has been recorded. */
export async function runRerank(
  call: ModelCall<RerankRequest>,
  context: CallContext<WholeCallParts>,
): Promise<z.infer<typeof rerankResponseSchema>> {
  const { endpoint, result, usage, routing } = await runWholeCall(call, toWholeKind(context.parts), context);
  const { cost, total_tokens } = usage;
  const units = result.searchUnits === undefined ? {} : { search_units: result.searchUnits };
  return {
    id: call.id,
    model: endpoint.modelId,
    provider: result.upstreamProvider ?? endpoint.provider.name,
    // The caller's own documents, not what a guardrail may have made of them: by these the caller knows them again.
    results: result.ranked.map(({ index, score }) => ({
      index,
      relevance_score: score,
      document: toObject(call.request.documents[index] as RerankDocument),
    })),
    usage: {
      ...(cost != null && { cost }),
      ...units,
      total_tokens,
    },
    meta: { billed_units: units },
    ...routing,
  };
}

/** The order as it is stored. */
const toOrder = ({ ranked }: RerankResult): object[] =>
  ranked.map(({ index, score }) => ({ index, relevance_score: score }));

const toObject = (document: RerankDocument): Exclude<RerankDocument, string> =>
  typeof document === 'string' ? { text: document } : document;

function toWholeKind({ timeouts }: WholeCallParts): WholeKind<RerankRequest, RerankResult> {
  return {
    async ask({ provider, providerModel }, { request }, { signal, preferences, onSent }) {
      const timeoutMs = timeouts.nonStreamMs;
      const result = await provider.rerank?.({ request, providerModel, preferences, onSent, signal, timeoutMs });
      if (result === undefined) throw new GatewayError('not_found', `${provider.name} does not rerank documents`);
      return { ...result, ranked: toAskedOrder(result, request, provider.name) };
    },
    usageOf({ promptTokens, isByok }, request) {
      const usage = toUsage(promptTokens, request);
      return isByok === undefined ? usage : { ...usage, is_byok: isByok };
    },
    costOf: (prices, usage, { result, request, at }) =>
      costOfSearches(prices, usage, {
        searches: result.searchUnits ?? estimateSearchUnits(request),
        images: imagesOf(request),
        at,
      }),
    factsOf: ({ upstreamId, upstreamCostUsd, upstreamCosts, upstreamProvider: provider }) => ({
      upstreamId,
      upstreamCostUsd,
      upstreamCosts,
      ...(provider !== undefined && { upstream: { provider } }),
    }),
    contentOf: ({ query, documents }, result) => ({
      input: { prompt: JSON.stringify({ query, documents }) },
      output: { completion: result === undefined ? null : JSON.stringify(toOrder(result)), reasoning: null },
    }),
  };
}

/**
 * The best documents first, and only as many as were asked for. Throws `provider_unavailable` for an order that leaves
 * documents out, or has some twice or that were not sent.
 */
function toAskedOrder(
  { ranked }: RerankResult,
  { documents, top_n: limit }: RerankRequest,
  providerName: string,
): RerankResult['ranked'] {
  const wanted = Math.min(limit ?? documents.length, documents.length);
  const places = new Set(ranked.map(({ index }) => index));
  if (ranked.some(({ index }) => documents[index] === undefined) || places.size < ranked.length) {
    throw new GatewayError('provider_unavailable', `${providerName} ranked documents that were not sent`);
  }
  if (ranked.length < wanted) {
    const message = `${providerName} ranked ${ranked.length} documents where ${wanted} were asked for`;
    throw new GatewayError('provider_unavailable', message);
  }
  return ranked.toSorted((a, b) => b.score - a.score).slice(0, wanted);
}

function toUsage(counted: number | undefined, { query, documents }: RerankRequest): Usage {
  const asked = weighText(query);
  const weighed = documents.reduce((sum, document) => sum + asked + weighText(textOf(document)), 0);
  const tokens = counted ?? Math.ceil(weighed);
  const usage = { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens };
  return counted === undefined ? { ...usage, estimated: true } : usage;
}

const textOf = (document: RerankDocument): string => (typeof document === 'string' ? document : (document.text ?? ''));

const imagesOf = ({ documents }: RerankRequest): number =>
  documents.filter((document) => typeof document !== 'string' && document.image !== undefined).length;

/** The kind of calls that put documents in the order of their relevance to a query. */
export const rerankKind: CallKind<RerankRequest> = {
  name: 'rerank',
  modelsOf: ({ model }) => ({ model }),
  preferencesOf: ({ provider }) => ({ provider: provider ?? {}, partition: 'model' }),
  labelsOf: ({ session_id: session, user, trace }) => ({
    session: session ?? null,
    externalUser: user ?? null,
    trace: trace ?? null,
  }),
  withSession: (request, session) => ({ ...request, session_id: session }),
  needsOf: (request) => ({
    parameters: [],
    inputModalities: imagesOf(request) > 0 ? ['image'] : [],
    outputModalities: ['rerank'],
    // Servers cut a document that is too long for the context, so that its length excludes no endpoint.
    minPromptTokens: minTokensOf(request.query.length),
    outputTokens: 0,
    compression: 'never',
  }),
  boundOf(request) {
    const texts = request.documents.map(textOf);
    const images = imagesOf(request);
    return {
      // The query is read with each document.
      textTokens: mostTokensOf(texts) + mostTokensOf(request.query) * texts.length,
      mediaTokens: images === 0 ? 0 : null,
      images,
      hasAudio: false,
      maxTokens: 0,
      predictedTokens: 0,
      searchUnits: mostSearchUnitsOf(request),
    };
  },
  mapTexts,
};

function mapTexts(request: RerankRequest, change: (text: RequestText) => string): RerankRequest {
  const visit = toVisitor(change);
  const say = toVisitor(change, 'user');
  const query = say(request.query, 'text');
  const documents = mapList(request.documents, (item) => document(item, say) as RerankDocument);
  let changed = query === request.query && documents === request.documents ? request : { ...request, query, documents };
  for (const field of ['user', 'session_id', 'trace'] as const) {
    const mapped = LABELS[field](request[field], visit);
    if (mapped !== request[field]) changed = { ...changed, [field]: mapped };
  }
  return changed;
}

const document: Place = fields({ text, image: media });

const LABELS = { user: text, session_id: text, trace: record } as const;
