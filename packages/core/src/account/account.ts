import type { SettingsRepository } from '../stores/store.ts';
import type { BudgetRaise } from '../wire/limits.ts';
import type { ConfiguredRoutingRule, RoutingRule } from '../wire/routing-rules.ts';
import type { ProviderPreferences } from '../wire/routing.ts';
import type { SessionLimits } from '../wire/session-limits.ts';
import type { Settings, SettingsChange, ShownSettings, StoredSettings } from '../wire/settings.ts';
import { toRoutingRule } from './to-routing-rule.ts';

/** Preferences of the account for calls that state none. */
export type RoutingDefaults = Pick<ProviderPreferences, 'order' | 'sort' | 'allow_fallbacks' | 'max_price'>;

/** The account as routing reads it. */
export interface LiveAccount extends AccountOptions {
  /** The lists of providers as they were written; those in `providers` are slugs and tags. */
  readonly writtenProviders: AccountOptions['providers'];
  /** `routing` in the words of a request, with slugs and tags; undefined if it is empty. */
  readonly routingDefaults?: RoutingDefaults | undefined;
  /** The same with names as they were written. */
  readonly writtenDefaults?: RoutingDefaults | undefined;
  /** The rules that choose models by what a call is, in the form of the wire; absent without any. */
  readonly rules?: readonly RoutingRule[] | undefined;
  /** How far sessions may go, in the form of the wire; absent without any limit. */
  readonly sessionLimits?: SessionLimits | undefined;
  /** What budgets have more for a time; absent without any. Some may be over. */
  readonly budgetRaises?: readonly BudgetRaise[] | undefined;
  /** The options of the configuration. */
  readonly configured?: AccountOptions | undefined;
}

/**
 * Reads the current settings of the account: those of the configuration, else those set through the API. `toTags`
 * replaces names of providers by slugs and tags, once for each change.
 */
export function createLiveAccount(
  configured: AccountOptions,
  settings: SettingsRepository,
  toTags: (names: readonly string[]) => readonly string[],
): () => LiveAccount {
  const configuredRules = configured.routing?.rules?.map(toRoutingRule);
  const toLive = (account: AccountOptions, stored?: StoredSettings): LiveAccount => {
    const rules = configuredRules ?? stored?.routing?.rules;
    const { only = [], ignore = [] } = account.providers ?? {};
    const writtenDefaults = toRoutingDefaults(account.routing);
    const order = writtenDefaults?.order;
    return {
      ...account,
      providers: { only: toTags(only), ignore: toTags(ignore) },
      writtenProviders: { only, ignore },
      routingDefaults: order?.length ? { ...writtenDefaults, order: [...toTags(order)] } : writtenDefaults,
      writtenDefaults,
      rules: rules?.length ? rules : undefined,
      sessionLimits: toSessionLimits(account),
      budgetRaises: stored?.budget_raises?.length ? stored.budget_raises : undefined,
      configured,
    };
  };
  let known: SettingsChange | undefined;
  let account = toLive(configured);
  return () => {
    const present = settings.get();
    if (present !== known) {
      account = toLive(toAccount(configured, present), present);
      known = present;
    }
    return account;
  };
}

function toAccount(configured: AccountOptions, settings: SettingsChange): AccountOptions {
  const { providers, privacy, routing, sessions } = configured;
  return {
    defaultModel: configured.defaultModel ?? settings.default_model,
    creditsUsd: configured.creditsUsd ?? settings.credits_usd,
    providers: {
      only: providers?.only ?? settings.providers?.only,
      ignore: providers?.ignore ?? settings.providers?.ignore,
    },
    privacy: {
      zdr: privacy?.zdr ?? settings.privacy?.zdr,
      allowTraining: privacy?.allowTraining ?? settings.privacy?.allow_training,
    },
    sessions: {
      maxCostUsd: sessions?.maxCostUsd ?? settings.sessions?.max_cost_usd,
      maxCalls: sessions?.maxCalls ?? settings.sessions?.max_calls,
      maxMinutes: sessions?.maxMinutes ?? settings.sessions?.max_minutes,
      maxRepeats: sessions?.maxRepeats ?? settings.sessions?.max_repeats,
      action: sessions?.action ?? settings.sessions?.action,
    },
    routing: {
      order: routing?.order ?? settings.routing?.order,
      sort: routing?.sort ?? settings.routing?.sort,
      allowFallbacks: routing?.allowFallbacks ?? settings.routing?.allow_fallbacks,
      continueBrokenStreams: routing?.continueBrokenStreams ?? settings.routing?.continue_broken_streams,
      automaticCacheMarks: routing?.automaticCacheMarks ?? settings.routing?.automatic_cache_marks,
      continueWithOtherModels: routing?.continueWithOtherModels ?? settings.routing?.continue_with_other_models,
      holdStreams: routing?.holdStreams ?? settings.routing?.hold_streams,
      fallbackOnRefusal: routing?.fallbackOnRefusal ?? settings.routing?.fallback_on_refusal,
      waitForRetryAfterMs: routing?.waitForRetryAfterMs ?? settings.routing?.wait_for_retry_after_ms,
      retriesAtEndpoint: routing?.retriesAtEndpoint ?? settings.routing?.retries_at_endpoint,
      maxPrice: routing?.maxPrice ?? settings.routing?.max_price,
      // The configuration alone sets these.
      limitsBeforeFallback: routing?.limitsBeforeFallback,
    },
  };
}

/** Undefined without any limit, so that most calls need not look further. */
function toSessionLimits(account: AccountOptions): SessionLimits | undefined {
  const limits = toShownLimits(account);
  const { action: _, ...rest } = limits;
  return Object.values(rest).some((limit) => limit !== null) ? limits : undefined;
}

const toShownLimits = ({ sessions }: AccountOptions): SessionLimits => ({
  max_cost_usd: sessions?.maxCostUsd ?? null,
  max_calls: sessions?.maxCalls ?? null,
  max_minutes: sessions?.maxMinutes ?? null,
  max_repeats: sessions?.maxRepeats ?? null,
  action: sessions?.action ?? 'refuse',
});

/** Undefined if it is empty, so that most calls need not look further. */
function toRoutingDefaults(routing: AccountOptions['routing'] = {}): RoutingDefaults | undefined {
  const { order = [], sort, allowFallbacks, maxPrice = {} } = routing;
  const hasPrice = Object.values(maxPrice).some((price) => price !== undefined);
  if (order.length === 0 && sort == null && allowFallbacks !== false && !hasPrice) return undefined;
  return {
    ...(order.length > 0 && { order: [...order] }),
    ...(sort != null && { sort }),
    ...(allowFallbacks === false && { allow_fallbacks: false }),
    ...(hasPrice && { max_price: maxPrice }),
  };
}

/** Time limits of one attempt, in milliseconds, that hold as long as another endpoint can be asked after it. */
export interface LimitsBeforeFallback {
  readonly headersMs?: number | undefined;
  readonly firstTokenMs?: number | undefined;
  /** Between two pieces of a stream that can begin anew or go on elsewhere; other streams would only be lost. */
  readonly idleMs?: number | undefined;
  readonly nonStreamMs?: number | undefined;
}

/** Settings of the whole account. What is not given can be set by `/admin/v1/settings`. */
export interface AccountOptions {
  /** Used when a request names no model. */
  readonly defaultModel?: string | null | undefined;
  /** USD that all calls together may cost; null means no limit. */
  readonly creditsUsd?: number | null | undefined;
  /** Calls with provider keys of workspaces. `feeShare`: the share of the provider's bill that they cost here; default 0. */
  readonly byok?: { readonly feeShare?: number | undefined } | undefined;
  readonly providers?:
    | { readonly only?: readonly string[] | undefined; readonly ignore?: readonly string[] | undefined }
    | undefined;
  readonly privacy?: { readonly zdr?: boolean | undefined; readonly allowTraining?: boolean | undefined } | undefined;
  /** How far a session of an agent may go (docs/decisions/0102). Null and absent are no limit. */
  readonly sessions?:
    | {
        /** USD that its recorded calls have cost. */
        readonly maxCostUsd?: number | null | undefined;
        readonly maxCalls?: number | null | undefined;
        /** From the beginning of its first call. */
        readonly maxMinutes?: number | null | undefined;
        /** So many times the same step is a loop. */
        readonly maxRepeats?: number | null | undefined;
        /** What becomes of further calls. Default: they are refused. */
        readonly action?: SessionLimits['action'] | undefined;
      }
    | undefined;
  /** Defaults for calls. */
  readonly routing?:
    | {
        /** These providers first, in this order. */
        readonly order?: readonly string[] | undefined;
        /** Null balances the load. */
        readonly sort?: 'price' | 'throughput' | 'latency' | 'exacto' | null | undefined;
        readonly allowFallbacks?: boolean | undefined;
        /** Whether a stream that breaks off goes on at another endpoint of its model. Default: no. */
        readonly continueBrokenStreams?: boolean | undefined;
        /** Whether the gateway marks prompts for the caches of providers where callers do not. Default: no. */
        readonly automaticCacheMarks?: boolean | undefined;
        /** Whether it may go on at an endpoint of another model that the call names. Default: no. */
        readonly continueWithOtherModels?: boolean | undefined;
        /** Whether streams are collected to their end before any of them is sent, so that any break can begin anew. Default: no. */
        readonly holdStreams?: boolean | undefined;
        /** Whether another model is asked after a refusal by moderation. Default: yes. */
        readonly fallbackOnRefusal?: boolean | undefined;
        /** The longest `Retry-After`, in milliseconds, that is waited out at an endpoint, once. Default: 0, none is. */
        readonly waitForRetryAfterMs?: number | undefined;
        /** How often an endpoint is asked again after 500, 502, 504 or a broken connection. Default: 0. */
        readonly retriesAtEndpoint?: number | undefined;
        /** Limits in milliseconds while another endpoint is left to be asked. Default: the limits of every call. */
        readonly limitsBeforeFallback?: LimitsBeforeFallback | undefined;
        /** USD a million tokens; `request`, `image` and `audio` each. */
        readonly maxPrice?: NonNullable<ProviderPreferences['max_price']> | undefined;
        /** Choose the model of a chat call by what the call is; the first whose conditions all hold. */
        readonly rules?: readonly ConfiguredRoutingRule[] | undefined;
      }
    | undefined;
}

const VERSION_AT = 14;
const DEFAULT_VERSION = '8';

/**
 * The id of the guardrail that applies to everything in a workspace (wire.md 16.2): the workspace's own, with the
 * version of the UUID changed. Random ids are of version 4, so it is unique.
 */
export function defaultGuardrailIdOf(workspaceId: string): string {
  return withVersion(workspaceId, DEFAULT_VERSION);
}

/** The workspace that a guardrail is the default of; undefined when it is none's. */
export function workspaceIdOfDefault(guardrailId: string): string | undefined {
  return guardrailId[VERSION_AT] === DEFAULT_VERSION ? withVersion(guardrailId, '4') : undefined;
}

/** The name of a default guardrail, which cannot be changed. */
export function defaultGuardrailName(workspaceId: string): string {
  return `Workspace ${workspaceId} Default`;
}

function withVersion(uuid: string, version: string): string {
  return uuid.slice(0, VERSION_AT) + version + uuid.slice(VERSION_AT + 1);
}

/** Converts the account's settings to their form on the wire. */
function toSettings(account: LiveAccount): Settings {
  const { defaultModel, creditsUsd, writtenProviders: providers, privacy, routing, rules } = account;
  return {
    default_model: defaultModel ?? null,
    providers: { only: [...(providers?.only ?? [])], ignore: [...(providers?.ignore ?? [])] },
    privacy: { zdr: privacy?.zdr ?? false, allow_training: privacy?.allowTraining ?? true },
    routing: {
      order: [...(routing?.order ?? [])],
      sort: routing?.sort ?? null,
      allow_fallbacks: routing?.allowFallbacks ?? true,
      continue_broken_streams: routing?.continueBrokenStreams ?? false,
      automatic_cache_marks: routing?.automaticCacheMarks ?? false,
      continue_with_other_models: routing?.continueWithOtherModels ?? false,
      hold_streams: routing?.holdStreams ?? false,
      fallback_on_refusal: routing?.fallbackOnRefusal ?? true,
      wait_for_retry_after_ms: routing?.waitForRetryAfterMs ?? 0,
      retries_at_endpoint: routing?.retriesAtEndpoint ?? 0,
      max_price: { ...routing?.maxPrice },
      rules: [...(rules ?? [])],
    },
    sessions: toShownLimits(account),
    credits_usd: creditsUsd ?? null,
  };
}

/** The same with what the configuration sets. */
export const toShownSettings = (account: LiveAccount): ShownSettings => ({
  ...toSettings(account),
  configured: [...configuredPaths(account.configured)],
});

/** The paths of the settings that the configuration sets. Null is no limit, and is not set. */
function configuredPaths({
  defaultModel,
  creditsUsd,
  providers,
  privacy,
  routing,
  sessions,
}: AccountOptions = {}): string[] {
  const said: Readonly<Record<string, unknown>> = {
    default_model: defaultModel,
    'providers.only': providers?.only,
    'providers.ignore': providers?.ignore,
    'privacy.zdr': privacy?.zdr,
    'privacy.allow_training': privacy?.allowTraining,
    'routing.order': routing?.order,
    'routing.sort': routing?.sort,
    'routing.allow_fallbacks': routing?.allowFallbacks,
    'routing.continue_broken_streams': routing?.continueBrokenStreams,
    'routing.automatic_cache_marks': routing?.automaticCacheMarks,
    'routing.continue_with_other_models': routing?.continueWithOtherModels,
    'routing.hold_streams': routing?.holdStreams,
    'routing.fallback_on_refusal': routing?.fallbackOnRefusal,
    'routing.wait_for_retry_after_ms': routing?.waitForRetryAfterMs,
    'routing.retries_at_endpoint': routing?.retriesAtEndpoint,
    'routing.max_price': routing?.maxPrice,
    'routing.rules': routing?.rules,
    'sessions.max_cost_usd': sessions?.maxCostUsd,
    'sessions.max_calls': sessions?.maxCalls,
    'sessions.max_minutes': sessions?.maxMinutes,
    'sessions.max_repeats': sessions?.maxRepeats,
    'sessions.action': sessions?.action,
    credits_usd: creditsUsd,
  };
  return Object.keys(said).filter((path) => said[path] !== undefined && said[path] !== null);
}
