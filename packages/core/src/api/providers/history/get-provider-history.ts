import { GatewayError } from '../../../foundation/errors.ts';
import { operation } from '../../../http/operation.ts';
import { providerHistoryQuerySchema, providerHistorySchema } from '../../../wire/providers.ts';
import type { ProviderParts } from '../provider-parts.ts';
import { pastOf, toEndpointHistories, toNamedHistory } from './to-history-body.ts';
import { toSpan } from './to-span.ts';

/** `GET /admin/v1/providers/{slug}/history`: what became of the calls to a provider, by time and by endpoint. */
export const getProviderHistory = operation<ProviderParts>()({
  params: ['slug'],
  query: providerHistoryQuerySchema,
  response: providerHistorySchema,
  async run({ params: { slug }, query, parts: { providers, providerHistories, platform } }) {
    const provider = providers.find((one) => one.slug === slug);
    if (provider === undefined) throw new GatewayError('not_found', `There is no provider ${slug.slice(0, 100)}`);
    const span = toSpan(query, platform.now());
    const { fromMs, bucketMs, buckets } = span;
    const past = pastOf(provider, await providerHistories.read(span));
    return {
      data: { ...toNamedHistory(provider, past, span), endpoints: toEndpointHistories(past) },
      from: new Date(fromMs).toISOString(),
      to: new Date(fromMs + bucketMs * buckets).toISOString(),
      interval: query.interval,
    };
  },
});
