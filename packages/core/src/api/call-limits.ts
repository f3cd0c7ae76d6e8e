import type { FindKeyNames } from '../auth/keys.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { describeUnknownName } from '../catalog/refuse-unknown-names.ts';
import { type Issue, refuseIssues } from '../foundation/parse.ts';
import { operation } from '../http/operation.ts';
import { type CallLimits, type CallLimitRule, idOfRule, toCallLimitRule } from '../limits/call-limits.ts';
import type { Store } from '../stores/store.ts';
import {
  type CallLimitList,
  callLimitListSchema,
  callLimitsRequestSchema,
  type StoredCallLimit,
} from '../wire/limits.ts';

export interface CallLimitParts {
  readonly store: Pick<Store, 'settings'>;
  readonly catalog: Catalog;
  readonly providers: readonly { readonly slug: string }[];
  readonly callLimits: Pick<CallLimits, 'rules' | 'count'>;
  readonly setup: { readonly callLimits?: { readonly rules: readonly CallLimitRule[] } | undefined };
  readonly findKeyNames: FindKeyNames;
}

/** `GET /admin/v1/call-limits`: the limits on calls under way, and what has calls under way or waiting. */
export const listCallLimits = operation<CallLimitParts>()({
  response: callLimitListSchema,
  run: ({ parts }) => toCallLimitList(parts),
});

/**
 * `PUT /admin/v1/call-limits`: applies from the next call on, in all processes at the store; calls under way go on to
 * count. What the configuration limits is changed there alone.
 */
export const putCallLimits = operation<CallLimitParts>()({
  body: callLimitsRequestSchema,
  response: callLimitListSchema,
  async run({ parts, body: { data } }) {
    const issues = data.flatMap((limit, at) => findIssues(limit, data.slice(0, at), parts, `data.${at}`));
    if (issues.length > 0) throw refuseIssues(issues);
    await parts.store.settings.update(({ call_limits: _, ...settings }) =>
      data.length === 0 ? settings : { ...settings, call_limits: data },
    );
    return toCallLimitList(parts);
  },
});

/** A list of thousands of keys would be of no use to anybody. */
const MAX_PLACES = 100;

async function toCallLimitList({ callLimits, findKeyNames }: CallLimitParts): Promise<CallLimitList> {
  const counts = await callLimits.count();
  const rules = callLimits.rules().map((rule) => ({ rule, counted: counts.of(rule) }));
  const keys = rules.flatMap(({ counted }) => counted.flatMap(({ key }) => key ?? []));
  const names = await findKeyNames(new Set(keys));
  return {
    data: rules.map(({ rule: { key, model, provider, callsUnderWay, queue, source }, counted }) => ({
      key: key ?? null,
      model: model ?? null,
      provider: provider ?? null,
      calls_under_way: callsUnderWay,
      queue: queue ?? null,
      source,
      places: counted
        .toSorted((a, b) => b.underWay + b.waiting - (a.underWay + a.waiting))
        .slice(0, MAX_PLACES)
        .map((one) => ({
          key: one.key ?? null,
          key_name: one.key === undefined ? null : (names[one.key] ?? null),
          model: one.model ?? null,
          provider: one.provider ?? null,
          under_way: one.underWay,
          waiting: one.waiting,
        })),
      under_way: counted.reduce((sum, { underWay }) => sum + underWay, 0),
      waiting: counted.reduce((sum, { waiting }) => sum + waiting, 0),
    })),
    instances: counts.instances,
    missing: counts.missing,
  };
}

/** A limit on a model or provider that is gone stays as it was. */
function findIssues(
  limit: StoredCallLimit,
  before: readonly StoredCallLimit[],
  { setup, store, catalog, providers }: CallLimitParts,
  path: string,
): readonly Issue[] {
  const { model, provider } = limit;
  const id = idOfRule(toCallLimitRule(limit));
  if (setup.callLimits?.rules.some((rule) => idOfRule(rule) === id) === true)
    return [{ path, message: 'the configuration limits this already: change it there, under limits' }];
  if (before.some((other) => idOfRule(toCallLimitRule(other)) === id))
    return [{ path, message: 'there is another limit for the same calls' }];
  const stored = store.settings.get().call_limits ?? [];
  const isKnownModel = model === null || model === '*' || catalog.find(model) !== undefined;
  const isKnownProvider = provider === null || provider === '*' || providers.some(({ slug }) => slug === provider);
  return [
    ...(isKnownModel || stored.some((one) => one.model === model)
      ? []
      : [{ path: `${path}.model`, message: describeUnknownName(model, 'models', catalog) }]),
    ...(isKnownProvider || stored.some((one) => one.provider === provider)
      ? []
      : [{ path: `${path}.provider`, message: describeUnknownName(provider, 'providers', catalog) }]),
  ];
}
