import type { Catalog, CatalogModel } from '../catalog/catalog.ts';
import { GatewayError } from '../errors.ts';
import type { ChatCompletionRequest } from '../schemas/chat-completion.ts';

/** Suffixes that only change how endpoints are chosen, valid on any model. */
const VIRTUAL_VARIANTS: ReadonlySet<string> = new Set(['nitro', 'floor', 'exacto']);

export interface ResolvedModel {
  readonly model: CatalogModel;
  /** Virtual variants that were asked for, without their colon. */
  readonly variants: readonly string[];
}

/**
 * The models a request names, in the order they are to be tried: `model`, then `models`, else the account's default.
 * Throws `invalid_request` for a name that is not known and for features that are not there.
 */
export function resolveModels(
  request: Pick<ChatCompletionRequest, 'model' | 'models'>,
  catalog: Catalog,
  defaultModel: string | null | undefined,
): readonly ResolvedModel[] {
  if (request.model && !request.models?.length) return [resolveModel(request.model, catalog)];
  const named = [...(request.model ? [request.model] : []), ...(request.models ?? [])];
  if (named.length === 0 && defaultModel) named.push(defaultModel);
  if (named.length === 0) {
    throw new GatewayError('invalid_request', 'model: name a model; this gateway has no default model');
  }
  const resolved = [...new Set(named)].map((slug) => resolveModel(slug, catalog));
  // Two spellings of one model must not make it be tried twice.
  return resolved.filter(({ model }, index) => resolved.findIndex((other) => other.model === model) === index);
}

/** Finds one model by its slug, whole or with virtual variants behind it. */
export function resolveModel(slug: string, catalog: Catalog): ResolvedModel {
  const variants: string[] = [];
  let rest = slug;
  for (;;) {
    const model = catalog.find(rest);
    if (model !== undefined) return { model, variants };
    const colon = rest.lastIndexOf(':');
    const variant = rest.slice(colon + 1);
    if (colon === -1 || !VIRTUAL_VARIANTS.has(variant)) throw unknownModel(slug, rest);
    variants.unshift(variant);
    rest = rest.slice(0, colon);
  }
}

function unknownModel(slug: string, rest: string): GatewayError {
  const shown = slug.slice(0, 200);
  const reason = rest.endsWith(':online')
    ? 'the :online variant is not available in this version'
    : slug.includes('@preset/')
      ? 'presets are not available in this version'
      : 'GET /api/v1/models lists what there is';
  return new GatewayError('invalid_request', `model: ${shown} is not a valid model ID; ${reason}`, {
    metadata: { issues: [{ path: 'model', message: `${shown} is not a valid model ID` }] },
  });
}
