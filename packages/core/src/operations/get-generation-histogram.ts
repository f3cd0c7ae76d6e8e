import type { RequestContext } from '../context.ts';
import { GatewayError } from '../errors.ts';
import { toGenerationFilter } from '../generations/list-generations.ts';
import { type GatewayResponse, toJsonResponse } from '../response.ts';
import { generationHistogramQuerySchema } from '../schemas/generation-list.ts';
import { readQuery } from '../schemas/page-query.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const NANO_PER_USD = 1e9;

/** `GET /admin/v1/generations/histogram`: counts, failures and cost by time; by default of the last 24 hours. */
export async function getGenerationHistogram({ request, runtime }: RequestContext): Promise<GatewayResponse> {
  const { buckets, ...query } = readQuery(generationHistogramQuerySchema, request.query);
  // What begins in this very millisecond is part of it.
  const to = query.to ?? runtime.platform.now() + 1;
  const from = query.from ?? to - DAY_MS;
  if (from >= to) throw new GatewayError('invalid_request', 'from: must be before to');
  const bucketMs = Math.max(1, Math.ceil((to - from) / buckets));
  const count = Math.ceil((to - from) / bucketMs);
  const filter = toGenerationFilter({ ...query, from, to }, runtime);
  const found = await runtime.store.generations.histogram({ filter, startMs: from, bucketMs, buckets: count });
  return toJsonResponse(200, {
    data: found.map(({ startMs, requests, failed, cancelled, costNanoUsd }) => ({
      start: new Date(startMs).toISOString(),
      requests,
      failed,
      cancelled,
      cost: costNanoUsd / NANO_PER_USD,
    })),
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    bucket_ms: bucketMs,
  });
}
