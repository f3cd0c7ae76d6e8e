import { toArchitecture, toEndpointRecord } from '../../catalog/to-model-record.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { findShownEndpoints } from '../../dispatch/usable-endpoints.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { toHealthFields } from '../../routing/health/to-health-fields.ts';

/** `GET /models/{author}/{slug}/endpoints`: to callers of models, those that they may use. */
export async function listModelEndpoints(context: RequestContext): Promise<GatewayResponse> {
  const { params, runtime } = context;
  const slug = `${params['author']}/${params['slug']}`;
  const model = runtime.catalog.find(slug);
  if (model === undefined) throw new GatewayError('not_found', `There is no model ${slug.slice(0, 200)}`);
  const { definition } = model;
  const shown = await findShownEndpoints(context);
  return toJsonResponse(200, {
    data: {
      id: model.id,
      name: definition.name ?? model.id,
      created: definition.created ?? 0,
      description: definition.description ?? '',
      architecture: toArchitecture(model),
      endpoints: shown(model).map((endpoint) => ({
        ...toEndpointRecord(model, endpoint),
        ...toHealthFields(runtime.health.of(endpoint).report()),
      })),
    },
  });
}
