import { modelListQuerySchema } from '../../catalog/filter-models.ts';
import { findUsableEndpoints, modelsWith } from '../../dispatch/usable-endpoints.ts';
import { operation } from '../../http/operation.ts';
import { modelListSchema } from '../../wire/models.ts';
import type { ModelParts } from './model-parts.ts';
import { pageOfModels } from './page-of-models.ts';

/** `GET /models/user`: the models of which the account and the caller's guardrails leave an endpoint. */
export const listUserModels = operation<ModelParts>()({
  query: modelListQuerySchema,
  response: modelListSchema,
  async run(context) {
    const models = modelsWith(await findUsableEndpoints(context), context.parts);
    return pageOfModels(models, context.query, context);
  },
});
