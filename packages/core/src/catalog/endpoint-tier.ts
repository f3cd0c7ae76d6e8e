import type { Endpoint } from './catalog.ts';

/** A class of service that costs more or waits longer, and is used only on request. */
export type ServiceTier = 'flex' | 'priority';

/** The service tier an endpoint is, by the last part of its tag (`openai/flex`); null for ordinary ones. */
export function tierOf({ tag }: Endpoint): ServiceTier | null {
  if (tag.endsWith('/flex')) return 'flex';
  return tag.endsWith('/priority') ? 'priority' : null;
}

/** Whether a provider slug of a preference means this endpoint: a base slug all of them, a suffixed one exactly it. */
export const isNamed = (slug: string, { tag, provider }: Endpoint): boolean => slug === tag || slug === provider.slug;

/** Whether any of the slugs means this endpoint. */
export const isListed = (slugs: readonly string[], endpoint: Endpoint): boolean =>
  slugs.some((slug) => isNamed(slug, endpoint));
