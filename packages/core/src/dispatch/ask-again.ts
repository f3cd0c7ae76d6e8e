import type { LiveAccount } from '../account/account.ts';
import type { ModelCall } from '../calls/model-call.ts';
import { raceAbort } from '../foundation/awaitable.ts';
import type { GatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import { TransportError } from '../foundation/transport.ts';
import type { EndpointHealth } from '../routing/health/endpoint-health.ts';
import type { RoutingExplanation } from '../wire/routing-explanation.ts';
import type { AgainReason } from '../wire/routing.ts';

/** What a call and its account want to happen after a failure. Read when there is one. */
export interface FailoverWish {
  readonly call: Pick<ModelCall, 'kind' | 'request'>;
  readonly account: Pick<LiveAccount, 'routing'>;
}

/** Whether an error is a refusal by moderation after which no other model is to be asked. */
export function isFinalRefusal({ code }: GatewayError, { call, account }: FailoverWish): boolean {
  if (code !== 'moderation_flagged' && code !== 'content_policy_violation') return false;
  const { provider } = call.kind.preferencesOf(call.request);
  return (provider.fallback_on_refusal ?? account.routing?.fallbackOnRefusal) === false;
}

/** All that a call and its account want to happen after a failure, as `explain` shows it. */
export function explainFailover({ call, account: { routing = {} } }: FailoverWish): RoutingExplanation['failover'] {
  const { provider } = call.kind.preferencesOf(call.request);
  const { limitsBeforeFallback: limits } = routing;
  return {
    wait_for_retry_after_ms: routing.waitForRetryAfterMs ?? 0,
    retries_at_endpoint: routing.retriesAtEndpoint ?? 0,
    ...(limits !== undefined && {
      limits_before_fallback: {
        headers_ms: limits.headersMs,
        first_token_ms: limits.firstTokenMs,
        idle_ms: limits.idleMs,
        non_stream_ms: limits.nonStreamMs,
      },
    }),
    fallback_on_refusal: provider.fallback_on_refusal ?? routing.fallbackOnRefusal ?? true,
    continue_broken_streams: provider.continue_broken_streams ?? routing.continueBrokenStreams ?? false,
    continue_with_other_models: provider.continue_with_other_models ?? routing.continueWithOtherModels ?? false,
    hold_stream: provider.hold_stream ?? routing.holdStreams ?? false,
  };
}

/** An attempt that has failed, and what may follow it. */
interface FailedTry {
  readonly error: GatewayError;
  readonly health: EndpointHealth;
  /** How often the endpoint had been asked again before. */
  readonly timesAgain: number;
  /** The endpoint was well before the call, or there is no other. */
  readonly wasWell: boolean;
}

export interface SecondTry {
  readonly reason: AgainReason;
  /** How long to wait before it, in milliseconds. */
  readonly afterMs: number;
}

/**
 * Whether the endpoint that has just failed is to be asked once more before any other: after a short wait that it named,
 * since its cache knows the prompt, or at once after a failure that often passes (docs/decisions/0066). Null when not.
 */
export function planSecondTry(
  { error, health, timesAgain, wasWell }: FailedTry,
  { routing }: FailoverWish['account'],
): SecondTry | null {
  const { waitForRetryAfterMs = 0, retriesAtEndpoint = 0 } = routing ?? {};
  const { code, retryAfterSeconds } = error;
  if (code === 'rate_limit_exceeded' || code === 'provider_overloaded') {
    if (retryAfterSeconds === undefined || timesAgain > 0 || health.hasWaitedInVain()) return null;
    const afterMs = retryAfterSeconds * 1000;
    return afterMs <= waitForRetryAfterMs && waitForRetryAfterMs > 0 ? { reason: 'waited', afterMs } : null;
  }
  if (!wasWell || timesAgain >= retriesAtEndpoint || !mayPassAtOnce(error)) return null;
  return health.circuitState() === 'open' ? null : { reason: 'failed', afterMs: 0 };
}

const PASSING_STATUSES: ReadonlySet<number | null> = new Set([500, 502, 504]);

/** A failure of one moment. A time limit is none: it has cost the time that a second try would need. */
function mayPassAtOnce({ cause, upstreamStatus }: GatewayError): boolean {
  return PASSING_STATUSES.has(upstreamStatus) || (cause instanceof TransportError && !cause.timedOut);
}

/** Resolves after so many milliseconds; rejects with the reason of the signal when it fires before. */
export async function waitFor(
  afterMs: number,
  signal: AbortSignal,
  platform: Pick<Platform, 'setTimer'>,
): Promise<void> {
  let cancel = (): void => undefined;
  try {
    await raceAbort(new Promise<void>((resolve) => void (cancel = platform.setTimer(resolve, afterMs))), signal);
  } finally {
    cancel();
  }
}
