import { z } from 'zod';

import type { CatalogModel } from '../../../catalog/catalog.ts';
import type { ServerTool } from './server-tool.ts';

const MAX_RESULTS = 20;

const optionsSchema = z.object({ max_results: z.int().min(1).max(MAX_RESULTS).nullish() });

/** Finds models of the catalog by words of their id, name and description (wire.md 10.2). */
export const searchModelsTool: ServerTool = {
  name: 'search_models',
  description: 'Searches the AI models that this service offers, by words of their name, author or description.',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'Words to look for; empty for the newest models' },
      max_results: { type: 'integer', minimum: 1, maximum: MAX_RESULTS },
    },
    required: ['query'],
    additionalProperties: false,
  },
  open(parameters, { models }) {
    const limit = optionsSchema.parse(parameters).max_results ?? 5;
    return {
      run({ query, max_results: asked }) {
        const words = (typeof query === 'string' ? query : '')
          .toLowerCase()
          .split(/\s+/)
          .filter((word) => word !== '');
        const found = models()
          .map((model) => ({ model, score: scoreOf(model, words) }))
          .filter(({ score }) => score > 0 || words.length === 0)
          .toSorted((a, b) => b.score - a.score || createdOf(b.model) - createdOf(a.model))
          .slice(0, typeof asked === 'number' && asked >= 1 ? Math.min(Math.floor(asked), MAX_RESULTS) : limit);
        return { content: JSON.stringify({ models: found.map(({ model }) => describe(model)) }) };
      },
    };
  },
};

/** Words in the id weigh most: that is what a model is known by. */
function scoreOf({ id, definition }: CatalogModel, words: readonly string[]): number {
  const name = (definition.name ?? '').toLowerCase();
  const description = (definition.description ?? '').toLowerCase();
  let score = 0;
  for (const word of words) {
    if (id.toLowerCase().includes(word)) score += 4;
    if (name.includes(word)) score += 2;
    if (description.includes(word)) score += 1;
  }
  return score;
}

const createdOf = ({ definition }: CatalogModel): number => definition.created ?? 0;

function describe({ id, definition, endpoints }: CatalogModel): object {
  const { prompt, completion } = endpoints[0]?.pricing ?? {};
  return {
    id,
    name: definition.name ?? id,
    ...(definition.description && { description: definition.description.slice(0, 300) }),
    context_length: definition.context_length ?? endpoints[0]?.contextLength ?? null,
    pricing: { prompt: prompt ?? null, completion: completion ?? null },
  };
}
