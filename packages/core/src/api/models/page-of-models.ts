import type { CatalogModel } from '../../catalog/catalog.ts';
import { type FilterContext, filterModels, type ModelListQuery } from '../../catalog/filter-models.ts';
import { type GatewayRequest, mountPathOf, type RequestContext } from '../../http/request.ts';
import type { Model } from '../../wire/models.ts';
import type { ModelParts } from './model-parts.ts';

const DEFAULT_LIMIT = 500;

interface ModelPage {
  readonly data: readonly Model[];
  readonly total_count: number;
  readonly links: { readonly next: string | null };
}

/** Filters models by a query and returns one page; the whole list without paging parameters. */
export function pageOfModels(
  models: readonly CatalogModel[],
  query: ModelListQuery,
  { request, parts }: Pick<RequestContext<ModelParts>, 'request' | 'parts'>,
): ModelPage {
  const found = filterModels(models, query, toFilterContext(parts));
  const mountPath = mountPathOf(request);
  if (query.offset === undefined && query.limit === undefined) {
    return { data: linkBelow(mountPath, found), total_count: found.length, links: { next: null } };
  }
  const offset = query.offset ?? 0;
  const limit = query.limit ?? DEFAULT_LIMIT;
  const end = offset + limit;
  return {
    data: linkBelow(mountPath, found.slice(offset, end)),
    total_count: found.length,
    links: { next: end < found.length ? mountPath + nextPath(request, end, limit) : null },
  };
}

/** What filters of the list go by, beside the query. */
export function toFilterContext({ catalog, dataRegionOf, platform }: ModelParts): FilterContext {
  return { now: platform.now(), toTags: catalog.providerNames.toTags, dataRegionOf };
}

/** The same list, one page on, relative to the mount; filters stay as they were. */
function nextPath(request: GatewayRequest, offset: number, limit: number): string {
  const parameters = new URLSearchParams(request.query);
  parameters.set('offset', String(offset));
  parameters.set('limit', String(limit));
  return `${request.path}?${parameters.toString()}`;
}

/** The catalog knows no mount: its links are relative to it. */
export function linkBelow(mountPath: string, records: readonly Model[]): readonly Model[] {
  if (mountPath === '') return records;
  return records.map(({ links, ...record }) => ({ ...record, links: { details: mountPath + links.details } }));
}
