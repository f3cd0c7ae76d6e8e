import { z } from 'zod';

import { GatewayError } from '../../foundation/errors.ts';
import { checkWith, parseJson } from '../../foundation/parse.ts';
import { collectPieces, joinPieces, readErrorText, toText } from '../../foundation/transport.ts';
import { askWhole, toWholeRequest, type WholeAsk } from '../kit/ask-whole.ts';
import type { Upstream } from '../kit/to-upstream.ts';
import { toRefusalError } from '../kit/upstream-error.ts';
import { vectorSchema } from '../kit/vector-schema.ts';
import type { EmbeddingsCall, EmbeddingsResult, Provider } from '../provider.ts';
import { withWritten, type WrittenEmbeddings } from '../written-embeddings.ts';
import { type OpenAiDialect, toRenamed } from './openai-dialect.ts';
import { readOpenAiError } from './read-openai-error.ts';
import { toProviderName } from './response/openai-completion-reader.ts';
import { readOpenAiUsage } from './response/read-openai-usage.ts';
import { scanVectors } from './response/scan-vectors.ts';

const responseSchema = z.object({
  id: z.string().nullish(),
  data: z.array(z.object({ index: z.int().nullish(), embedding: vectorSchema })),
  usage: z.looseObject({ prompt_tokens: z.int().nullish(), total_tokens: z.int().nullish() }).nullish(),
  provider: z.unknown().optional(),
});
/** The same with what stands for its vectors. */
const restSchema = responseSchema.extend({ data: z.literal(0) });

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
  const sender = { name: upstream.name, isGateway };
  const begin = (call: EmbeddingsCall): WholeAsk => {
    const { providerModel, signal, timeoutMs } = call;
    const body = toBody(call, words);
    call.onSent?.('openai', body);
    return { url: toUrl(providerModel), body: JSON.stringify(body), signal, timeoutMs };
  };
  return withWritten(
    async (call) => readResult(await askWhole(upstream, readOpenAiError, begin(call)), sender),
    async (call) => {
      const { status, body, ...head } = await upstream.transport.send(toWholeRequest(upstream, begin(call)));
      if (status !== 200)
        throw toRefusalError(upstream, readOpenAiError, { status, ...head }, await readErrorText(body));
      const pieces = await collectPieces(body);
      const format = call.request.encoding_format ?? 'float';
      return readAround(pieces, format, sender) ?? readResult(toText(joinPieces(pieces)), sender);
    },
  );
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
    if (value != null && name !== null) body[name] = toRenamed(renamedValues, field, value);
  }
  if (preferences !== undefined) body['provider'] = preferences;
  return body;
}

interface Sender {
  readonly name: string;
  /** Whether upstream is a gateway, and names the provider behind it. */
  readonly isGateway: boolean;
}

function readResult(text: string, sender: Sender): EmbeddingsResult {
  const parsed = checkWith(responseSchema, parseJson(text));
  if (!parsed.success) {
    throw new GatewayError('provider_unavailable', `${sender.name} returned a response without embeddings`);
  }
  const sorted = parsed.data.data.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0));
  return { vectors: sorted.map(({ embedding }) => embedding), ...readFacts(parsed.data, sender) };
}

/** Reads what a response says beside its vectors; null where they, too, have to be read. */
function readAround(
  pieces: readonly Uint8Array[],
  format: 'float' | 'base64',
  sender: Sender,
): WrittenEmbeddings | null {
  const scanned = scanVectors(pieces, format);
  if (scanned === null) return null;
  const parsed = checkWith(restSchema, parseJson(scanned.rest));
  return parsed.success ? { written: scanned.vectors, ...readFacts(parsed.data, sender) } : null;
}

function readFacts(
  { id, usage, provider }: Omit<z.infer<typeof responseSchema>, 'data'>,
  { isGateway }: Sender,
): Omit<EmbeddingsResult, 'vectors'> {
  const promptTokens = usage?.prompt_tokens ?? usage?.total_tokens ?? undefined;
  const read = readOpenAiUsage({ ...usage, prompt_tokens: promptTokens ?? 0, completion_tokens: 0 });
  return {
    promptTokens,
    upstreamId: id ?? undefined,
    upstreamCostUsd: read?.upstreamCostUsd,
    upstreamCosts: read?.upstreamCosts,
    isByok: read?.usage.is_byok,
    ...(isGateway && typeof provider === 'string' && { upstreamProvider: toProviderName(provider) }),
  };
}
