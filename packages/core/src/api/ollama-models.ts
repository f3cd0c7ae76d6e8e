import { toModelRecord } from '../catalog/to-model-record.ts';
import { findShownEndpoints, modelsWith } from '../dispatch/usable-endpoints.ts';
import { parseWith } from '../foundation/parse.ts';
import { readJsonBody } from '../http/json-body.ts';
import { operation, publicOperation } from '../http/operation.ts';
import type { Model } from '../wire/models.ts';
import {
  type OllamaListedModel,
  ollamaModelListSchema,
  ollamaShowRequestSchema,
  ollamaShowResponseSchema,
  ollamaVersionSchema,
} from '../wire/ollama.ts';
import { findShownModel, type ModelParts } from './models.ts';

/** The version of Ollama whose API is served: clients refuse servers that are too old for them. */
const API_VERSION = '0.13.0';

/** `GET /api/tags`: the models that the caller may use for texts. */
export const ollamaTags = operation<ModelParts>()({
  response: ollamaModelListSchema,
  async run(context) {
    const { parts } = context;
    const shown = modelsWith(await findShownEndpoints(context), parts)
      .map(toModelRecord)
      .filter(makesText);
    const models = shown.map(async (model): Promise<OllamaListedModel> => {
      const { id, created } = model;
      const digest = await parts.platform.sha256(id);
      return { name: id, model: id, modified_at: toTime(created), size: 0, digest, details: toDetails(model) };
    });
    return { models: await Promise.all(models) };
  },
});

/** `POST /api/show`: what a model can do, and the length of its context. */
export const ollamaShow = operation<ModelParts>()({
  body: { readByRun: ollamaShowRequestSchema },
  response: ollamaShowResponseSchema,
  errors: ['not_found'],
  async run(context) {
    const { model: named, name } = parseWith(ollamaShowRequestSchema, await readJsonBody(context.request));
    const model = await findShownModel(named ?? name ?? '', context);
    const family = familyOf(model);
    return {
      license: '',
      modelfile: '',
      parameters: '',
      template: '',
      details: toDetails(model),
      model_info: {
        'general.architecture': family,
        'general.basename': model.name,
        ...(model.context_length !== null && { [`${family}.context_length`]: model.context_length }),
      },
      capabilities: capabilitiesOf(model),
      modified_at: toTime(model.created),
    };
  },
});

/** `GET /api/ps`: no model is loaded here, each runs at its provider. */
export const ollamaPs = operation<object>()({ response: ollamaModelListSchema, run: () => ({ models: [] }) });

/** `GET /api/version` */
export const ollamaVersion = publicOperation<object>()({
  response: ollamaVersionSchema,
  run: () => ({ version: API_VERSION }),
});

/** `GET /`: by this clients find out whether there is a server. */
export const ollamaRoot = publicOperation<object>()({
  response: { mediaTypes: { 'text/plain': null } },
  run: () => ({
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: 'Model Gateway is running\n',
  }),
});

const makesText = ({ architecture: { output_modalities: outputs } }: Model): boolean =>
  outputs.includes('text') || outputs.includes('embeddings');

const toTime = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** The author of a model, the nearest to a family that is known of it. */
const familyOf = ({ id }: Model): string => id.split('/')[0] ?? '';

/** Facts of a file; of models elsewhere they are not known. */
const toDetails = (model: Model): OllamaListedModel['details'] => ({
  parent_model: '',
  format: '',
  family: familyOf(model),
  families: [familyOf(model)],
  parameter_size: '',
  quantization_level: '',
});

/** Parameters that are not known are taken for supported, as on the way of a call. */
function capabilitiesOf({ architecture, supported_parameters: parameters }: Model): string[] {
  const { input_modalities: inputs, output_modalities: outputs } = architecture;
  if (!outputs.includes('text')) return ['embedding'];
  return [
    'completion',
    ...(parameters.length === 0 || parameters.includes('tools') ? ['tools'] : []),
    ...(inputs.includes('image') ? ['vision'] : []),
    ...(parameters.includes('reasoning') ? ['thinking'] : []),
  ];
}
