import { GatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import type { Principal } from '../http/request.ts';
import type { SettingsRepository } from '../stores/store.ts';
import type { StoredRateLimit } from '../wire/limits.ts';
import type { StoredSettings } from '../wire/settings.ts';

/** Limits on the calls and the tokens of a minute. */
export interface RateLimitRule {
  /** Name or hash of a key; `*` is every key, each counted separately. */
  readonly key: string;
  /** Id of a model; `*` is all models, counted together. */
  readonly model: string;
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
}

/** Without rules of its own, those that are stored apply all the same. */
export interface RateLimitOptions {
  readonly rules: readonly RateLimitRule[];
  readonly createCounter: CreateRateCounter;
}

export interface RateLimits {
  /** Counts a call; above the limit, sets the rate headers and throws `rate_limit_exceeded` (wire.md 5). */
  admit(principal: Principal, model: string, responseHeaders: Record<string, string>): Promise<void>;
  /**
   * Counts a call that goes on to another model than the one for which it was admitted, by the rules that name that model;
   * null where there are none. Above the limit it rejects with `rate_limit_exceeded`.
   */
  admitFurther(principal: Principal, model: string): Promise<void> | null;
  /** Counts the tokens of a call that has ended. */
  noteTokens(principal: Principal, model: string, tokens: number): void;
}

interface RateLimit {
  readonly rule: RateLimitRule;
  readonly what: 'requests' | 'tokens';
  readonly limit: number;
  readonly counter: RateCounter;
}

interface Context {
  readonly platform: Pick<Platform, 'now' | 'monotonicNow'>;
  readonly logger: Logger;
}

/** A counter that is away would fill the log with every call. */
const LOG_EVERY_MS = 10_000;

/** A rule, and where it was set. */
export interface SourcedRule extends RateLimitRule {
  readonly source: 'config' | 'stored';
}

/** All rules that apply: those of the configuration, and the stored ones for a key and model of which it says nothing. */
export function combineRules(
  configured: readonly RateLimitRule[],
  stored: readonly StoredRateLimit[] = [],
): readonly SourcedRule[] {
  const isConfigured = ({ key, model }: StoredRateLimit): boolean =>
    configured.some((rule) => rule.key === key && rule.model === model);
  return [
    ...configured.map((rule) => ({ ...rule, source: 'config' as const })),
    ...stored
      .filter((rule) => !isConfigured(rule))
      .map(({ key, model, requests_per_minute: requests, tokens_per_minute: tokens }) => ({
        key,
        model,
        requestsPerMinute: requests,
        tokensPerMinute: tokens,
        source: 'stored' as const,
      })),
  ];
}

type Counters = ReadonlyMap<string, RateCounter>;

/** The limits of a setup with those of the store, as they are at the moment. */
export interface LiveRateLimits extends Pick<RateLimits, 'noteTokens'> {
  /** Read it again for every call. Null without any, so that they cost nothing then. */
  current(): RateLimits | null;
  readonly createCounter: CreateRateCounter | undefined;
  counters(): Counters;
}

/** Creates the limits of a setup. Limits that `previous` had too continue to count. */
export function createLiveRateLimits(
  options: RateLimitOptions | undefined,
  settings: Pick<SettingsRepository, 'get'>,
  context: Context,
  previous?: LiveRateLimits,
): LiveRateLimits {
  const createCounter = options?.createCounter;
  let counters: Counters = previous?.createCounter === createCounter ? (previous?.counters() ?? new Map()) : new Map();
  let stored: StoredSettings['rate_limits'];
  let limits: RateLimits | null = null;
  let isMade = false;
  const current = (): RateLimits | null => {
    if (options === undefined) return null;
    const present = settings.get().rate_limits;
    if (!isMade || present !== stored) {
      const used = new Map<string, RateCounter>();
      const made = combineRules(options.rules, present).flatMap((rule, index) =>
        toLimits(rule, index, ({ name, limitPerMinute }) => {
          const id = JSON.stringify([name, rule.key, rule.model, limitPerMinute]);
          const counter = counters.get(id) ?? options.createCounter({ name, limitPerMinute });
          used.set(id, counter);
          return counter;
        }),
      );
      counters = used;
      stored = present;
      limits = made.length === 0 ? null : createRateLimits(made, context);
      isMade = true;
    }
    return limits;
  };
  return {
    current,
    createCounter,
    counters() {
      current();
      return counters;
    },
    noteTokens: (principal, model, tokens) => current()?.noteTokens(principal, model, tokens),
  };
}

function createRateLimits(limits: readonly RateLimit[], context: Context): RateLimits {
  const noteUnreachable = createNote(context);
  const limitsOf = (principal: Principal, model: string): RateLimit[] =>
    limits.filter(({ rule }) => matches(rule.key, principal.name, principal.id) && matches(rule.model, model));

  const admitTo = async (
    asked: readonly RateLimit[],
    principal: Principal,
    responseHeaders: Headers,
  ): Promise<void> => {
    for (const limit of asked) {
      const window = await ask(limit, principal, noteUnreachable);
      if (window?.isExceeded === true) refuse(limit, window, context.platform.now(), responseHeaders);
    }
  };
  return {
    admit: (principal, model, responseHeaders) => admitTo(limitsOf(principal, model), principal, responseHeaders),
    admitFurther(principal, model) {
      const own = limitsOf(principal, model).filter(({ rule }) => rule.model !== '*');
      return own.length === 0 ? null : admitTo(own, principal, {});
    },
    noteTokens(principal, model, tokens) {
      for (const { what, counter } of limitsOf(principal, model)) {
        // The response does not wait for it.
        if (what === 'tokens') counter.add(principal.id, tokens).catch(noteUnreachable);
      }
    },
  };
}

function toLimits(rule: SourcedRule, index: number, createCounter: CreateRateCounter): RateLimit[] {
  // Stored rules come and go, so their place among the others is no name.
  const place = rule.source === 'config' ? String(index) : [rule.key, rule.model].map(toNamePart).join(' ');
  const toLimit = (what: RateLimit['what'], limit: number | null): RateLimit[] =>
    limit === null
      ? []
      : [{ rule, what, limit, counter: createCounter({ name: `${place}-${what}`, limitPerMinute: limit }) }];
  return [...toLimit('requests', rule.requestsPerMinute), ...toLimit('tokens', rule.tokensPerMinute)];
}

/** Half a character, which JSON can hold, has no place in an address. */
const toNamePart = (text: string): string => encodeURIComponent(JSON.stringify(text));

const matches = (wanted: string, ...names: readonly string[]): boolean => wanted === '*' || names.includes(wanted);

/**
 * Undefined when the counter cannot be reached: the call passes, because only budgets protect money. A counter that is
 * to refuse calls then rejects with a `GatewayError`.
 */
async function ask(
  { what, counter }: RateLimit,
  { id }: Principal,
  noteUnreachable: (error: unknown) => void,
): Promise<RateWindow | undefined> {
  try {
    return await (what === 'requests' ? counter.take(id) : counter.look(id));
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    noteUnreachable(error);
    return undefined;
  }
}

function createNote({ platform, logger }: Context): (error: unknown) => void {
  let notedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (platform.monotonicNow() - notedAt < LOG_EVERY_MS) return;
    notedAt = platform.monotonicNow();
    logger.error('rate limits cannot be counted', { reason: String(error) });
  };
}

type Headers = Record<string, string>;

function refuse({ rule, what, limit }: RateLimit, window: RateWindow, now: number, responseHeaders: Headers): never {
  const resetInMs = Math.max(0, window.resetInMs);
  responseHeaders['x-ratelimit-limit'] = String(limit);
  responseHeaders['x-ratelimit-remaining'] = '0';
  responseHeaders['x-ratelimit-reset'] = String(Math.ceil(now + resetInMs));
  const retryAfterSeconds = Math.max(1, Math.ceil(resetInMs / 1000));
  const scope = rule.model === '*' ? '' : ` to ${rule.model}`;
  throw new GatewayError(
    'rate_limit_exceeded',
    `Rate limit exceeded: this key may have ${limit} ${what} a minute${scope}; try again in ${retryAfterSeconds} s`,
    { retryAfterSeconds },
  );
}

/** The count for an id in the current minute. */
export interface RateWindow {
  readonly isExceeded: boolean;
  /** Milliseconds until the minute is over. */
  readonly resetInMs: number;
}

/**
 * Counts against one limit a minute. Every method rejects with an `Error` when the counter cannot be reached: calls pass
 * then, unless it is a `GatewayError`, which refuses them.
 */
export interface RateCounter {
  /** Counts one more, and returns whether that exceeds the limit. */
  take(id: string): Promise<RateWindow>;
  /** Returns whether the limit is reached, without counting. */
  look(id: string): Promise<RateWindow>;
  /** Counts so many more, limit or not. */
  add(id: string, points: number): Promise<void>;
}

/** Creates a counter; `name` distinguishes it from the gateway's others in shared storage. */
export type CreateRateCounter = (options: { readonly name: string; readonly limitPerMinute: number }) => RateCounter;
