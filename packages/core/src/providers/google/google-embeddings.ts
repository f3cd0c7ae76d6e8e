import { z } from 'zod';

import { GatewayError } from '../../foundation/errors.ts';
import { checkWith, parseJson } from '../../foundation/parse.ts';
import type { EmbeddingsItem } from '../../wire/embeddings.ts';
import { refuseField } from '../../wire/fields.ts';
import { itemsOf } from '../../wire/values.ts';
import { askWhole } from '../kit/ask-whole.ts';
import type { Upstream } from '../kit/to-upstream.ts';
import { numbersSchema } from '../kit/vector-schema.ts';
import type { EmbeddingsCall, EmbeddingsResult, Provider } from '../provider.ts';
import { toModelPath } from './models.ts';
import { readGoogleErrorBody } from './read-google-error.ts';
import { toParts } from './request/to-google-conversation.ts';

const vectorSchema = z.object({ values: numbersSchema });
const usageSchema = z
  .object({
    promptTokenCount: z.int(),
    promptTokensDetails: z.array(z.object({ modality: z.string(), tokenCount: z.int() })),
  })
  .partial();
const responseSchema = z.object({
  embedding: vectorSchema.optional(),
  embeddings: z.array(vectorSchema).optional(),
  usageMetadata: usageSchema.nullish(),
});

/** What other providers call the purpose of a vector, in Google's words. Any other is passed on. */
const TASK_TYPES: ReadonlyMap<string, string> = new Map([
  ['search_query', 'RETRIEVAL_QUERY'],
  ['query', 'RETRIEVAL_QUERY'],
  ['search_document', 'RETRIEVAL_DOCUMENT'],
  ['document', 'RETRIEVAL_DOCUMENT'],
  ['passage', 'RETRIEVAL_DOCUMENT'],
  ['classification', 'CLASSIFICATION'],
  ['clustering', 'CLUSTERING'],
]);

/**
 * Creates the embeddings of a provider over Google's wire: `:embedContent` for one input, `:batchEmbedContents` for
 * several. Tokens cannot be sent: they are those of another model.
 */
export function createGoogleEmbeddings(upstream: Upstream): NonNullable<Provider['embeddings']> {
  const { name, baseUrl } = upstream;
  return async (call) => {
    const { providerModel, signal, timeoutMs } = call;
    const requests = toRequests(call);
    const isOne = requests.length === 1;
    const body = isOne ? requests[0] : { requests };
    call.onSent?.('google', body);
    const text = await askWhole(upstream, readGoogleErrorBody, {
      url: `${baseUrl}/${toModelPath(providerModel)}:${isOne ? 'embedContent' : 'batchEmbedContents'}`,
      body: JSON.stringify(body),
      signal,
      timeoutMs,
    });
    return readResult(text, name);
  };
}

function toRequests({ request, providerModel }: EmbeddingsCall): readonly object[] {
  const { input, dimensions, input_type: purpose } = request;
  return itemsOf(input).map((item, index) => ({
    model: providerModel.includes('/') ? providerModel : `models/${providerModel}`,
    content: { parts: toParts(toContent(item), `input.${index}.content`) },
    ...(purpose != null && { taskType: TASK_TYPES.get(purpose.toLowerCase()) ?? purpose.toUpperCase() }),
    ...(dimensions != null && { outputDimensionality: dimensions }),
  }));
}

function toContent(item: EmbeddingsItem): Parameters<typeof toParts>[0] {
  if (typeof item === 'string') return item;
  if ('content' in item) return item.content;
  throw refuseField('input', 'must be text for this provider: tokens are those of another model');
}

function readResult(text: string, providerName: string): EmbeddingsResult {
  const parsed = checkWith(responseSchema, parseJson(text));
  const { embedding, embeddings = embedding && [embedding], usageMetadata: usage } = parsed.data ?? {};
  if (embeddings === undefined) {
    throw new GatewayError('provider_unavailable', `${providerName} returned a response without embeddings`);
  }
  const details = usage?.promptTokensDetails ?? [];
  return {
    vectors: embeddings.map(({ values }) => values),
    promptTokens: usage?.promptTokenCount,
    ...(details.length > 1 && {
      tokensByModality: Object.fromEntries(
        details.map(({ modality, tokenCount }) => [
          `${modality === 'DOCUMENT' ? 'file' : modality.toLowerCase()}_tokens`,
          tokenCount,
        ]),
      ),
    }),
  };
}
