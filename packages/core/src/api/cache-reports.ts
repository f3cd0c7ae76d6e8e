import type { LiveAccount } from '../account/account.ts';
import { isMarkedForCaches, listWorkspaceRecords } from '../account/workspaces.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { dryRunMarks } from '../generations/cache-doctor/dry-run-marks.ts';
import {
  type CacheDoctorParts,
  reportCall,
  reportCauses,
  reportSession,
  toFindPrices,
} from '../generations/cache-doctor/report-caches.ts';
import { findReadableGeneration, toGenerationFilter } from '../generations/list-generations.ts';
import { recordedEndpointId } from '../generations/to-generation.ts';
import { operation } from '../http/operation.ts';
import type { Store } from '../stores/store.ts';
import {
  cacheCausesQuerySchema,
  cacheCausesResponseSchema,
  cacheMarksQuerySchema,
  cacheMarksResponseSchema,
  cacheReportResponseSchema,
  sessionCacheQuerySchema,
  sessionCacheResponseSchema,
} from '../wire/cache-report.ts';
import { refuseField, toOpenEnd } from '../wire/fields.ts';
import { type GenerationParts, toSearchedFrom } from './generations.ts';

interface CacheReportParts extends GenerationParts {
  readonly catalog: Pick<Catalog, 'list'>;
  readonly account: LiveAccount;
  readonly store: Pick<Store, 'generations' | 'keys' | 'workspaces'>;
}

const DAY_MS = 24 * 60 * 60 * 1000;

const toDoctorParts = ({ store, platform, catalog }: CacheReportParts): CacheDoctorParts => ({
  store,
  platform,
  findPrices: toFindPrices(catalog),
});

interface Span {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** By default the last 24 hours. Throws `invalid_request` for one that ends before it begins. */
function toSpan({ from, to }: Span, { platform }: CacheReportParts): { fromMs: number; toMs: number } {
  const toMs = to ?? toOpenEnd(platform.now(), from);
  const fromMs = from ?? toMs - DAY_MS;
  if (fromMs >= toMs) throw refuseField('from', 'must be before to');
  return { fromMs, toMs };
}

/** `GET /admin/v1/generations/{id}/cache`: why the prompt was, or was not, read from the provider's cache. */
export const getGenerationCache = operation<CacheReportParts>()({
  params: ['id'],
  response: cacheReportResponseSchema,
  async run(context) {
    const record = await findReadableGeneration(context.params.id, context);
    return { data: await reportCall(record, toDoctorParts(context.parts)) };
  },
});

/** `GET /admin/v1/generations/sessions/cache`: the same for each call of a session, and sums. */
export const getSessionCache = operation<CacheReportParts>()({
  query: sessionCacheQuerySchema,
  response: sessionCacheResponseSchema,
  errors: ['not_found'],
  async run({ parts, query }) {
    const { data, sums, searchedFromMs } = await reportSession(query.session_id, toDoctorParts(parts));
    return { data, sums, ...toSearchedFrom(searchedFromMs) };
  },
});

/** `GET /admin/v1/generations/cache-causes`: what was missed within a span, by cause and app. */
export const listCacheCauses = operation<CacheReportParts>()({
  query: cacheCausesQuerySchema,
  response: cacheCausesResponseSchema,
  async run({ parts, query }) {
    const { fromMs, toMs } = toSpan(query, parts);
    const bucketMs = Math.max(1, Math.ceil((toMs - fromMs) / query.buckets));
    const found = await reportCauses({ fromMs, toMs, bucketMs }, toDoctorParts(parts));
    const { data, timeline, calls, searchedFromMs } = found;
    return {
      from: new Date(fromMs).toISOString(),
      to: new Date(toMs).toISOString(),
      data,
      bucket_ms: bucketMs,
      timeline,
      calls,
      ...toSearchedFrom(searchedFromMs),
    };
  },
});

/** `GET /admin/v1/generations/cache-marks`: what automatic marks would have cost within a span, against what was. */
export const dryRunCacheMarks = operation<CacheReportParts>()({
  query: cacheMarksQuerySchema,
  response: cacheMarksResponseSchema,
  async run({ parts, query }) {
    const { fromMs, toMs } = toSpan(query, parts);
    const endpoints = parts.catalog.list().flatMap((model) => model.endpoints);
    const providers = new Map(endpoints.map((endpoint) => [recordedEndpointId(endpoint), endpoint.provider]));
    const filter = toGenerationFilter({ ...query, from: fromMs, to: toMs }, parts);
    const { searchedFromMs, workspaces, ...found } = await dryRunMarks(filter, {
      ...toDoctorParts(parts),
      findTtls: (endpointId, model) => providers.get(endpointId)?.cacheTtlsOf?.(model),
    });
    const known = new Map((await listWorkspaceRecords(parts)).map(({ id, workspace }) => [id, workspace]));
    return {
      from: new Date(fromMs).toISOString(),
      to: new Date(toMs).toISOString(),
      enabled: isMarkedForCaches(parts.account, undefined),
      ...found,
      workspaces: workspaces.map((row) => {
        const workspace = known.get(row.workspace_id);
        return { ...row, enabled: workspace !== undefined && isMarkedForCaches(parts.account, workspace) };
      }),
      ...toSearchedFrom(searchedFromMs),
    };
  },
});
