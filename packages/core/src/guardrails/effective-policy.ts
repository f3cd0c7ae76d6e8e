import { CALL_KINDS, kindOfModel, type EndpointConstraint, type OnwardDemand } from '../calls/call-kind.ts';
import { type Catalog, type Endpoint, isListed } from '../catalog/catalog.ts';
import type { BuiltinFilter, CustomFilter, Guardrail } from '../wire/guardrails.ts';
import type { GuardrailScope } from '../wire/routing.ts';
import type { FilterAction } from './filters/filter.ts';

/** A guardrail and through whom it holds for a caller. */
export interface GuardrailLayer {
  readonly scope: GuardrailScope;
  readonly guardrail: Guardrail;
}

/** The source of a part of a policy. Two guardrails may have the same demand; one of them is named. */
interface RuleOrigin {
  readonly guardrailId: string;
  readonly scope: GuardrailScope;
}

/** One demand on endpoints. All of them have to be met. */
type EndpointRule = RuleOrigin &
  (
    | {
        readonly rule: 'allowed_models' | 'ignored_models' | 'allowed_providers' | 'ignored_providers';
        readonly values: readonly string[];
      }
    | { readonly rule: 'allowed_data_regions'; readonly values: readonly string[] }
    | { readonly rule: ZdrRule | TrainingRule }
  );

type ZdrRule = `enforce_zdr_${'anthropic' | 'openai' | 'google' | 'xai' | 'other'}`;
type TrainingRule = 'enable_paid_model_training' | 'enable_free_model_training' | 'enable_free_model_publication';

/** One filter on one side of a call. */
export interface EffectiveFilter extends RuleOrigin {
  readonly side: 'input' | 'output';
  readonly action: FilterAction;
  readonly check:
    | { readonly type: 'built-in'; readonly slug: BuiltinFilter['slug'] }
    | { readonly type: 'custom'; readonly pattern: string; readonly label: string | null };
  /** The filter reads only messages of the user. */
  readonly isUserOnly: boolean;
}

/** A limit on spending that counts on its own. */
export interface EffectiveBudget extends RuleOrigin {
  readonly limitUsd: number;
  readonly resetInterval: 'daily' | 'weekly' | 'monthly' | null;
  readonly includeByok: boolean;
}

/** The combined demands of several guardrails, independent of their order. */
interface EffectivePolicy {
  readonly rules: readonly EndpointRule[];
  readonly filters: readonly EffectiveFilter[];
  readonly budgets: readonly EffectiveBudget[];
}

const LISTS = [
  'allowed_models',
  'ignored_models',
  'allowed_providers',
  'ignored_providers',
  'allowed_data_regions',
] as const;
const ZDR: readonly ZdrRule[] = [
  'enforce_zdr_anthropic',
  'enforce_zdr_openai',
  'enforce_zdr_google',
  'enforce_zdr_xai',
  'enforce_zdr_other',
];
const TRAINING: readonly TrainingRule[] = [
  'enable_paid_model_training',
  'enable_free_model_training',
  'enable_free_model_publication',
];
const SCOPES: readonly GuardrailScope[] = ['api-key', 'member', 'workspace'];

/** Ordered from the strongest. */
export const ACTIONS: readonly FilterAction[] = ['block', 'redact', 'flag'];

/**
 * Combines guardrails (wire.md 16.4): an endpoint has to meet the demands of each; filters are united, each with its
 * strongest action; every budget counts separately. The account's own settings are rules in `select-endpoints.ts`.
 */
export function combineGuardrails(layers: readonly GuardrailLayer[]): EffectivePolicy {
  const sorted = layers.toSorted(
    (a, b) => SCOPES.indexOf(a.scope) - SCOPES.indexOf(b.scope) || compareText(a.guardrail.id, b.guardrail.id),
  );
  // One guardrail may apply through a key and through its owner: one demand, but two budgets.
  const distinct = sorted.filter(
    (layer, index) => sorted.findIndex(({ guardrail }) => guardrail.id === layer.guardrail.id) === index,
  );
  return {
    rules: distinct.flatMap(rulesOf),
    filters: strongest(distinct.flatMap(filtersOf)),
    budgets: sorted.flatMap(budgetOf),
  };
}

function rulesOf({ scope, guardrail }: GuardrailLayer): EndpointRule[] {
  const origin = { guardrailId: guardrail.id, scope };
  const lists = LISTS.flatMap((rule) => {
    const values = guardrail[rule];
    return values === null ? [] : [{ ...origin, rule, values }];
  });
  const zdr = ZDR.filter((rule) => guardrail[rule] === true).map((rule) => ({ ...origin, rule }));
  const training = TRAINING.filter((rule) => guardrail[rule] === false).map((rule) => ({ ...origin, rule }));
  return [...lists, ...zdr, ...training];
}

function filtersOf({ scope, guardrail }: GuardrailLayer): EffectiveFilter[] {
  const origin = { guardrailId: guardrail.id, scope };
  const builtIn = (guardrail.content_filter_builtins ?? []).flatMap(({ slug, action, scan_scope, direction }) =>
    sidesOf(direction).map((side) => ({
      ...origin,
      side,
      action,
      check: { type: 'built-in' as const, slug },
      isUserOnly: slug === 'regex-prompt-injection' && scan_scope === 'user_only',
    })),
  );
  const custom = (guardrail.content_filters ?? []).flatMap(({ pattern, action, label, direction }) =>
    sidesOf(direction).map((side) => ({
      ...origin,
      side,
      action,
      check: { type: 'custom' as const, pattern, label: label ?? null },
      isUserOnly: false,
    })),
  );
  return [...builtIn, ...custom];
}

function sidesOf(direction: CustomFilter['direction']): readonly ('input' | 'output')[] {
  return direction === 'both' ? ['input', 'output'] : [direction ?? 'input'];
}

/** Returns, of the filters that search for the same in the same texts, the one with the strongest action. */
function strongest(filters: readonly EffectiveFilter[]): EffectiveFilter[] {
  const bySubject = new Map<string, EffectiveFilter>();
  for (const filter of filters.toSorted(compareFilters)) {
    const { check, side, isUserOnly } = filter;
    const subject = JSON.stringify([
      check.type,
      check.type === 'custom' ? check.pattern : check.slug,
      side,
      isUserOnly,
    ]);
    if (!bySubject.has(subject)) bySubject.set(subject, filter);
  }
  return [...bySubject.values()];
}

/** The strongest first; beyond that any order will do that does not depend on where the filters came from first. */
function compareFilters(a: EffectiveFilter, b: EffectiveFilter): number {
  return (
    ACTIONS.indexOf(a.action) - ACTIONS.indexOf(b.action) ||
    SCOPES.indexOf(a.scope) - SCOPES.indexOf(b.scope) ||
    compareText(JSON.stringify([a.check, a.guardrailId, a.side]), JSON.stringify([b.check, b.guardrailId, b.side]))
  );
}

function budgetOf({ scope, guardrail }: GuardrailLayer): EffectiveBudget[] {
  if (guardrail.limit_usd === null) return [];
  return [
    {
      guardrailId: guardrail.id,
      scope,
      limitUsd: guardrail.limit_usd,
      resetInterval: guardrail.reset_interval,
      includeByok: guardrail.include_byok_in_budgets,
    },
  ];
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Authors of models that have a switch for zero retention of their own. */
const ZDR_AUTHORS: ReadonlyMap<string, ZdrRule> = new Map([
  ['anthropic', 'enforce_zdr_anthropic'],
  ['openai', 'enforce_zdr_openai'],
  ['google', 'enforce_zdr_google'],
  ['x-ai', 'enforce_zdr_xai'],
  ['xai', 'enforce_zdr_xai'],
]);

/**
 * The demands of guardrails in the form that routing judges every endpoint by, fallbacks included. What an endpoint does
 * with data must be known to pass.
 */
export function toConstraints(rules: readonly EndpointRule[], catalog: PolicyCatalog): readonly EndpointConstraint[] {
  // The region of the call is named first, because no change of the request can alter it.
  const isOfRegions = ({ rule }: EndpointRule): boolean => rule === 'allowed_data_regions';
  const sorted = [...rules.filter(isOfRegions), ...rules.filter((demand) => !isOfRegions(demand))];
  return sorted.map((written) => {
    const demand = withMeanings(written, catalog);
    return {
      rule: demand.rule,
      guardrailId: demand.guardrailId,
      excludes: (endpoint, region) =>
        demand.rule === 'allowed_data_regions'
          ? !demand.values.includes(region?.dataRegion ?? 'global')
          : isExcluded(endpoint, demand, catalog),
      // Slugs of the configuration mean nothing to a gateway upstream.
      onward: (endpoint) => toOnwardDemand(endpoint, written),
    };
  });
}

/** The demand that a model is one of these, by its id, its canonical slug or an alias, where no guardrail makes it. */
export function onlyModels(slugs: readonly string[], catalog: PolicyCatalog): EndpointConstraint {
  const ids = new Set(slugs.map((slug) => catalog.find(slug)?.id ?? slug));
  return { rule: 'allowed_models', excludes: ({ modelId }) => !ids.has(modelId) };
}

/**
 * The demand with the slugs and tags that its names of providers stand for, and the models that its aliases do, looked up
 * once and not for each endpoint.
 */
function withMeanings(demand: EndpointRule, { find, providerNames }: PolicyCatalog): EndpointRule {
  switch (demand.rule) {
    case 'allowed_providers':
    case 'ignored_providers':
      return { ...demand, values: providerNames.toTags(demand.values) };
    case 'allowed_models':
    case 'ignored_models':
      return { ...demand, values: demand.values.map((slug) => toIdOfAlias(slug, find)) };
    default:
      return demand;
  }
}

/** A canonical slug stays, as several models may share it. */
function toIdOfAlias(slug: string, find: Catalog['find']): string {
  const model = find(slug);
  return model === undefined || model.definition.canonical_slug === slug ? slug : model.id;
}

/** What policies read of the catalog. */
export type PolicyCatalog = Pick<Catalog, 'find' | 'providerNames'>;

type RuleOfEndpoints = Exclude<EndpointRule, { readonly rule: 'allowed_data_regions' }>;

function isExcluded(endpoint: Endpoint, demand: RuleOfEndpoints, catalog: Pick<Catalog, 'find'>): boolean {
  const { training, retainsPrompts } = endpoint.provider.dataPolicy;
  switch (demand.rule) {
    case 'allowed_models':
      return !isModelListed(demand.values, endpoint, catalog);
    case 'ignored_models':
      return isModelListed(demand.values, endpoint, catalog);
    case 'allowed_providers':
      return !isListed(demand.values, endpoint);
    case 'ignored_providers':
      return isListed(demand.values, endpoint);
    case 'enable_paid_model_training':
      return !isFree(endpoint) && training !== false;
    case 'enable_free_model_training':
      return isFree(endpoint) && training !== false;
    case 'enable_free_model_publication':
      // It is unknown whether such providers publish prompts; a provider that retains none cannot publish them.
      return isFree(endpoint) && retainsPrompts !== false;
    default:
      return zdrRuleOf(endpoint) === demand.rule && (retainsPrompts !== false || isOfRetainingKind(endpoint, catalog));
  }
}

/** Lists of models say nothing of the providers behind an endpoint, nor does the list of those that may be used. */
function toOnwardDemand(endpoint: Endpoint, demand: EndpointRule): OnwardDemand | null {
  switch (demand.rule) {
    case 'allowed_models':
    case 'ignored_models':
    case 'allowed_providers':
    case 'allowed_data_regions':
      return null;
    case 'ignored_providers':
      return { ignore: demand.values };
    case 'enable_paid_model_training':
      return isFree(endpoint) ? null : { training: false };
    case 'enable_free_model_training':
      return isFree(endpoint) ? { training: false } : null;
    case 'enable_free_model_publication':
      return isFree(endpoint) ? { training: false, zdr: true } : null;
    default:
      return zdrRuleOf(endpoint) === demand.rule ? { zdr: true } : null;
  }
}

/**
 * Compares both the model's id and its canonical slug, because a request may use either; not a slug that is the id of
 * another model.
 */
function isModelListed(slugs: readonly string[], { modelId }: Endpoint, catalog: Pick<Catalog, 'find'>): boolean {
  if (slugs.includes(modelId)) return true;
  const canonical = catalog.find(modelId)?.definition.canonical_slug;
  if (canonical === undefined || !slugs.includes(canonical)) return false;
  return catalog.find(canonical)?.id !== canonical;
}

function zdrRuleOf({ modelId }: Endpoint): ZdrRule {
  return ZDR_AUTHORS.get(modelId.slice(0, modelId.indexOf('/')).toLowerCase()) ?? 'enforce_zdr_other';
}

function isOfRetainingKind({ modelId }: Endpoint, catalog: Pick<Catalog, 'find'>): boolean {
  const model = catalog.find(modelId);
  return model !== undefined && CALL_KINDS[kindOfModel(model)].retainsData;
}

function isFree({ modelId, prices }: Endpoint): boolean {
  return modelId.endsWith(':free') || (prices.prompt === 0n && prices.completion === 0n);
}
