import { operation } from '../../http/operation.ts';
import { retrievedModelSchema } from '../../wire/models.ts';
import { findShownModel } from './find-shown-model.ts';
import type { ModelParts } from './model-parts.ts';

/** `GET /models/{id}`: one model as OpenAI's clients ask for it, with the slash of its id encoded. */
export const retrieveModel = operation<ModelParts>()({
  params: ['id'],
  response: retrievedModelSchema,
  async run(context) {
    const model = await findShownModel(context.params.id, context);
    return { ...model, object: 'model', owned_by: model.id.split('/')[0] ?? '' };
  },
});
