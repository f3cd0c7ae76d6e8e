import { operation } from '../../http/operation.ts';
import { providerListSchema } from '../../wire/account.ts';
import type { ProviderParts } from './provider-parts.ts';

/** `GET /providers`: those of this gateway. Where they sit and what they publish is not known to it. */
export const listProviders = operation<ProviderParts>()({
  response: providerListSchema,
  run: ({ parts }) => ({
    data: parts.providers.map(({ slug, name }) => ({
      name,
      slug,
      privacy_policy_url: null,
      terms_of_service_url: null,
      status_page_url: null,
      headquarters: null,
      datacenters: null,
    })),
  }),
});
