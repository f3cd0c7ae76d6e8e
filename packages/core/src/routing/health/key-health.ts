import type { ProviderKey } from '../../catalog/catalog.ts';
import type { GatewayError } from '../../foundation/errors.ts';
import type { Platform } from '../../foundation/platform.ts';
import { MAX_RETRY_AFTER_SECONDS } from '../../foundation/transport.ts';
import type { KeyState } from '../../wire/providers.ts';
import { createCircuit, createCountRing, RECENT_MS } from './circuit.ts';
import { DEFAULT_REST_MS } from './endpoint-health.ts';

/** The last failure of a key. Its message is fit for callers, so it holds no secret. */
interface KeyFailure {
  readonly at: number;
  readonly status: number | null;
  readonly code: string;
  readonly message: string;
}

/** What was found out about a key, and what has gone through it since the process began. */
export interface KeyReport {
  readonly state: KeyState;
  /** Unix milliseconds until which it rests; null unless it does. */
  readonly restsUntil: number | null;
  /** The status by which it was disabled, and when; null unless it is. */
  readonly disabled: { readonly status: number; readonly at: number } | null;
  readonly underWay: number;
  readonly calls: number;
  readonly failed: number;
  readonly tokens: number;
  readonly costNanoUsd: number;
  readonly lastError: KeyFailure | null;
}

/** What a failure says about the key that a call was sent with. */
type KeyVerdict =
  /** Nothing: any key would have met it. */
  | 'unrelated'
  /** Another key may be served. */
  | 'refused';

/** The health of one key. Times come from the monotonic clock. */
export interface KeyHealth {
  state(): KeyState;
  /** Milliseconds until it may be tried again, as far as that is known; 0 when it may be, null when that is not known. */
  waitMs(): number | null;
  noteStarted(): void;
  noteServed(): void;
  noteFailed(error: GatewayError): KeyVerdict;
  /** Its own limit of calls a minute is reached: it rests as if the provider had refused it. */
  rest(forMs: number): void;
  /** Holds a place among the calls under way; the function gives it back. */
  hold(): () => void;
  noteSpent(tokens: number, costNanoUsd: number): void;
  /** Where all are disabled, one may be asked once more, so that a key that was topped up is found. */
  mayProbe(): boolean;
  /** The operator says that it is well again. */
  enable(): void;
  report(): KeyReport;
  /** What another process has found out. */
  advise(advice: KeyAdvice): void;
  /** What this process has found out by its own calls, while it holds; null for nothing. */
  ownAdvice(): KeyAdvice | null;
}

/** For how many milliseconds it rests, or by which status it is disabled; 0 for a key that works again. */
export type KeyAdvice = { readonly restMs: number } | { readonly disabledBy: number };

type KeyPlatform = Pick<Platform, 'now' | 'monotonicNow'>;

/** A disabled key is asked again so often, where no other is left. */
const PROBE_EVERY_MS = 60_000;
/** What the operator or a call has shown here counts more than older news of others. */
const HEED_AGAIN_AFTER_MS = 10_000;

/** Whether the provider has refused the key itself, or its account, until somebody does something about it. */
const isKeyRefused = ({ upstreamStatus, retryAfterSeconds, metadata }: GatewayError): boolean =>
  upstreamStatus === 401 ||
  upstreamStatus === 402 ||
  // OpenAI says so of an account without credit, by the status of a rate.
  (metadata?.['provider_code'] === 'insufficient_quota' && retryAfterSeconds === undefined);

/** Starts to remember one key. `onChange` hears of what others should know. */
export function createKeyHealth(
  { limits }: Pick<ProviderKey, 'limits'>,
  platform: KeyPlatform,
  onChange: (advice: KeyAdvice) => void,
): KeyHealth {
  const now = (): number => platform.monotonicNow();
  const recent = createCountRing(1000, RECENT_MS / 1000);
  const circuit = createCircuit(now, recent);
  let restUntil = Number.NEGATIVE_INFINITY;
  let disabled: KeyReport['disabled'] = null;
  /** What is known from a call of this process, and not from another. */
  let ownRestUntil = Number.NEGATIVE_INFINITY;
  let isOwnDisabled = false;
  let probedAt = Number.NEGATIVE_INFINITY;
  let isProbed = false;
  let enabledAt = Number.NEGATIVE_INFINITY;
  let lastError: KeyFailure | null = null;
  let underWay = 0;
  let calls = 0;
  let failed = 0;
  let tokens = 0;
  let costNanoUsd = 0;

  const enable = (): void => {
    const wasOut = disabled !== null;
    disabled = null;
    isOwnDisabled = false;
    restUntil = Number.NEGATIVE_INFINITY;
    ownRestUntil = restUntil;
    enabledAt = now();
    circuit.close();
    if (wasOut) onChange({ disabledBy: 0 });
  };
  const disable = (status: number): void => {
    const isNews = disabled === null;
    disabled ??= { status, at: platform.now() };
    isOwnDisabled = true;
    isProbed = false;
    if (isNews) onChange({ disabledBy: status });
  };
  const rest = (forMs: number): void => {
    restUntil = Math.max(restUntil, now() + forMs);
    ownRestUntil = restUntil;
  };
  const isBusy = (): boolean => limits.callsUnderWay !== undefined && underWay >= limits.callsUnderWay;
  const state = (): KeyState => {
    if (disabled !== null) return 'disabled';
    if (restUntil > now()) return 'resting';
    if (isBusy()) return 'busy';
    return circuit.state() === 'open' ? 'failing' : 'ready';
  };

  return {
    state,
    waitMs: () => (disabled === null && !isBusy() ? Math.max(0, restUntil - now()) : null),
    noteStarted() {
      calls += 1;
      circuit.noteStarted();
    },
    noteServed() {
      recent.add(now(), true);
      circuit.close();
      // Not for a call that had begun before the key was refused.
      if (disabled !== null && isProbed) enable();
    },
    noteFailed(error) {
      const { upstreamStatus: status, code, message, retryAfterSeconds } = error;
      failed += 1;
      lastError = { at: platform.now(), status, code, message };
      if (isKeyRefused(error)) {
        disable(status ?? 402);
        return 'refused';
      }
      if (code === 'rate_limit_exceeded') {
        const restMs = retryAfterSeconds === undefined ? DEFAULT_REST_MS : retryAfterSeconds * 1000;
        rest(restMs);
        onChange({ restMs });
        return 'refused';
      }
      if (code !== 'provider_unavailable' && code !== 'timeout' && code !== 'provider_overloaded') return 'unrelated';
      recent.add(now(), false);
      circuit.noteOutage();
      return status === 403 ? 'refused' : 'unrelated';
    },
    rest: (forMs) => void (restUntil = Math.max(restUntil, now() + forMs)),
    hold() {
      underWay += 1;
      let isHeld = true;
      return () => {
        if (isHeld) underWay -= 1;
        isHeld = false;
      };
    },
    noteSpent(spentTokens, spentNanoUsd) {
      tokens += spentTokens;
      costNanoUsd += spentNanoUsd;
    },
    mayProbe() {
      if (disabled === null || probedAt > now() - PROBE_EVERY_MS) return false;
      probedAt = now();
      isProbed = true;
      return true;
    },
    enable,
    report: () => ({
      state: state(),
      restsUntil: restUntil > now() ? platform.now() + (restUntil - now()) : null,
      disabled,
      underWay,
      calls,
      failed,
      tokens,
      costNanoUsd,
      lastError,
    }),
    advise(advice) {
      if (enabledAt > now() - HEED_AGAIN_AFTER_MS) return;
      if ('restMs' in advice) {
        restUntil = Math.max(restUntil, now() + Math.min(advice.restMs, MAX_RETRY_AFTER_SECONDS * 1000));
      } else if (advice.disabledBy !== 0) {
        disabled ??= { status: advice.disabledBy, at: platform.now() };
      } else {
        disabled = null;
        isOwnDisabled = false;
      }
    },
    ownAdvice() {
      if (isOwnDisabled && disabled !== null) return { disabledBy: disabled.status };
      const restMs = ownRestUntil - now();
      return restMs > 0 ? { restMs } : null;
    },
  };
}
