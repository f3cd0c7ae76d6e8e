import { type LiveAccount, toShownSettings } from '../account/account.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { describeUnknownName, refuseUnknownNames } from '../catalog/refuse-unknown-names.ts';
import { type Issue, refuseIssues } from '../foundation/parse.ts';
import type { Platform } from '../foundation/platform.ts';
import { type ActivityRange, summariseActivity } from '../generations/activity.ts';
import { operation } from '../http/operation.ts';
import { combineRules, type RateLimitOptions } from '../limits/rate-limits.ts';
import { findModel, isModelName } from '../routing/resolve-models.ts';
import type { Store } from '../stores/store.ts';
import { creditsSchema } from '../wire/account.ts';
import { refuseField } from '../wire/fields.ts';
import { activityListSchema, activityQuerySchema } from '../wire/generation-list.ts';
import {
  type RateLimitList,
  rateLimitListSchema,
  rateLimitsRequestSchema,
  type StoredRateLimit,
} from '../wire/limits.ts';
import type { RoutingRule } from '../wire/routing-rules.ts';
import { type Settings, type SettingsChange, settingsChangeSchema, settingsResponseSchema } from '../wire/settings.ts';
import { toCompleteFrom } from './generations.ts';

export interface AccountParts {
  readonly platform: Pick<Platform, 'now'>;
  readonly store: Pick<Store, 'generations' | 'keys' | 'settings'>;
  readonly catalog: Catalog;
  /** The current settings. Read them again after every change. */
  readonly account: LiveAccount;
  readonly setup: { readonly rateLimits?: RateLimitOptions | undefined };
}

/** `GET /admin/v1/settings`: what holds for the account at the moment. */
export const getSettings = operation<AccountParts>()({
  response: settingsResponseSchema,
  run: ({ parts }) => ({ data: toShownSettings(parts.account) }),
});

/** `PATCH /admin/v1/settings`: holds from the next request on. What the configuration sets is changed there alone. */
export const updateSettings = operation<AccountParts>()({
  body: settingsChangeSchema,
  response: settingsResponseSchema,
  async run({ parts, body: sent }) {
    const { configured, ...before } = toShownSettings(parts.account);
    const body = withoutConfigured(sent, before, configured);
    const { default_model: model } = body;
    if (model != null && model !== before.default_model && !isModelName(model, parts.catalog)) {
      throw refuseField('default_model', describeUnknownName(model, 'models', parts.catalog));
    }
    refuseUnknownModels(body.routing?.rules, before.routing.rules, parts.catalog);
    refuseUnknownNames(
      [
        ...(['only', 'ignore'] as const).map((list) => ({
          path: `providers.${list}`,
          of: 'providers' as const,
          goesOnward: list === 'ignore',
          names: body.providers?.[list],
          kept: before.providers[list],
        })),
        {
          path: 'routing.order',
          of: 'providers',
          goesOnward: true,
          names: body.routing?.order,
          kept: before.routing.order,
        },
      ],
      parts.catalog,
    );
    await parts.store.settings.update((settings) => ({
      ...settings,
      ...body,
      ...(body.providers && { providers: { ...settings.providers, ...body.providers } }),
      ...(body.privacy && { privacy: { ...settings.privacy, ...body.privacy } }),
      ...(body.routing && { routing: { ...settings.routing, ...body.routing } }),
      ...(body.sessions && { sessions: { ...settings.sessions, ...body.sessions } }),
    }));
    return { data: toShownSettings(parts.account) };
  },
});

/** Models that a rule has named before may have become unknown, and stay: such a rule is passed over. */
function refuseUnknownModels(
  rules: readonly RoutingRule[] = [],
  before: readonly RoutingRule[],
  catalog: Catalog,
): void {
  const kept = new Set(before.flatMap(modelsOf));
  const issues = rules.flatMap((rule, at) =>
    modelsOf(rule).flatMap((name, index) => {
      if (kept.has(name) || isModelName(name, catalog)) return [];
      const path = `routing.rules.${at}.${index === 0 ? 'model' : `models.${index - 1}`}`;
      return [{ path, message: describeUnknownName(name, 'models', catalog) }];
    }),
  );
  if (issues.length > 0) throw refuseIssues(issues);
}

const modelsOf = ({ model, models = [] }: RoutingRule): readonly string[] => [model, ...models];

/** Leaves out what the configuration sets, so that nothing else takes its place later. Refuses another value of it. */
function withoutConfigured(sent: SettingsChange, before: Settings, configured: readonly string[]): SettingsChange {
  const issues: Issue[] = [];
  const drop = (values: object, present: object, within: string): object =>
    Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) => {
        const path = within + name;
        const known: unknown = (present as Readonly<Record<string, unknown>>)[name];
        if (GROUPS.has(path)) return [[name, drop(value as object, known as object, `${path}.`)]];
        if (!configured.includes(path)) return [[name, value]];
        if (JSON.stringify(value) !== JSON.stringify(known)) issues.push({ path, message: CONFIGURED });
        return [];
      }),
    );
  const left = drop(sent, before, '');
  if (issues.length > 0) throw refuseIssues(issues);
  return left;
}

const GROUPS: ReadonlySet<string> = new Set(['providers', 'privacy', 'routing', 'sessions']);
const CONFIGURED = 'it is set in the configuration, which takes precedence: change it there, under account';

/** `GET /admin/v1/rate-limits`: the rules of the configuration, then those that were stored by `PUT`. */
export const listRateLimits = operation<AccountParts>()({
  response: rateLimitListSchema,
  run: ({ parts }) => toRateLimitList(parts),
});

/** `PUT /admin/v1/rate-limits`: applies from the next request on. What the configuration limits is changed there alone. */
export const putRateLimits = operation<AccountParts>()({
  body: rateLimitsRequestSchema,
  response: rateLimitListSchema,
  async run({ parts, body: { data } }) {
    const { store, setup, catalog } = parts;
    if (setup.rateLimits === undefined) throw refuseField('data', NOT_COUNTED);
    const limits = data.map((limit) => ({ ...limit, model: findModel(limit.model, catalog)?.id ?? limit.model }));
    const issues = limits.flatMap((limit, at) => findLimitIssues(limit, limits.slice(0, at), parts, `data.${at}`));
    if (issues.length > 0) throw refuseIssues(issues);
    await store.settings.update(({ rate_limits: _, ...settings }) =>
      limits.length === 0 ? settings : { ...settings, rate_limits: limits },
    );
    return toRateLimitList(parts);
  },
});

const NOT_COUNTED = 'this gateway does not count rate limits: its host has to give it rateLimits.createCounter';

function toRateLimitList({ setup: { rateLimits }, store }: AccountParts): RateLimitList {
  const rules = combineRules(rateLimits?.rules ?? [], rateLimits && store.settings.get().rate_limits);
  return {
    data: rules.map(({ key, model, requestsPerMinute, tokensPerMinute, source }) => ({
      key,
      model,
      requests_per_minute: requestsPerMinute,
      tokens_per_minute: tokensPerMinute,
      source,
    })),
    changeable: rateLimits !== undefined,
  };
}

/** A limit on a model that is gone stays as it was. */
function findLimitIssues(
  { key, model, requests_per_minute: requests, tokens_per_minute: tokens }: StoredRateLimit,
  before: readonly StoredRateLimit[],
  { setup, store, catalog }: AccountParts,
  path: string,
): readonly Issue[] {
  const isSame = (other: { readonly key: string; readonly model: string }): boolean =>
    other.key === key && other.model === model;
  if (requests === null && tokens === null)
    return [{ path: `${path}.requests_per_minute`, message: 'must have requests_per_minute or tokens_per_minute' }];
  if (setup.rateLimits?.rules.some(isSame) === true)
    return [
      { path, message: 'the configuration limits this key and model already: change it there, under rateLimits' },
    ];
  if (before.some(isSame)) return [{ path, message: 'there is another limit for this key and model' }];
  const isKept = store.settings.get().rate_limits?.some((stored) => stored.model === model) === true;
  if (model === '*' || isKept || findModel(model, catalog) !== undefined) return [];
  return [{ path: `${path}.model`, message: describeUnknownName(model, 'models', catalog) }];
}

/**
 * `GET /credits`: the credits of the account and its spending, USD, without calls that were paid to the provider
 * directly. The wire requires a number: without a limit it is 0, beside the gateway's own field `unlimited`.
 */
export const getCredits = operation<AccountParts>()({
  response: creditsSchema,
  async run({ parts }) {
    const { creditsUsd } = parts.account;
    const { creditsNanoUsd } = await parts.store.generations.spent({});
    return {
      data: { total_credits: creditsUsd ?? 0, total_usage: creditsNanoUsd / 1e9, unlimited: creditsUsd == null },
    };
  },
});

const DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/** `GET /activity`: the last 30 days and the present one so far, a row for each day, model and endpoint; newest first. */
export const getActivity = operation<AccountParts>()({
  query: activityQuerySchema,
  response: activityListSchema,
  async run({ parts, query }) {
    const since = dayAt(parts.platform.now() - DAYS * DAY_MS);
    const range = chooseRange(query.date, { first: since, last: dayAt(parts.platform.now()) });
    const data = await summariseActivity(parts, {
      since,
      ...range,
      principalIds: query.api_key_hash === undefined ? undefined : new Set([query.api_key_hash]),
      userId: query.user_id,
      workspaceId: query.workspace_id,
      byWorkspace: query.group_by === 'workspace',
    });
    const completeFromMs = await parts.store.generations.completeFromMs?.();
    return { data, ...toCompleteFrom(completeFromMs, Date.parse(range.first)) };
  },
});

const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

function chooseRange(date: string | undefined, { first, last }: ActivityRange): ActivityRange {
  if (date === undefined) return { first, last };
  if (date >= first && date <= last) return { first: date, last: date };
  throw refuseField('date', `must be within the last ${DAYS} days, from ${first} to ${last}`);
}
