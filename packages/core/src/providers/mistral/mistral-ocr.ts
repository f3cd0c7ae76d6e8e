import { z } from 'zod';

import { GatewayError } from '../../foundation/errors.ts';
import { checkWith, parseJson } from '../../foundation/parse.ts';
import { askWhole } from '../kit/ask-whole.ts';
import type { Upstream } from '../kit/to-upstream.ts';
import { readOpenAiError } from '../openai/read-openai-error.ts';
import type { Provider } from '../provider.ts';

const responseSchema = z.object({
  pages: z.array(z.object({ index: z.int(), markdown: z.string() })),
  usage_info: z.object({ pages_processed: z.int().min(0) }).nullish(),
});

/** Creates the reading of documents over Mistral's wire: `POST /ocr`. Images in them are left out. */
export function createMistralOcr(upstream: Upstream, url: string): NonNullable<Provider['ocr']> {
  return async ({ providerModel: model, document, onSent, signal, timeoutMs }) => {
    const body = {
      model,
      document: { type: 'document_url', document_url: document },
      include_image_base64: false,
    };
    onSent?.('openai', body);
    const text = await askWhole(upstream, readOpenAiError, { url, body: JSON.stringify(body), signal, timeoutMs });
    const { data } = checkWith(responseSchema, parseJson(text));
    if (data === undefined) {
      throw new GatewayError('provider_unavailable', `${upstream.name} returned a response without pages`);
    }
    const pages = data.pages.toSorted((one, other) => one.index - other.index).map(({ markdown }) => markdown);
    return { pages, chargedPages: data.usage_info?.pages_processed ?? pages.length };
  };
}
