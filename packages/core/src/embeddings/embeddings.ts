import type { z } from 'zod';

import { type CallKind, type CallNeeds, minTokensOf, mostTokensOf, type TokenBound } from '../calls/call-kind.ts';
import { content } from '../calls/message-places.ts';
import type { ModelCall } from '../calls/model-call.ts';
import { checked, chosen, fields, type Place, record, text } from '../calls/text-places.ts';
import { type RequestText, toVisitor, weighText } from '../calls/texts.ts';
import type { CallContext } from '../dispatch/prepare-call.ts';
import { runWholeCall, type WholeCallParts, type WholeKind, type WholeResult } from '../dispatch/run-whole-call.ts';
import { GatewayError } from '../foundation/errors.ts';
import { type GatewayResponse, toJsonResponse } from '../http/response.ts';
import type { EmbeddingsCall, EmbeddingsResult, Provider } from '../providers/provider.ts';
import { type WrittenEmbeddings, writtenWayOf } from '../providers/written-embeddings.ts';
import type { Usage } from '../wire/chat-chunk.ts';
import type { EmbeddingsItem, EmbeddingsRequest, embeddingsResponseSchema } from '../wire/embeddings.ts';
import type { RoutingMembers } from '../wire/routing.ts';
import { itemsOf } from '../wire/values.ts';
import { toFormat } from './vector-format.ts';
import { toWrittenResponse } from './written-response.ts';

type EmbeddingsResponse = z.infer<typeof embeddingsResponseSchema>;

/** Runs one call for embeddings. Throws what ended it; either way it has been recorded. */
export async function runEmbeddings(
  call: ModelCall<EmbeddingsRequest>,
  context: CallContext<WholeCallParts>,
): Promise<EmbeddingsResponse> {
  const served = await runWholeCall(call, toWholeKind(context.parts, askRead), context);
  return toResponse(call, served.result, served);
}

/** The same for a caller that takes JSON, which may have the vectors as upstream wrote them (docs/decisions/0073). */
export async function respondEmbeddings(
  call: ModelCall<EmbeddingsRequest>,
  context: CallContext<WholeCallParts>,
): Promise<GatewayResponse> {
  const served = await runWholeCall(call, toWholeKind(context.parts, askUnread), context);
  const { result } = served;
  return 'written' in result
    ? toWrittenResponse(toHead(call, served), result.written, toTail(served), context.responseHeaders)
    : toJsonResponse(200, toResponse(call, result, served), context.responseHeaders);
}

type Served = WholeResult<Pick<EmbeddingsResult, 'upstreamProvider' | 'tokensByModality'>>;

function toResponse(
  call: ModelCall<EmbeddingsRequest>,
  { vectors }: ReadEmbeddings,
  served: Served,
): EmbeddingsResponse {
  const data = vectors.map((embedding, index) => ({
    object: 'embedding' as const,
    index,
    embedding: embedding as number[] | string,
  }));
  return { ...toHead(call, served), data, ...toTail(served) };
}

/** The fields before the vectors. */
const toHead = ({ id }: ModelCall<EmbeddingsRequest>, { endpoint, result }: Served) => ({
  id,
  object: 'list' as const,
  model: endpoint.modelId,
  provider: result.upstreamProvider ?? endpoint.provider.name,
});

/** The fields behind the vectors. */
function toTail({ result, usage, routing }: Served): Pick<EmbeddingsResponse, 'usage' | keyof RoutingMembers> {
  const { cost, cost_details, is_byok, prompt_tokens, total_tokens } = usage;
  const { tokensByModality: prompt_tokens_details } = result;
  return {
    usage: {
      prompt_tokens,
      total_tokens,
      ...(cost !== undefined && { cost }),
      ...(is_byok !== undefined && { is_byok }),
      ...(cost_details !== undefined && { cost_details }),
      ...(prompt_tokens_details !== undefined && { prompt_tokens_details }),
    },
    ...routing,
  };
}

type AskedFacts = Omit<EmbeddingsResult, 'vectors'>;

function toWholeKind<Result extends AskedFacts>(
  { timeouts }: WholeCallParts,
  askProvider: (provider: Provider, call: EmbeddingsCall) => Promise<Result>,
): WholeKind<EmbeddingsRequest, Result> {
  return {
    ask({ provider, providerModel }, call, { signal, preferences, onSent }) {
      const timeoutMs = timeouts.nonStreamMs;
      const request = withPlainTexts(call.request);
      return askProvider(provider, { request, providerModel, preferences, onSent, signal, timeoutMs });
    },
    usageOf({ promptTokens, isByok }, { input }) {
      const usage = toUsage(promptTokens, input);
      return isByok === undefined ? usage : { ...usage, is_byok: isByok };
    },
    factsOf: ({ upstreamId, upstreamCostUsd, upstreamCosts, upstreamProvider: provider }) => ({
      upstreamId,
      upstreamCostUsd,
      upstreamCosts,
      ...(provider !== undefined && { upstream: { provider } }),
    }),
    contentOf: ({ input }) => ({
      input: { prompt: typeof input === 'string' ? input : JSON.stringify(input) },
      output: { completion: null, reasoning: null },
    }),
  };
}

type Part = Exclude<EmbeddingsItem, string | readonly number[]>['content'][number];

/** The same request with texts in the form that every server reads, where all parts are texts. */
function withPlainTexts(request: EmbeddingsRequest): EmbeddingsRequest {
  if (!partsOf(request.input).every(({ type }) => type === 'text')) return request;
  const input = itemsOf(request.input).map((item) => (hasParts(item) ? textOf(item.content) : item));
  return hasParts(itemsOf(request.input)[0] ?? '') ? { ...request, input: input as string[] } : request;
}

const hasParts = (item: EmbeddingsItem): item is Exclude<EmbeddingsItem, string | readonly number[]> =>
  typeof item === 'object' && 'content' in item;

const partsOf = (input: EmbeddingsRequest['input']): readonly Part[] =>
  itemsOf(input).flatMap((item) => (hasParts(item) ? item.content : []));

const textOf = (parts: readonly Part[]): string =>
  parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');

interface ReadEmbeddings extends AskedFacts {
  readonly vectors: readonly (readonly number[] | string)[];
}

async function askRead(provider: Provider, call: EmbeddingsCall): Promise<ReadEmbeddings> {
  const result = await provider.embeddings?.(call);
  if (result === undefined) throw new GatewayError('not_found', `${provider.name} does not offer embeddings`);
  return toAskedFormat(result, call.request, provider.name);
}

async function askUnread(provider: Provider, call: EmbeddingsCall): Promise<ReadEmbeddings | WrittenEmbeddings> {
  const askWritten = provider.embeddings && writtenWayOf(provider.embeddings);
  if (askWritten === undefined) return askRead(provider, call);
  const result = await askWritten(call);
  if (!('written' in result)) return toAskedFormat(result, call.request, provider.name);
  checkCount(result.written.count, call.request, provider.name);
  return result;
}

/** Throws `provider_unavailable` unless there is one vector per text. */
function checkCount(found: number, { input }: EmbeddingsRequest, providerName: string): void {
  const count = itemsOf(input).length;
  if (found === count) return;
  throw new GatewayError('provider_unavailable', `${providerName} returned ${found} embeddings for ${count} texts`);
}

/** Converts upstream's vectors to the requested format. Throws `provider_unavailable` where that cannot be. */
function toAskedFormat(result: EmbeddingsResult, request: EmbeddingsRequest, providerName: string): ReadEmbeddings {
  const { encoding_format: format } = request;
  checkCount(result.vectors.length, request, providerName);
  try {
    return { ...result, vectors: result.vectors.map((vector) => toFormat(vector, format ?? 'float')) };
  } catch (cause) {
    throw new GatewayError('provider_unavailable', `${providerName} returned embeddings that cannot be read`, {
      cause,
    });
  }
}

function toUsage(counted: number | undefined, input: EmbeddingsRequest['input']): Usage {
  const tokens = counted ?? Math.ceil(weighInput(input));
  const usage = { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens };
  return counted === undefined ? { ...usage, estimated: true } : usage;
}

/** A picture or a sound that nobody has counted counts as nothing. */
function weighInput(input: EmbeddingsRequest['input']): number {
  if (typeof input === 'string') return weighText(input);
  const parts = partsOf(input);
  return weighText(parts.length === 0 ? JSON.stringify(input) : textOf(parts));
}

/** The kind of calls that convert texts to vectors (docs/decisions/0025). */
export const embeddingsKind: CallKind<EmbeddingsRequest> = {
  name: 'embeddings',
  modelsOf: ({ model }) => ({ model }),
  preferencesOf: ({ provider }) => ({ provider: provider ?? {}, partition: 'model' }),
  labelsOf: ({ session_id: session = null, user = null, trace = null }) => ({ session, externalUser: user, trace }),
  withSession: (request, session) => ({ ...request, session_id: session }),
  needsOf,
  boundOf,
  mapTexts,
  unreadableIn: ({ input }) =>
    itemsOf(input).every((item) => typeof item === 'string' || hasParts(item)) ? null : 'tokens in input',
};

/** The modality of a part, as models name what they read. */
const MODALITIES: Readonly<Record<Part['type'], string>> = {
  text: 'text',
  image_url: 'image',
  input_audio: 'audio',
  file: 'file',
  video_url: 'video',
  input_video: 'video',
};

function boundOf({ input }: EmbeddingsRequest): TokenBound {
  const parts = partsOf(input);
  const media = parts.filter(({ type }) => type !== 'text');
  const texts =
    parts.length === 0 ? input : itemsOf(input).map((item) => (hasParts(item) ? textOf(item.content) : item));
  return {
    textTokens: mostTokensOf(texts),
    mediaTokens: media.length === 0 ? 0 : null,
    images: media.filter(({ type }) => type === 'image_url').length,
    hasAudio: media.some(({ type }) => type === 'input_audio'),
    maxTokens: 0,
    predictedTokens: 0,
  };
}

function needsOf({ input }: EmbeddingsRequest): CallNeeds {
  return {
    parameters: [],
    inputModalities: [...new Set(partsOf(input).map(({ type }) => MODALITIES[type]))].filter((it) => it !== 'text'),
    outputModalities: ['embeddings'],
    // Each text has the context to itself.
    minPromptTokens: Math.max(...itemsOf(input).map(leastTokensOf)),
    outputTokens: 0,
    compression: 'never',
  };
}

function leastTokensOf(item: EmbeddingsItem): number {
  if (typeof item === 'string') return minTokensOf(item.length);
  return hasParts(item) ? minTokensOf(textOf(item.content).length) : item.length;
}

function mapTexts(request: EmbeddingsRequest, change: (text: RequestText) => string): EmbeddingsRequest {
  const visit = toVisitor(change);
  const say = toVisitor(change, 'user');
  let changed = request;
  for (const field of ['input', 'input_type', 'user', 'session_id', 'trace'] as const) {
    const mapped = PLACES[field](request[field], field === 'input' ? say : visit);
    if (mapped !== request[field]) changed = { ...changed, [field]: mapped };
  }
  return changed;
}

/** Tokens are not looked at as numbers: a call with any is refused where a filter acts. */
const input: Place = chosen((value) =>
  typeof value === 'string' ? text : typeof value === 'object' ? withParts : checked,
);
const withParts: Place = fields({ content });

const PLACES = { input, input_type: text, user: text, session_id: text, trace: record } as const;
