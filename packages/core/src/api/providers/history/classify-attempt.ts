import type { AttemptFacts } from '../../../stores/store.ts';
import type { FailureKind } from '../../../wire/providers.ts';

/** What an attempt says of its provider. */
export type AttemptVerdict = 'ok' | 'refused' | 'abandoned' | FailureKind;

const CLIENT_CLOSED = 499;
/** Upstream's statuses for what concerns the gateway's own account; the caller gets a 502 for them. */
const ACCOUNT_STATUSES: ReadonlySet<number | null> = new Set([401, 402, 403]);

/** Reads the verdict from what was recorded of an attempt. */
export function classifyAttempt({ status, errorCode, errorType }: AttemptFacts): AttemptVerdict {
  if (errorCode === null) return 'ok';
  if (errorCode === CLIENT_CLOSED) return 'abandoned';
  if (status === 200) return 'broke_off';
  if (errorType === 'rate_limit_exceeded') return 'rate_limited';
  if (errorType === 'not_found') return 'not_found';
  if (errorType === 'timeout') return 'timeout';
  if (errorCode < 500) return 'refused';
  if (ACCOUNT_STATUSES.has(status)) return 'key_refused';
  return status === null ? 'connection' : 'server_error';
}

/** Whether it counts as an outage, as in routing: a limit of the rate does not. */
export function isOutage(verdict: AttemptVerdict): boolean {
  return verdict !== 'ok' && verdict !== 'refused' && verdict !== 'abandoned' && verdict !== 'rate_limited';
}
