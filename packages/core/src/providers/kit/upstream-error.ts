import { type ErrorCode, GatewayError, isCallersMistake } from '../../foundation/errors.ts';
import { toPublicText } from './to-public-text.ts';
import { toRawText } from './to-raw-text.ts';

/** Upstream's own error, read from its body as far as it could be understood. */
export interface UpstreamErrorFacts {
  readonly providerName: string;
  /** HTTP status, or the status that an error inside a stream names; null when there is none. */
  readonly status: number | null;
  readonly message?: string | undefined;
  /** Upstream's own code or type, e.g. `context_length_exceeded`. */
  readonly providerCode?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** What upstream's moderation objects to; absent where it did not object, or gives no reasons. */
  readonly reasons?: readonly string[] | undefined;
  /** The part of the input that upstream's moderation objects to. */
  readonly flaggedInput?: string | undefined;
  /** The whole error as it came: its text, or its parsed JSON. */
  readonly body?: unknown;
  /** Values that must never be shown, even if upstream repeats them. */
  readonly secrets: readonly string[];
}

/** Upstream codes that are more specific than their status. */
const CODE_OF_PROVIDER_CODE: ReadonlyMap<string, ErrorCode> = new Map([
  ['context_length_exceeded', 'context_length_exceeded'],
  ['content_policy_violation', 'moderation_flagged'],
  ['content_filter', 'moderation_flagged'],
  ['moderation_blocked', 'moderation_flagged'],
  ['rate_limit_exceeded', 'rate_limit_exceeded'],
  ['rate_limit_error', 'rate_limit_exceeded'],
  ['overloaded_error', 'provider_overloaded'],
  ['server_overloaded', 'provider_overloaded'],
  ['engine_overloaded_error', 'provider_overloaded'],
  ['exceed_context_size_error', 'context_length_exceeded'],
  ['data_inspection_failed', 'moderation_flagged'],
]);

/**
 * An upstream 401, 402 or 403 concerns the gateway's own account and becomes 502, but a 403 of its moderation stays one
 * (docs/decisions/0009). Upstream's words are passed on only where the caller can act on them or has to know why, without
 * markup, secrets or addresses.
 */
export function toUpstreamError(facts: UpstreamErrorFacts): GatewayError {
  const code = codeOf(facts);
  const { providerName, providerCode, status, secrets } = facts;
  const isForbidden = status === 403;
  // The caller can mend these with upstream's words, and wait for a rate; all others are between us and upstream.
  const isForCaller = isCallersMistake(code) || code === 'rate_limit_exceeded';
  const said = isForCaller || isForbidden ? toPublicText(facts.message, secrets) : undefined;
  const raw = isForCaller || isForbidden ? toRawText(facts.body, secrets) : undefined;
  return new GatewayError(code, (isForCaller ? said : undefined) ?? defaultMessage(code, facts, said), {
    metadata: {
      provider_name: providerName,
      ...(providerCode !== undefined && { provider_code: toPublicText(providerCode, secrets) }),
      ...(code === 'moderation_flagged' && toModerationFacts(facts, said)),
      ...(raw !== undefined && { raw }),
    },
    retryAfterSeconds: facts.retryAfterSeconds,
    upstreamStatus: status,
  });
}

const MAX_REASONS = 20;

/** An upstream that lists no reasons has named one in its message, or at least in its code. */
function toModerationFacts(
  { reasons = [], providerCode, flaggedInput, secrets }: UpstreamErrorFacts,
  said: string | undefined,
): { readonly reasons: readonly string[]; readonly flagged_input?: string } {
  const named = reasons.slice(0, MAX_REASONS).flatMap((reason) => toPublicText(reason, secrets) ?? []);
  const flagged = toPublicText(flaggedInput, secrets);
  return {
    reasons: named.length > 0 ? named : [said ?? toPublicText(providerCode, secrets) ?? 'content'],
    ...(flagged !== undefined && { flagged_input: flagged }),
  };
}

function codeOf({ status, providerCode, reasons = [] }: UpstreamErrorFacts): ErrorCode {
  if (reasons.length > 0) return 'moderation_flagged';
  const named = providerCode === undefined ? undefined : CODE_OF_PROVIDER_CODE.get(providerCode);
  if (named !== undefined) return named;
  switch (status) {
    case 400:
    case 405:
    case 409:
    case 415:
      return 'invalid_request';
    case 404:
    case 410:
      return 'not_found';
    case 408:
      return 'timeout';
    case 413:
      return 'payload_too_large';
    case 422:
      return 'unprocessable';
    case 429:
      return 'rate_limit_exceeded';
    case 503:
    case 529:
      return 'provider_overloaded';
    default:
      return 'provider_unavailable';
  }
}

function defaultMessage(
  code: ErrorCode,
  { providerName, status }: UpstreamErrorFacts,
  reason: string | undefined,
): string {
  if (code === 'moderation_flagged') return `The moderation of ${providerName} flagged the input`;
  if (status === 401 || status === 402 || status === 403) {
    const refusal = `${providerName} refused the gateway's own account (HTTP ${status}); the operator must check its key and balance`;
    return reason === undefined ? refusal : `${refusal}. It said: ${reason}`;
  }
  switch (code) {
    case 'not_found':
      return `${providerName} does not serve this model now`;
    case 'timeout':
      return `${providerName} took too long to respond`;
    case 'rate_limit_exceeded':
      return `${providerName} limits the rate of requests now`;
    case 'provider_overloaded':
      return `${providerName} is overloaded`;
    default:
      return status === null
        ? `${providerName} returned an error`
        : `${providerName} returned an error (HTTP ${status})`;
  }
}
