import type { RequestedModels } from '../../calls/call-kind.ts';
import type { Catalog, CatalogModel } from '../../catalog/catalog.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { refuseField } from '../../wire/fields.ts';
import { findByAnthropicId } from './find-by-anthropic-id.ts';
import { findLatest } from './find-latest.ts';
import type { RouterName } from './router.ts';

/** Suffixes that only change how endpoints are chosen, valid on any model. */
const VIRTUAL_VARIANTS: ReadonlySet<string> = new Set(['nitro', 'floor', 'exacto', 'online']);
/** Suffixes of models of their own, listed beside the one without. */
const LISTED_VARIANTS: ReadonlySet<string> = new Set(['free', 'thinking', 'extended']);

/** Slugs that mean a choice of models instead of one. A model of the catalog with the same slug takes precedence. */
const ROUTERS: ReadonlyMap<string, RouterName> = new Map([
  ['service/auto', 'auto'],
  ['openrouter/auto', 'auto'],
  ['service/free', 'free'],
  ['openrouter/free', 'free'],
]);

/** The limit of the public wire; with two retries at most, further models would never be called. */
const MAX_FALLBACK_MODELS = 3;

export interface ResolvedModel {
  readonly model: CatalogModel;
  /** Virtual variants in the request, without their colon. */
  readonly variants: readonly string[];
}

/** The way in which the models of a request were chosen (wire.md 12). */
export type RoutingStrategy = 'direct' | 'alias' | 'latest' | 'fallback' | RouterName;

export interface ResolvedRequest {
  /** The first slug, as it was sent. */
  readonly requested: string;
  readonly strategy: RoutingStrategy;
  /** In the order in which they are tried, each once. */
  readonly models: readonly ResolvedModel[];
}

export interface ResolveOptions {
  readonly catalog: Catalog;
  readonly defaultModel?: string | null | undefined;
  readonly askRouter: (router: RouterName) => readonly CatalogModel[];
}

/**
 * The models of a request, in the order in which they are tried: `model`, then `models`, else the account's default.
 * Throws `invalid_request` for an unknown name and for unsupported features.
 */
export function resolveModels(request: RequestedModels, options: ResolveOptions): ResolvedRequest {
  const names = namesOf(request, options.defaultModel);
  const requested = names[0] as string;
  const models: ResolvedModel[] = [];
  let strategy: RoutingStrategy = 'direct';
  for (const name of names) {
    const named = resolveName(name, options);
    ({ strategy } = named);
    for (const resolved of named.models) {
      // Two spellings of one model must not make it be tried twice.
      if (!models.some(({ model }) => model.id === resolved.model.id)) models.push(resolved);
    }
  }
  return { requested, strategy: names.length > 1 ? 'fallback' : strategy, models };
}

function namesOf({ model, models }: RequestedModels, defaultModel: string | null | undefined): readonly string[] {
  if (models != null && models.length > MAX_FALLBACK_MODELS) {
    throw refuseField('models', `must have ${MAX_FALLBACK_MODELS} items or fewer`);
  }
  const named = [...(model ? [model] : []), ...(models ?? [])];
  if (named.length === 0 && defaultModel) named.push(defaultModel);
  if (named.length === 0) {
    throw refuseField('model', 'name a model; this gateway has no default model');
  }
  return named.length === 1 ? named : [...new Set(named)];
}

function resolveName(name: string, { catalog, askRouter }: ResolveOptions): Omit<ResolvedRequest, 'requested'> {
  const { rest, variants } = splitVariants(name, (slug) => ROUTERS.has(slug) || findModel(slug, catalog) !== undefined);
  const model = findModel(rest, catalog);
  if (model !== undefined) return { strategy: strategyOf(rest, model), models: [{ model, variants }] };
  const router = ROUTERS.get(rest);
  if (router === undefined) throw unknownModel(name, rest, catalog);
  return { strategy: router, models: askRouter(router).map((chosen) => ({ model: chosen, variants })) };
}

/** Finds one model by its slug or alias, whole or with virtual variants behind it; throws `invalid_request`. */
export function resolveModel(slug: string, catalog: Catalog): ResolvedModel {
  const { rest, variants } = splitVariants(slug, (name) => findModel(name, catalog) !== undefined);
  const model = findModel(rest, catalog);
  if (model === undefined) throw unknownModel(slug, rest, catalog);
  return { model, variants };
}

/** Whether requests can name this: a model, an alias or a router, alone or with virtual variants behind it. */
export function isModelName(slug: string, catalog: Catalog): boolean {
  const isKnown = (name: string): boolean => ROUTERS.has(name) || findModel(name, catalog) !== undefined;
  return isKnown(splitVariants(slug, isKnown).rest);
}

/** The model that a slug or an alias means, without virtual variants behind it. */
export const findModel = (slug: string, catalog: Catalog): CatalogModel | undefined =>
  catalog.find(slug) ?? findLatest(slug, catalog) ?? findByAnthropicId(slug, catalog);

/** Removes virtual variants from the end until the rest is known, or nothing more can be removed. */
function splitVariants(
  slug: string,
  isKnown: (rest: string) => boolean,
): { readonly rest: string; readonly variants: readonly string[] } {
  const variants: string[] = [];
  let rest = slug;
  for (;;) {
    const colon = rest.lastIndexOf(':');
    const variant = rest.slice(colon + 1);
    if (colon === -1 || !VIRTUAL_VARIANTS.has(variant) || isKnown(rest)) return { rest, variants };
    variants.unshift(variant);
    rest = rest.slice(0, colon);
  }
}

function strategyOf(slug: string, model: CatalogModel): RoutingStrategy {
  if (slug === model.id) return 'direct';
  return slug.startsWith('~') ? 'latest' : 'alias';
}

function unknownModel(slug: string, rest: string, catalog: Catalog): GatewayError {
  const shown = slug.slice(0, 200);
  const colon = rest.lastIndexOf(':');
  if (LISTED_VARIANTS.has(rest.slice(colon + 1)) && catalog.find(rest.slice(0, colon)) !== undefined) {
    return new GatewayError('not_found', `model: ${shown} is not offered; ${rest.slice(0, colon)} is`);
  }
  const reason = slug.includes('@preset/')
    ? 'presets are not available in this version'
    : 'GET /api/v1/models lists what there is';
  return new GatewayError('unknown_model', `model: ${shown} is not a valid model ID; ${reason}`, {
    metadata: { issues: [{ path: 'model', message: `${shown} is not a valid model ID` }] },
  });
}
