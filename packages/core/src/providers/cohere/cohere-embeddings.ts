import { z } from 'zod';

import { GatewayError } from '../../foundation/errors.ts';
import { checkWith, parseJson, readCount } from '../../foundation/parse.ts';
import type { EmbeddingsItem } from '../../wire/embeddings.ts';
import { refuseField } from '../../wire/fields.ts';
import { itemsOf } from '../../wire/values.ts';
import { askWhole } from '../kit/ask-whole.ts';
import type { Upstream } from '../kit/to-upstream.ts';
import { numbersSchema } from '../kit/vector-schema.ts';
import { readOpenAiError } from '../openai/read-openai-error.ts';
import type { EmbeddingsCall, EmbeddingsResult, Provider } from '../provider.ts';

/** `float` holds a list of numbers for each input; `base64` the same as little-endian 32-bit floats. */
const responseSchema = z.object({
  id: z.string().nullish(),
  embeddings: z.object({ float: z.array(numbersSchema), base64: z.array(z.string()) }).partial(),
  meta: z
    .object({ billed_units: z.looseObject({}) })
    .partial()
    .nullish(),
});

/** Its models want to know what a vector is for; this is what most vectors are made for. */
const DEFAULT_PURPOSE = 'search_document';

/** Creates the embeddings of a provider over Cohere's own wire: `POST /v2/embed`. Tokens cannot be sent. */
export function createCohereEmbeddings(upstream: Upstream, url: string): NonNullable<Provider['embeddings']> {
  return async (call) => {
    const { signal, timeoutMs } = call;
    const body = toBody(call);
    call.onSent?.('openai', body);
    const text = await askWhole(upstream, readOpenAiError, {
      url: url,
      body: JSON.stringify(body),
      signal,
      timeoutMs,
    });
    return readResult(text, upstream.name);
  };
}

function toBody({ request, providerModel: model }: EmbeddingsCall): object {
  const { input, dimensions, encoding_format: format, input_type: purpose } = request;
  const items = itemsOf(input);
  return {
    model,
    input_type: purpose ?? DEFAULT_PURPOSE,
    embedding_types: [format ?? 'float'],
    ...(items.every((item) => typeof item === 'string') ? { texts: items } : { inputs: items.map(toInput) }),
    ...(dimensions != null && { output_dimension: dimensions }),
  };
}

function toInput(item: EmbeddingsItem, index: number): object {
  if (typeof item === 'string') return { content: [{ type: 'text', text: item }] };
  if (!('content' in item)) {
    throw refuseField('input', 'must be text for this provider: tokens are those of another model');
  }
  const content = item.content.map((part, at) => {
    if (part.type === 'text') return { type: 'text', text: part.text };
    if (part.type === 'image_url') return { type: 'image_url', image_url: { url: part.image_url.url } };
    throw refuseField(`input.${index}.content.${at}.type`, 'must be text or image_url for this provider');
  });
  return { content };
}

function readResult(text: string, providerName: string): EmbeddingsResult {
  const { data } = checkWith(responseSchema, parseJson(text));
  const vectors = data?.embeddings.float ?? data?.embeddings.base64;
  if (data === undefined || vectors === undefined) {
    throw new GatewayError('provider_unavailable', `${providerName} returned a response without embeddings`);
  }
  const units = data.meta?.billed_units;
  const [texts, images] = [readCount(units?.['input_tokens']), readCount(units?.['image_tokens'])];
  return {
    vectors,
    promptTokens: texts === undefined && images === undefined ? undefined : (texts ?? 0) + (images ?? 0),
    ...(texts && images && { tokensByModality: { text_tokens: texts, image_tokens: images } }),
    upstreamId: data.id ?? undefined,
  };
}
