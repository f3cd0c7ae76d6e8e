import { z } from 'zod';

import type { CallNeeds, RouterInput } from '../calls/call-kind.ts';
import { type CatalogModel, priceOf } from '../catalog/catalog.ts';
import { isLike, parseWith } from '../foundation/parse.ts';
import type { RandomSource } from './order-endpoints.ts';

/** Shares of the candidates by price, from cheap to expensive, in per cent (wire.md 11.2). */
const COST_TIERS = {
  low: [0, 20],
  medium: [20, 40],
  high: [40, 60],
  xhigh: [60, 80],
  max: [80, 100],
} as const;
type CostTier = keyof typeof COST_TIERS;

const patternsSchema = z.array(z.string().max(200)).max(1024).nullish();
const autoRouterSchema = z.object({
  allowed_models: patternsSchema,
  excluded_models: patternsSchema,
  cost_tier: z.enum(Object.keys(COST_TIERS) as [CostTier]).nullish(),
});

/**
 * Chooses by price and age, without a call: by price, candidates within the cost tier come first, newest before oldest,
 * then those nearest to it. Without a `cost_tier` the text decides: tools, reasoning, code or a long text select `high`, a
 * short one `low`, any other `medium`.
 */
export const resolveAuto: RouterStrategy = ({ text, options: given, optionsPath, needs, candidates }) => {
  const options = parseWith(autoRouterSchema, given, { within: optionsPath ?? 'plugins' });
  const allowed = candidates.filter(
    ({ id }) =>
      (!options.allowed_models?.length || options.allowed_models.some((pattern) => isLike(id, pattern))) &&
      !options.excluded_models?.some((pattern) => isLike(id, pattern)),
  );
  const byPrice = allowed.toSorted((a, b) => cheapestOf(a) - cheapestOf(b) || 0);
  const [from, to] = COST_TIERS[options.cost_tier ?? tierFor(text, needs)];
  const ranked = byPrice.map((model, index) => {
    const percentile = ((index + 0.5) / byPrice.length) * 100;
    return { model, distance: Math.max(from - percentile, percentile - to, 0) };
  });
  return ranked
    .toSorted((a, b) => a.distance - b.distance || createdOf(b.model) - createdOf(a.model))
    .slice(0, MAX_ROUTED_MODELS)
    .map(({ model }) => model);
};

const LONG_TEXT = 4000;
const SHORT_TEXT = 200;

function tierFor(text: string, needs: CallNeeds): CostTier {
  const isDemanding = needs.parameters.some((name) => name === 'tools' || name.startsWith('reasoning'));
  if (isDemanding || text.length > LONG_TEXT || text.includes('```')) return 'high';
  return text.length <= SHORT_TEXT ? 'low' : 'medium';
}

const cheapestOf = ({ endpoints }: CatalogModel): number => Math.min(...endpoints.map(priceOf), Number.MAX_VALUE);
const createdOf = ({ definition }: CatalogModel): number => definition.created ?? 0;

/** The slugs `service/auto` and `service/free`, and what the compatible wire calls them. */
export type RouterName = 'auto' | 'free';

export interface RouterQuery extends RouterInput {
  /** The whole request, of the type that its kind has. */
  readonly request: unknown;
  readonly needs: CallNeeds;
  /** Models that meet the request's needs and all restrictions, with the endpoints that remain. */
  readonly candidates: readonly CatalogModel[];
  readonly random: RandomSource;
}

/**
 * Chooses models for a request that names none, best first; the others are fallbacks. None means 404. Called during the
 * request, so it must be fast; an embedder may pass its own.
 */
export type RouterStrategy = (query: RouterQuery) => readonly CatalogModel[];

/** Further models would never be called: there is one call and two retries. */
const MAX_ROUTED_MODELS = 3;

/** Draws among the models that cost nothing, and uses only those of their endpoints that do. */
export const resolveFree: RouterStrategy = ({ candidates, random }) => {
  const free = candidates.flatMap((model) => {
    const endpoints = model.endpoints.filter((endpoint) => priceOf(endpoint) === 0);
    return endpoints.length === 0 ? [] : [{ ...model, endpoints }];
  });
  const drawn = [];
  while (drawn.length < MAX_ROUTED_MODELS && free.length > 0) {
    drawn.push(...free.splice(Math.floor(random() * free.length), 1));
  }
  return drawn;
};
