import type { Provider } from '../providers/provider.ts';
import type { ModelDefinition } from '../wire/model-definition.ts';

/** The reader of Mistral, which charges a page as others charge a request (https://mistral.ai/pricing, 2026-11). */
const USUAL_READER = {
  id: 'mistralai/mistral-ocr-latest',
  name: 'Mistral OCR',
  providerModel: 'mistral-ocr-latest',
  pricing: { request: '0.002' },
} as const;

/** What is looked at of a model of the catalog. */
interface ServedModel {
  readonly endpoints: readonly { readonly provider: Provider; readonly providerModel: string }[];
}

/** The models that read documents: those of the configuration, else the usual one of each provider that does. */
export function findDocumentReaders<Model extends ServedModel>(
  providers: readonly Provider[],
  configured: readonly Model[],
  toModel: (definition: ModelDefinition) => Model,
): readonly Model[] {
  return providers.flatMap((provider) => {
    if (provider.ocr === undefined) return [];
    const named = configured.filter(({ endpoints }) =>
      endpoints.some((endpoint) => endpoint.provider === provider && /\bocr\b/i.test(endpoint.providerModel)),
    );
    const { id, name, ...endpoint } = USUAL_READER;
    return named.length > 0 ? named : [toModel({ id, name, endpoints: [{ provider: provider.slug, ...endpoint }] })];
  });
}
