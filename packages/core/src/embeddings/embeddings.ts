import type { z } from 'zod';

import { type CallKind, type CallNeeds, minTokensOf, mostTokensOf } from '../calls/call-kind.ts';
import type { ModelCall } from '../calls/model-call.ts';
import { checked, chosen, type Place, record, text } from '../calls/text-places.ts';
import { type RequestText, toVisitor, weighText } from '../calls/texts.ts';
import type { CallContext } from '../dispatch/prepare-call.ts';
import { runWholeCall, type WholeCallParts, type WholeKind } from '../dispatch/run-whole-call.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { EmbeddingsResult } from '../providers/provider.ts';
import type { Usage } from '../wire/chat-chunk.ts';
import type { EmbeddingsRequest, embeddingsResponseSchema } from '../wire/embeddings.ts';

/** Runs one call for embeddings. Throws what ended it; either way it has been recorded. */
export async function runEmbeddings(
  call: ModelCall<EmbeddingsRequest>,
  context: CallContext<WholeCallParts>,
): Promise<z.infer<typeof embeddingsResponseSchema>> {
  const { endpoint, result, usage, routing } = await runWholeCall(call, toWholeKind(context.parts), context);
  const { cost, is_byok, prompt_tokens, total_tokens } = usage;
  return {
    id: call.id,
    object: 'list',
    model: endpoint.modelId,
    provider: result.upstreamProvider ?? endpoint.provider.name,
    data: result.vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    usage: {
      prompt_tokens,
      total_tokens,
      ...(cost !== undefined && { cost }),
      ...(is_byok !== undefined && { is_byok }),
    },
    ...routing,
  };
}

function toWholeKind({ timeouts }: WholeCallParts): WholeKind<EmbeddingsRequest, AskedEmbeddings> {
  return {
    async ask({ provider, providerModel }, { request }, { signal, preferences, onSent }) {
      const timeoutMs = timeouts.nonStreamMs;
      const result = await provider.embeddings?.({ request, providerModel, preferences, onSent, signal, timeoutMs });
      if (result === undefined) throw new GatewayError('not_found', `${provider.name} does not offer embeddings`);
      return toAskedFormat(result, request, provider.name);
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

interface AskedEmbeddings extends Omit<EmbeddingsResult, 'vectors'> {
  readonly vectors: readonly (number[] | string)[];
}

/**
 * Converts upstream's vectors to the requested format. Throws `provider_unavailable` unless there is one vector per
 * text.
 */
function toAskedFormat(
  result: EmbeddingsResult,
  { input, encoding_format: format }: EmbeddingsRequest,
  providerName: string,
): AskedEmbeddings {
  const count = itemsOf(input).length;
  if (result.vectors.length !== count) {
    const message = `${providerName} returned ${result.vectors.length} embeddings for ${count} texts`;
    throw new GatewayError('provider_unavailable', message);
  }
  try {
    return { ...result, vectors: result.vectors.map((vector) => toFormat(vector, format ?? 'float')) };
  } catch (cause) {
    throw new GatewayError('provider_unavailable', `${providerName} returned embeddings that cannot be read`, {
      cause,
    });
  }
}

function toUsage(counted: number | undefined, input: EmbeddingsRequest['input']): Usage {
  const tokens = counted ?? Math.ceil(weighText(typeof input === 'string' ? input : JSON.stringify(input)));
  const usage = { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens };
  return counted === undefined ? { ...usage, estimated: true } : usage;
}

/** The kind of calls that convert texts to vectors (docs/decisions/0025). */
export const embeddingsKind: CallKind<EmbeddingsRequest> = {
  name: 'embeddings',
  modelsOf: ({ model }) => ({ model }),
  preferencesOf: ({ provider }) => ({ provider: provider ?? {}, partition: 'model' }),
  labelsOf: ({ session_id: session = null, user = null, trace = null }) => ({ session, externalUser: user, trace }),
  withSession: (request, session) => ({ ...request, session_id: session }),
  needsOf,
  boundOf: ({ input }) => ({
    textTokens: mostTokensOf(input),
    mediaTokens: 0,
    images: 0,
    hasAudio: false,
    maxTokens: 0,
    predictedTokens: 0,
  }),
  mapTexts,
  unreadableIn: ({ input }) => (itemsOf(input).every((item) => typeof item === 'string') ? null : 'tokens in input'),
};

function needsOf({ input }: EmbeddingsRequest): CallNeeds {
  return {
    parameters: [],
    inputModalities: [],
    outputModalities: ['embeddings'],
    // Each text has the context to itself.
    minPromptTokens: Math.max(...itemsOf(input).map(leastTokensOf)),
    outputTokens: 0,
    compression: 'never',
  };
}

/** The texts of an input, each as text or as tokens. */
function itemsOf(input: EmbeddingsRequest['input']): readonly (string | readonly number[])[] {
  if (typeof input === 'string') return [input];
  return isOneList(input) ? [input] : input;
}

const isOneList = (input: Exclude<EmbeddingsRequest['input'], string>): input is number[] =>
  typeof input[0] === 'number';

const leastTokensOf = (item: string | readonly number[]): number =>
  typeof item === 'string' ? minTokensOf(item.length) : item.length;

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
const input: Place = chosen((value) => (typeof value === 'string' ? text : checked));

const PLACES = { input, input_type: text, user: text, session_id: text, trace: record } as const;

type Vector = readonly number[] | string;

/**
 * Converts a vector to the requested format. Clients decode base64 as little-endian 32-bit floats without a check, so a
 * list of numbers in its place would become a short and wrong vector.
 */
function toFormat(vector: Vector, format: 'float' | 'base64'): number[] | string {
  if (format === 'base64') return typeof vector === 'string' ? vector : toBase64(vector);
  return typeof vector === 'string' ? fromBase64(vector) : [...vector];
}

const BYTES = 4;

function toBase64(vector: readonly number[]): string {
  const view = new DataView(new ArrayBuffer(vector.length * BYTES));
  for (const [index, value] of vector.entries()) view.setFloat32(index * BYTES, value, true);
  let text = '';
  for (const byte of new Uint8Array(view.buffer)) text += String.fromCharCode(byte);
  return btoa(text);
}

function fromBase64(text: string): number[] {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Array.from({ length: Math.floor(bytes.length / BYTES) }, (_, index) => view.getFloat32(index * BYTES, true));
}
