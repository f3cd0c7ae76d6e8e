import { toArchitecture, toEndpointRecord } from '../../catalog/to-model-record.ts';
import { findShownEndpoints } from '../../dispatch/usable-endpoints.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { operation } from '../../http/operation.ts';
import { toHealthFields } from '../../routing/health/endpoint-health.ts';
import { modelEndpointsSchema } from '../../wire/models.ts';
import type { ModelParts } from './model-parts.ts';

/** `GET /models/{author}/{slug}/endpoints`: to callers of models, those that they may use. */
export const listModelEndpoints = operation<ModelParts>()({
  params: ['author', 'slug'],
  response: modelEndpointsSchema,
  async run(context) {
    const { params, parts } = context;
    const slug = `${params.author}/${params.slug}`;
    const model = parts.catalog.find(slug);
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
