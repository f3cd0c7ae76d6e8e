import { NANO_PER_USD } from '../../catalog/nano-usd.ts';
import { toGenerationFilter } from '../../generations/read/list-generations.ts';
import { operation } from '../../http/operation.ts';
import type { GenerationFacets } from '../../stores/store.ts';
import { generationHistogramQuerySchema, generationHistogramSchema } from '../../wire/generations/generation-list.ts';
import { refuseField } from '../../wire/refuse-field.ts';
import type { GenerationParts } from './generation-parts.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_VALUES = 50;

/** `GET /admin/v1/generations/histogram`: counts, failures and cost by time; by default of the last 24 hours. */
export const getGenerationHistogram = operation<GenerationParts>()({
  query: generationHistogramQuerySchema,
  response: generationHistogramSchema,
  async run({ parts, query: { buckets, facets, ...query } }) {
    // A generation that begins in this millisecond is included.
    const to = query.to ?? parts.platform.now() + 1;
    const from = query.from ?? to - DAY_MS;
    if (from >= to) throw refuseField('from', 'must be before to');
    const bucketMs = Math.max(1, Math.ceil((to - from) / buckets));
    const count = Math.ceil((to - from) / bucketMs);
    const filter = toGenerationFilter({ ...query, from, to }, parts);
    const { generations } = parts.store;
    const found = await generations.histogram({ filter, startMs: from, bucketMs, buckets: count });
    return {
      data: found.map(({ startMs, requests, failed, cancelled, interrupted, costNanoUsd }) => ({
        start: new Date(startMs).toISOString(),
        requests,
        failed,
        cancelled,
        interrupted,
        cost: costNanoUsd / NANO_PER_USD,
      })),
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      bucket_ms: bucketMs,
      ...(facets === 'true' && { facets: toFacets(await generations.facets(filter)) }),
    };
  },
});

function toFacets({ total, statuses, models, providerNames, principalIds }: GenerationFacets) {
  return {
    total,
    status: toCounts(statuses),
    model: toCounts(models),
    provider: toCounts(providerNames),
    key: toCounts(principalIds),
  };
}

function toCounts(counts: ReadonlyMap<string, number>): { value: string; requests: number }[] {
  return [...counts]
    .map(([value, requests]) => ({ value, requests }))
    .toSorted((a, b) => b.requests - a.requests || a.value.localeCompare(b.value))
    .slice(0, MAX_VALUES);
}
