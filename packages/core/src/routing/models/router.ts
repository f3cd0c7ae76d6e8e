import type { CallNeeds, RouterInput } from '../../calls/call-kind.ts';
import type { CatalogModel } from '../../catalog/catalog.ts';
import type { RandomSource } from '../random.ts';

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
export const MAX_ROUTED_MODELS = 3;
