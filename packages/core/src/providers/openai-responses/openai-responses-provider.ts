import { describeProvider, type ProviderOptions, toUpstream } from '../kit/to-upstream.ts';
import type { Provider } from '../provider.ts';
import { createResponsesWire } from './create-responses-wire.ts';

export interface OpenAiResponsesProviderSettings extends ProviderOptions {
  /** Added to every address, e.g. Azure's `api-version`. */
  readonly query?: Readonly<Record<string, string>> | undefined;
}

/** Creates a provider for OpenAI's Responses wire. */
export function createOpenAiResponsesProvider(settings: OpenAiResponsesProviderSettings): Provider {
  const upstream = toUpstream(settings, { keyHeader: 'authorization', keyScheme: 'Bearer', query: settings.query });
  const query = new URLSearchParams(settings.query).toString();
  const toUrl = (path: string): string => `${upstream.baseUrl}${path}${query === '' ? '' : `?${query}`}`;
  const url = toUrl('/responses');
  const wire = createResponsesWire(upstream, { slug: settings.slug, toUrl: () => url, listUrl: toUrl('/models') });
  return { ...describeProvider(settings), discoverModels: settings.discoverModels, ...wire };
}
