import { CALL_KINDS, type CallKindName, kindOfModel, type RequestedModels } from '../calls/call-kind.ts';
import type { Catalog, CatalogModel } from '../catalog/catalog.ts';
import { GatewayError } from '../foundation/errors.ts';
import { refuseField } from '../wire/fields.ts';
import type { RouterName } from './routers.ts';

/** Suffixes that only change how endpoints are chosen, valid on any model. */
const VIRTUAL_VARIANTS: ReadonlySet<string> = new Set(['nitro', 'floor', 'exacto', 'online']);
/** Suffixes of models of their own, listed beside the one without. */
const LISTED_VARIANTS: ReadonlySet<string> = new Set(['free', 'thinking', 'extended']);

/** What is said where a preset is named that has no effect there. */
export const PRESETS_ELSEWHERE =
  'presets are named in `model` or `preset` of chat completions, completions, messages and responses';

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

interface ResolveOptions {
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

/** The same, and undefined for an unknown model. */
export const findNamedModel = (slug: string, catalog: Catalog): CatalogModel | undefined =>
  findModel(splitVariants(slug, (name) => findModel(name, catalog) !== undefined).rest, catalog);

/** Whether requests can name this: a model, an alias or a router, alone or with virtual variants behind it. */
export function isModelName(slug: string, catalog: Catalog): boolean {
  const isKnown = (name: string): boolean => ROUTERS.has(name) || findModel(name, catalog) !== undefined;
  return isKnown(splitVariants(slug, isKnown).rest);
}

/** The model that a slug or an alias means, without virtual variants behind it. */
export const findModel = (slug: string, catalog: Catalog): CatalogModel | undefined =>
  catalog.find(slug) ?? findLatest(slug, catalog) ?? findByAnthropicId(slug, catalog) ?? findByGoogleId(slug, catalog);

/** What clients of Ollama add to names without a tag. Models whose own names have it are found before. */
const DEFAULT_TAG = 'latest';

/** Removes virtual variants, and that tag, from the end until the rest is known, or nothing more can be removed. */
function splitVariants(
  slug: string,
  isKnown: (rest: string) => boolean,
): { readonly rest: string; readonly variants: readonly string[] } {
  const variants: string[] = [];
  let rest = slug;
  for (;;) {
    const colon = rest.lastIndexOf(':');
    const variant = rest.slice(colon + 1);
    const isTag = variant === DEFAULT_TAG;
    if (colon === -1 || !(isTag || VIRTUAL_VARIANTS.has(variant)) || isKnown(rest)) return { rest, variants };
    if (!isTag) variants.unshift(variant);
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
  const reason = slug.includes('@preset/') ? PRESETS_ELSEWHERE : 'GET /api/v1/models lists the available models';
  return new GatewayError('unknown_model', `model: ${shown} is not a valid model ID; ${reason}`, {
    metadata: { issues: [{ path: 'model', message: `${shown} is not a valid model ID` }] },
  });
}

const AUTHOR = 'anthropic/';
/** What clients add to an id: the date of a model or `latest`, and a mark of their own for a longer window. */
const ADDITIONS = /^(?<name>.+?)(?:-(?:20\d{6}|latest))?(?:\[\w+\])?$/;

/**
 * The model that Anthropic's own clients mean by an id of its API: `claude-opus-4-8`, `claude-opus-4-8-20260101`,
 * `claude-opus-4-8[1m]` for `anthropic/claude-opus-4.8`. Undefined for anything else.
 */
function findByAnthropicId(slug: string, catalog: Catalog): CatalogModel | undefined {
  const given = slug.startsWith(AUTHOR) ? slug.slice(AUTHOR.length) : slug;
  if (!given.startsWith('claude-')) return undefined;
  const { name = given } = ADDITIONS.exec(given)?.groups ?? {};
  const known = catalog.find(name) ?? catalog.find(AUTHOR + name);
  return known ?? catalog.list().find(({ id }) => id.startsWith(AUTHOR) && toAnthropicId(id) === name);
}

const toAnthropicId = (id: string): string => id.slice(AUTHOR.length).replaceAll('.', '-');

/** Clients of Google's API name its models without their author. */
const findByGoogleId = (slug: string, catalog: Catalog): CatalogModel | undefined =>
  /^gem(?:ini|ma)-[^/]*$/.test(slug) ? catalog.find(`google/${slug}`) : undefined;

const LATEST = '-latest';
/** Only numbers distinguish the members of a family: `-4.5`, `-v3`, `-2026-01-31`; `-mini` is another family. */
const VERSION = /^(-v?\d+(\.\d+)*)*$/i;

/**
 * The newest model of a family by its alias, `~author/family-latest`; undefined for anything else. The newest is the
 * one created last, and among equals the one with the higher version.
 */
function findLatest(slug: string, catalog: Catalog): CatalogModel | undefined {
  if (!slug.startsWith('~') || !slug.endsWith(LATEST)) return undefined;
  const family = slug.slice(1, -LATEST.length);
  const author = family.indexOf('/', 1);
  if (author === -1 || author === family.length - 1) return undefined;
  const members = catalog.list().filter(({ id }) => id.startsWith(family) && VERSION.test(id.slice(family.length)));
  return members.reduce<CatalogModel | undefined>(
    (latest, model) => (latest === undefined || isNewer(model, latest) ? model : latest),
    undefined,
  );
}

function isNewer(a: CatalogModel, b: CatalogModel): boolean {
  const [createdA, createdB] = [a.definition.created ?? 0, b.definition.created ?? 0];
  if (createdA !== createdB) return createdA > createdB;
  const [versionA, versionB] = [numbersOf(a.id), numbersOf(b.id)];
  const differs = versionA.findIndex((number, index) => number !== versionB[index]);
  return differs !== -1 && (versionA[differs] as number) > (versionB[differs] ?? -1);
}

const numbersOf = (id: string): readonly number[] => (id.match(/\d+/g) ?? []).map(Number);

/** Kinds of output that a chat can ask for beside text. */
const OUTPUTS_OF_CHATS: readonly string[] = ['image', 'audio'];

/**
 * Throws `invalid_request` for a model whose declared output is none that this kind of call is for, and says which
 * operation is. `requested` are the outputs beside the usual one that the request asks for.
 */
export function refuseOtherKind(model: CatalogModel, kind: CallKindName, requested: readonly string[]): void {
  const outputs = model.definition.architecture?.output_modalities;
  const { output } = CALL_KINDS[kind];
  if (outputs === undefined || outputs.includes(output) || requested.some((other) => outputs.includes(other))) return;
  throw refuseField('model', `${model.id} makes no ${output}${adviceOn(model, outputs)}`);
}

function adviceOn(model: CatalogModel, outputs: readonly string[]): string {
  const right = kindOfModel(model);
  const possible = OUTPUTS_OF_CHATS.filter((other) => outputs.includes(other));
  const inChat = possible.length > 0 ? `in a chat it needs modalities: ${JSON.stringify(possible)}` : '';
  if (right !== 'chat' || outputs.includes(CALL_KINDS.chat.output)) {
    const also = right !== 'chat' && inChat !== '' ? `; ${inChat}` : '';
    return `; it is called by POST ${CALL_KINDS[right].path}${also}`;
  }
  if (inChat !== '') return `; ${inChat}`;
  return `, and no operation of this gateway serves its output (${outputs.join(', ')})`;
}
