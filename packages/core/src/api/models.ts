import { z } from 'zod';

import type { CatalogModel } from '../catalog/catalog.ts';
import {
  type FilterContext,
  filterModels,
  type ModelListQuery,
  modelListQuerySchema,
} from '../catalog/filter-models.ts';
import { toArchitecture, toEndpointRecord, toModelRecord } from '../catalog/to-model-record.ts';
import {
  type EndpointParts,
  findShownEndpoints,
  findUsableEndpoints,
  modelsWith,
} from '../dispatch/usable-endpoints.ts';
import { GatewayError } from '../foundation/errors.ts';
import { operation } from '../http/operation.ts';
import { type GatewayRequest, mountPathOf, type RequestContext } from '../http/request.ts';
import { toJsonResponse } from '../http/response.ts';
import { type HealthBoard, toHealthFields } from '../routing/health/endpoint-health.ts';
import { findNamedModel } from '../routing/resolve-models.ts';
import { zdrEndpointListSchema } from '../wire/account.ts';
import type { DataRegionOf } from '../wire/fields.ts';
import {
  clientModelListSchema,
  type CodexModel,
  type Model,
  modelCountSchema,
  modelEndpointsSchema,
  modelListSchema,
  oneModelSchema,
  retrievedModelSchema,
} from '../wire/models.ts';
import { toModelFeed } from './model-feed.ts';

export interface ModelParts extends EndpointParts {
  readonly dataRegionOf: DataRegionOf;
  readonly health: HealthBoard;
}

/** One model as the list shows it to the same caller. Rejects with `not_found` for what is not in that list. */
export async function findShownModel(
  slug: string,
  context: Pick<RequestContext<ModelParts>, 'request' | 'principal' | 'parts'>,
): Promise<Model> {
  const { parts } = context;
  const id = findNamedModel(slug, parts.catalog)?.id;
  const model = modelsWith(await findShownEndpoints(context), parts).find((shown) => shown.id === id);
  if (model === undefined) throw new GatewayError('not_found', `There is no model ${slug.slice(0, 200)}`);
  const [record] = linkBelow(mountPathOf(context.request), [toModelRecord(model)]) as [Model];
  if (slug === record.id || slug === record.canonical_slug) return record;
  return { ...record, alias_target: { slug: record.id, name: record.name } };
}

const DEFAULT_LIMIT = 500;

interface ModelPage {
  readonly data: readonly Model[];
  readonly total_count: number;
  readonly links: { readonly next: string | null };
}

/** Filters models by a query and returns one page; the whole list without paging parameters. */
function pageOfModels(
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
function toFilterContext({ catalog, dataRegionOf, platform }: ModelParts): FilterContext {
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
function linkBelow(mountPath: string, records: readonly Model[]): readonly Model[] {
  if (mountPath === '') return records;
  return records.map(({ links, ...record }) => ({ ...record, links: { details: mountPath + links.details } }));
}

/** Codex cuts what its tools return to this length. */
const TRUNCATION = { mode: 'bytes', limit: 10_000 };
const EFFORTS = [
  { effort: 'low', description: 'Fast' },
  { effort: 'medium', description: 'Balanced' },
  { effort: 'high', description: 'Thorough' },
];

/** The models that can be an agent's, as Codex asks for them (wire.md 22.2). */
function toCodexModels(models: readonly Model[]): CodexModel[] {
  return models
    .filter(({ supported_parameters: parameters }) => parameters.length === 0 || parameters.includes('tools'))
    .map((model, index) => toCodexModel(model, index));
}

function toCodexModel(model: Model, priority: number): CodexModel {
  const parameters = model.supported_parameters;
  const reasons = parameters.includes('reasoning');
  return {
    slug: model.id,
    display_name: model.name,
    description: model.description === '' ? null : model.description,
    supported_reasoning_levels: reasons ? EFFORTS : [],
    default_reasoning_level: reasons ? 'medium' : null,
    shell_type: 'unified_exec',
    visibility: 'list',
    supported_in_api: true,
    priority,
    availability_nux: null,
    upgrade: null,
    base_instructions: '',
    support_verbosity: parameters.includes('verbosity'),
    default_verbosity: null,
    supports_reasoning_summaries: reasons,
    supports_parallel_tool_calls: parameters.includes('parallel_tool_calls'),
    apply_patch_tool_type: null,
    truncation_policy: TRUNCATION,
    context_window: model.context_length,
    input_modalities: model.architecture.input_modalities.filter((kind) => kind === 'text' || kind === 'image'),
    experimental_supported_tools: [],
  };
}

interface AnthropicPage {
  readonly data: readonly (Model & {
    readonly type: 'model';
    readonly display_name: string;
    readonly created_at: string;
  })[];
  readonly has_more: boolean;
  readonly first_id: string | null;
  readonly last_id: string | null;
}

/** A page of models with the fields by which Anthropic's clients read it. */
function toAnthropicPage(models: readonly Model[], hasMore: boolean): AnthropicPage {
  return {
    data: models.map((model) => ({
      ...model,
      type: 'model',
      display_name: model.name,
      created_at: new Date(model.created * 1000).toISOString(),
    })),
    has_more: hasMore,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
  };
}

/**
 * `GET /models`: lists the usable models to callers of models, and all models to administrators. Agents that ask in a form
 * of their own get that beside the list: Codex names its version, Anthropic's clients that of their API.
 */
export const listModels = operation<ModelParts>()({
  query: modelListQuerySchema.extend({
    client_version: z.string().optional(),
    use_rss: z.enum(['true', 'false']).optional(),
    use_rss_chat_links: z.enum(['true', 'false']).optional(),
  }),
  headers: { 'anthropic-version': 'Adds what clients of the Anthropic API read of a list' },
  response: { mediaTypes: { 'application/json': clientModelListSchema, 'application/rss+xml': z.string() } },
  async run(context) {
    const { query, request, responseHeaders } = context;
    const models = modelsWith(await findShownEndpoints(context), context.parts);
    const page = pageOfModels(models, query, context);
    if (query.use_rss === 'true') {
      const body = toModelFeed(page.data, {
        baseUrl: request.baseUrl,
        linksToChat: query.use_rss_chat_links === 'true',
      });
      return {
        status: 200,
        headers: { ...responseHeaders, 'content-type': 'application/rss+xml; charset=utf-8' },
        body,
      };
    }
    const list = {
      ...page,
      ...(query.client_version !== undefined && { models: toCodexModels(page.data) }),
      ...(request.headers['anthropic-version'] !== undefined && toAnthropicPage(page.data, page.links.next !== null)),
    };
    return toJsonResponse(200, list, responseHeaders);
  },
});

/** `GET /models/user`: the models of which the account and the caller's guardrails leave an endpoint. */
export const listUserModels = operation<ModelParts>()({
  query: modelListQuerySchema,
  response: modelListSchema,
  async run(context) {
    const models = modelsWith(await findUsableEndpoints(context), context.parts);
    return pageOfModels(models, context.query, context);
  },
});

/** `GET /embeddings/models`: those of the list that turn texts into vectors. */
export const listEmbeddingModels = operation<ModelParts>()({
  query: modelListQuerySchema.pick({ offset: true, limit: true }),
  response: modelListSchema,
  async run(context) {
    const models = modelsWith(await findShownEndpoints(context), context.parts);
    return pageOfModels(models, { ...context.query, output_modalities: ['embeddings'] }, context);
  },
});

/** `GET /models/count`: accepts the query of the list and applies its filter on output modalities. */
export const countModels = operation<ModelParts>()({
  query: modelListQuerySchema,
  response: modelCountSchema,
  async run(context) {
    const { output_modalities } = context.query;
    const shown = modelsWith(await findShownEndpoints(context), context.parts);
    const found = filterModels(shown, output_modalities ? { output_modalities } : {}, toFilterContext(context.parts));
    return { data: { count: found.length } };
  },
});

/** `GET /models/{author}/{slug}/endpoints`: to callers of models, those that they may use. */
export const listModelEndpoints = operation<ModelParts>()({
  params: ['author', 'slug'],
  response: modelEndpointsSchema,
  async run(context) {
    const { params, parts } = context;
    const slug = `${params.author}/${params.slug}`;
    const model = findNamedModel(slug, parts.catalog);
    if (model === undefined) throw new GatewayError('not_found', `There is no model ${slug.slice(0, 200)}`);
    const { definition } = model;
    const shown = await findShownEndpoints(context);
    return {
      data: {
        id: model.id,
        name: definition.name ?? model.id,
        created: definition.created ?? 0,
        description: definition.description ?? '',
        architecture: toArchitecture(model),
        endpoints: shown(model).map((endpoint) => ({
          ...toEndpointRecord(model, endpoint),
          ...toHealthFields(parts.health.of(endpoint).report()),
        })),
      },
    };
  },
});

/** `GET /endpoints/zdr`: the endpoints that are known to retain no data. */
export const listZdrEndpoints = operation<ModelParts>()({
  response: zdrEndpointListSchema,
  async run(context) {
    const shown = await findShownEndpoints(context);
    const data = context.parts.catalog.list().flatMap((model) =>
      shown(model)
        .filter(({ provider }) => provider.dataPolicy.retainsPrompts === false)
        .map((endpoint) => toEndpointRecord(model, endpoint)),
    );
    return { data };
  },
});

/** `GET /model/{author}/{slug}` */
export const getModel = operation<ModelParts>()({
  params: ['author', 'slug'],
  response: oneModelSchema,
  run: async (context) => ({ data: await findShownModel(`${context.params.author}/${context.params.slug}`, context) }),
});

/** `GET /models/{id}`: one model as OpenAI's clients ask for it, with the slash of its id encoded. */
export const retrieveModel = operation<ModelParts>()({
  params: ['id'],
  response: retrievedModelSchema,
  async run(context) {
    const model = await findShownModel(context.params.id, context);
    return { ...model, object: 'model', owned_by: model.id.split('/')[0] ?? '' };
  },
});
