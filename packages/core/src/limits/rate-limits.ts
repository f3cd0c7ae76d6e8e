import { GatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import type { Principal } from '../http/request.ts';

/** Limits on the calls and the tokens of a minute. */
export interface RateLimitRule {
  /** Name or hash of a key; `*` is every key, each counted separately. */
  readonly key: string;
  /** Id of a model; `*` is all models, counted together. */
  readonly model: string;
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
}

export interface RateLimitOptions {
  readonly rules: readonly RateLimitRule[];
  readonly createCounter: CreateRateCounter;
}

export interface RateLimits {
  /** Counts a call; above the limit, sets the rate headers and throws `rate_limit_exceeded` (wire.md 5). */
  admit(principal: Principal, model: string, responseHeaders: Record<string, string>): Promise<void>;
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

/** Creates the limits of a configuration; null without any, so that they cost nothing then. */
export function createRateLimits(options: RateLimitOptions | undefined, context: Context): RateLimits | null {
  if (options === undefined || options.rules.length === 0) return null;
  const limits = options.rules.flatMap((rule, index) => toLimits(rule, index, options.createCounter));
  const noteUnreachable = createNote(context);
  const limitsOf = (principal: Principal, model: string): RateLimit[] =>
    limits.filter(({ rule }) => matches(rule.key, principal.name, principal.id) && matches(rule.model, model));

  return {
    async admit(principal, model, responseHeaders) {
      for (const limit of limitsOf(principal, model)) {
        const window = await ask(limit, principal, noteUnreachable);
        if (window?.isExceeded === true) refuse(limit, window, context.platform.now(), responseHeaders);
      }
    },
    noteTokens(principal, model, tokens) {
      for (const { what, counter } of limitsOf(principal, model)) {
        // The response does not wait for it.
        if (what === 'tokens') counter.add(principal.id, tokens).catch(noteUnreachable);
      }
    },
  };
}

function toLimits(rule: RateLimitRule, index: number, createCounter: CreateRateCounter): RateLimit[] {
  const toLimit = (what: RateLimit['what'], limit: number | null): RateLimit[] =>
    limit === null
      ? []
      : [{ rule, what, limit, counter: createCounter({ name: `${index}-${what}`, limitPerMinute: limit }) }];
  return [...toLimit('requests', rule.requestsPerMinute), ...toLimit('tokens', rule.tokensPerMinute)];
}

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
