import { operation } from '../../http/operation.ts';
import { oneModelSchema } from '../../wire/models.ts';
import { findShownModel } from './find-shown-model.ts';
import type { ModelParts } from './model-parts.ts';

/** `GET /model/{author}/{slug}` */
export const getModel = operation<ModelParts>()({
  params: ['author', 'slug'],
  response: oneModelSchema,
  run: async (context) => ({ data: await findShownModel(`${context.params.author}/${context.params.slug}`, context) }),
});
