import type { EndpointDefinition, Provider } from '@model-gateway/core';

import { type CatalogModel, createCatalog, type Endpoint } from '../../../packages/core/src/catalog/catalog.ts';

/** Endpoints of one model, one for each of these provider slugs, at so many dollars a million tokens. Null: not known. */
export function createPricedEndpoints(
  prices: Readonly<Record<string, number | null>>,
  more: (slug: string) => Partial<EndpointDefinition> & Pick<Partial<Provider>, 'byok'> = () => ({}),
): readonly Endpoint[] {
  const slugs = Object.keys(prices);
  const providers = slugs.map((slug) => createSilentProvider(slug, more(slug).byok));
  const endpoints = slugs.map((slug) => {
    const { byok: _, ...definition } = more(slug);
    const price = prices[slug];
    const usd = price == null ? null : (price / 1e6).toFixed(12);
    return {
      provider: slug,
      providerModel: 'm',
      ...(usd !== null && { pricing: { prompt: usd, completion: usd } }),
      ...definition,
    };
  });
  return (createCatalog(providers, [{ id: 'acme/chat', endpoints }]).list()[0] as CatalogModel).endpoints;
}

/** A provider that could chat, and says nothing. */
export function createSilentProvider(slug: string, byok?: boolean): Provider {
  return {
    slug,
    name: slug.toUpperCase(),
    dataPolicy: { training: null, retainsPrompts: null },
    byok,
    async *chat() {},
  };
}
