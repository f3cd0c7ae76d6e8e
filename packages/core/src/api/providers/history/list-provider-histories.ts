import { operation } from '../../../http/operation.ts';
import { providerHistoryListSchema, providerHistoryQuerySchema } from '../../../wire/providers.ts';
import type { ProviderParts } from '../provider-parts.ts';
import { pastOf, toNamedHistory } from './to-history-body.ts';
import { toSpan } from './to-span.ts';

/** `GET /admin/v1/providers/history`: what became of the calls to each provider, by time. */
export const listProviderHistories = operation<ProviderParts>()({
  query: providerHistoryQuerySchema,
  response: providerHistoryListSchema,
  async run({ query, parts: { providers, providerHistories, platform } }) {
    const span = toSpan(query, platform.now());
    const { fromMs, bucketMs, buckets } = span;
    const histories = await providerHistories.read(span);
    return {
      data: providers.map((provider) => toNamedHistory(provider, pastOf(provider, histories), span)),
      from: new Date(fromMs).toISOString(),
      to: new Date(fromMs + bucketMs * buckets).toISOString(),
      interval: query.interval,
    };
  },
});
