import { z } from 'zod';

import { toModelRecord } from '../catalog/to-model-record.ts';
import { findShownEndpoints, modelsWith } from '../dispatch/usable-endpoints.ts';
import { operation } from '../http/operation.ts';
import { refuseField } from '../wire/fields.ts';
import { geminiModelListSchema, geminiModelSchema } from '../wire/gemini.ts';
import type { Model } from '../wire/models.ts';
import { findShownModel, type ModelParts } from './models.ts';

const KEY_HEADER = { 'x-goog-api-key': 'The key, where there is none in `Authorization`' };
const key = z.string().optional().describe('The key, where no header has one');

const DEFAULT_PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 1000;

/** `GET /v1beta/models`: the models that the caller may use for texts and embeddings, page by page. */
export const geminiListModels = operation<ModelParts>()({
  query: z.object({
    pageSize: z.coerce.number().int().min(0).optional(),
    /** As the page before has named it. */
    pageToken: z.string().optional(),
    key,
  }),
  headers: KEY_HEADER,
  response: geminiModelListSchema,
  async run(context) {
    const { pageSize, pageToken } = context.query;
    const all = modelsWith(await findShownEndpoints(context), context.parts)
      .map(toModelRecord)
      .filter(makesText);
    const start = pageToken ? all.findIndex(({ id }) => id === pageToken) : 0;
    if (start === -1) throw refuseField('pageToken', 'names no page; begin again without it');
    const end = start + Math.min(pageSize || DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE);
    const next = all[end];
    return { models: all.slice(start, end).map(toGeminiModel), ...(next !== undefined && { nextPageToken: next.id }) };
  },
});

/** `GET /v1beta/models/{model}` */
export const geminiGetModel = operation<ModelParts>()({
  params: ['model'],
  query: z.object({ key }),
  headers: KEY_HEADER,
  response: geminiModelSchema,
  run: async (context) => toGeminiModel(await findShownModel(context.params.model, context)),
});

const makesText = ({ architecture: { output_modalities: outputs } }: Model): boolean =>
  outputs.includes('text') || outputs.includes('embeddings');

function toGeminiModel(model: Model): z.infer<typeof geminiModelSchema> {
  const { id, name, description, architecture, context_length: context, supported_parameters: parameters } = model;
  const most = model.top_provider.max_completion_tokens;
  return {
    name: `models/${id}`,
    baseModelId: id,
    version: id,
    displayName: name,
    description,
    ...(context !== null && { inputTokenLimit: context }),
    ...(most !== null && { outputTokenLimit: most }),
    supportedGenerationMethods: architecture.output_modalities.includes('text')
      ? ['generateContent', 'streamGenerateContent', 'countTokens']
      : ['embedContent', 'batchEmbedContents'],
    thinking: parameters.includes('reasoning'),
  };
}

/** The same below `/v1`, where newer clients ask. */
export const geminiListModelsV1 = { ...geminiListModels };
export const geminiGetModelV1 = { ...geminiGetModel };
