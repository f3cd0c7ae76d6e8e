import { modelListQuerySchema } from '../../catalog/filter-models.ts';
import { findShownEndpoints, modelsWith } from '../../dispatch/usable-endpoints.ts';
import { operation } from '../../http/operation.ts';
import { modelListSchema } from '../../wire/models/model.ts';
import type { ModelParts } from './model-parts.ts';
import { pageOfModels } from './page-of-models.ts';

/** `GET /models`: lists the usable models to callers of models, and all models to administrators. */
export const listModels = operation<ModelParts>()({
  query: modelListQuerySchema,
  response: modelListSchema,
  async run(context) {
    const models = modelsWith(await findShownEndpoints(context), context.parts);
    return pageOfModels(models, context.query, context);
  },
});
