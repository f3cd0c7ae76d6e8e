import { filterModels, modelListQuerySchema } from '../../catalog/filter-models.ts';
import { findShownEndpoints, modelsWith } from '../../dispatch/usable-endpoints.ts';
import { operation } from '../../http/operation.ts';
import { modelCountSchema } from '../../wire/models.ts';
import type { ModelParts } from './model-parts.ts';
import { toFilterContext } from './page-of-models.ts';

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
