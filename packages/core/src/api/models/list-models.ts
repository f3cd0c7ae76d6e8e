import { z } from 'zod';

import { modelListQuerySchema } from '../../catalog/filter-models.ts';
import { findShownEndpoints, modelsWith } from '../../dispatch/usable-endpoints.ts';
import { operation } from '../../http/operation.ts';
import { clientModelListSchema } from '../../wire/models.ts';
import type { ModelParts } from './model-parts.ts';
import { pageOfModels } from './page-of-models.ts';
import { toAnthropicPage, toCodexModels } from './to-client-models.ts';

/**
 * `GET /models`: lists the usable models to callers of models, and all models to administrators. Agents that ask in a form
 * of their own get that beside the list: Codex names its version, Anthropic's clients that of their API.
 */
export const listModels = operation<ModelParts>()({
  query: modelListQuerySchema.extend({ client_version: z.string().optional() }),
  headers: { 'anthropic-version': 'Adds what clients of the Anthropic API read of a list' },
  response: clientModelListSchema,
  async run(context) {
    const { query, request } = context;
    const models = modelsWith(await findShownEndpoints(context), context.parts);
    const page = pageOfModels(models, query, context);
    return {
      ...page,
      ...(query.client_version !== undefined && { models: toCodexModels(page.data) }),
      ...(request.headers['anthropic-version'] !== undefined && toAnthropicPage(page.data, page.links.next !== null)),
    };
  },
});
