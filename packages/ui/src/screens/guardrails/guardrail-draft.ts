import type { BuiltinFilter, CustomFilter, Guardrail } from '@model-gateway/core/wire';

import type { FilterAction, ResetInterval } from '../../api/types.ts';

/** The filters that come with the gateway. */
export const BUILTIN_FILTERS: readonly BuiltinFilter['slug'][] = [
  'email',
  'phone',
  'ssn',
  'credit-card',
  'ip-address',
  'iban',
  'secrets',
  'regex-prompt-injection',
];

/** A guardrail while it is being changed: figures as text. */
export interface GuardrailDraft {
  readonly name: string;
  readonly description: string;
  readonly limit: string;
  readonly interval: ResetInterval | '';
  readonly countsByok: boolean;
  readonly allowedModels: readonly string[];
  readonly ignoredModels: readonly string[];
  readonly allowedProviders: readonly string[];
  readonly ignoredProviders: readonly string[];
  readonly zdr: boolean;
  readonly forbidsTraining: boolean;
  readonly builtins: readonly BuiltinFilter[];
  readonly custom: readonly CustomFilter[];
}

/** A list without anything is no rule. */
const toRule = <Item>(list: readonly Item[]): readonly Item[] | null => (list.length === 0 ? null : list);

export function toGuardrailDraft(guardrail: Guardrail): GuardrailDraft {
  return {
    name: guardrail.name,
    description: guardrail.description ?? '',
    limit: guardrail.limit_usd?.toString() ?? '',
    interval: guardrail.reset_interval ?? '',
    countsByok: guardrail.include_byok_in_budgets,
    allowedModels: guardrail.allowed_models ?? [],
    ignoredModels: guardrail.ignored_models ?? [],
    allowedProviders: guardrail.allowed_providers ?? [],
    ignoredProviders: guardrail.ignored_providers ?? [],
    zdr: guardrail.enforce_zdr === true,
    forbidsTraining: guardrail.enable_paid_model_training === false,
    builtins: guardrail.content_filter_builtins ?? [],
    custom: guardrail.content_filters ?? [],
  };
}

/** The body of a `PATCH`: only what differs, so that rules which this form does not show stay as they are. */
export function toGuardrailChange(draft: GuardrailDraft, before: GuardrailDraft): Record<string, unknown> {
  const limit = draft.limit.trim() === '' ? null : Number(draft.limit);
  const training = draft.forbidsTraining ? false : null;
  const fields: readonly (readonly [keyof GuardrailDraft, Record<string, unknown>])[] = [
    ['name', { name: draft.name }],
    ['description', { description: draft.description === '' ? null : draft.description }],
    ['limit', { limit_usd: limit }],
    ['interval', { reset_interval: draft.interval === '' ? null : draft.interval }],
    ['countsByok', { include_byok_in_budgets: draft.countsByok }],
    ['allowedModels', { allowed_models: toRule(draft.allowedModels) }],
    ['ignoredModels', { ignored_models: toRule(draft.ignoredModels) }],
    ['allowedProviders', { allowed_providers: toRule(draft.allowedProviders) }],
    ['ignoredProviders', { ignored_providers: toRule(draft.ignoredProviders) }],
    ['zdr', { enforce_zdr: draft.zdr ? true : null }],
    ['forbidsTraining', { enable_paid_model_training: training, enable_free_model_training: training }],
    ['builtins', { content_filter_builtins: toRule(draft.builtins) }],
    ['custom', { content_filters: toRule(draft.custom) }],
  ];
  const changed = fields.filter(([name]) => JSON.stringify(draft[name]) !== JSON.stringify(before[name]));
  return Object.assign({}, ...changed.map(([, body]) => body)) as Record<string, unknown>;
}

/** Fields that change with another where they are not given. */
const SET_BY: Readonly<Record<string, string>> = Object.fromEntries(
  ['anthropic', 'openai', 'google', 'xai', 'other'].map((group) => [`enforce_zdr_${group}`, 'enforce_zdr']),
);

/** The body of a `PATCH` that takes a change back, with what went with it. What others have changed beside it stays. */
export function toReversal(
  before: Guardrail,
  after: Guardrail,
  change: Record<string, unknown>,
): Record<string, unknown> {
  const differs = ([name, value]: [string, unknown]): boolean =>
    (SET_BY[name] ?? name) in change && JSON.stringify(value) !== JSON.stringify(after[name as keyof Guardrail]);
  return Object.fromEntries(Object.entries(before).filter(differs));
}

/** Puts a built-in filter to work, changes what it does, or takes it away (`off`). */
export function withBuiltin(
  filters: readonly BuiltinFilter[],
  slug: BuiltinFilter['slug'],
  action: FilterAction | 'off',
  direction?: BuiltinFilter['direction'],
): BuiltinFilter[] {
  const before = filters.find((filter) => filter.slug === slug);
  const others = filters.filter((filter) => filter.slug !== slug);
  if (action === 'off') return others;
  return [...others, { ...before, slug, action, ...(direction !== undefined && { direction }) }];
}

/** How many rules it has, whatever their kind. */
export function countRules(guardrail: Guardrail): number {
  const {
    allowed_models,
    ignored_models,
    allowed_providers,
    ignored_providers,
    enforce_zdr,
    enable_paid_model_training,
  } = guardrail;
  const set = [
    guardrail.limit_usd,
    allowed_models,
    ignored_models,
    allowed_providers,
    ignored_providers,
    enforce_zdr,
    enable_paid_model_training,
  ];
  const filters = (guardrail.content_filter_builtins?.length ?? 0) + (guardrail.content_filters?.length ?? 0);
  return set.filter((rule) => rule !== null).length + filters;
}
