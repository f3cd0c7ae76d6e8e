import { type ErrorCode, GatewayError, isCallersMistake } from '../../foundation/errors.ts';

/** Upstream's own error, read from its body as far as it could be understood. */
export interface UpstreamErrorFacts {
  readonly providerName: string;
  /** HTTP status, or the status that an error inside a stream names; null when there is none. */
  readonly status: number | null;
  readonly message?: string | undefined;
  /** Upstream's own code or type, e.g. `context_length_exceeded`. */
  readonly providerCode?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** Values that must never be shown, even if upstream repeats them. */
  readonly secrets: readonly string[];
}

const MAX_MESSAGE_LENGTH = 500;

/** Upstream codes that are more specific than their status. */
const CODE_OF_PROVIDER_CODE: ReadonlyMap<string, ErrorCode> = new Map([
  ['context_length_exceeded', 'context_length_exceeded'],
  ['content_policy_violation', 'content_policy_violation'],
  ['content_filter', 'content_policy_violation'],
  ['rate_limit_exceeded', 'rate_limit_exceeded'],
  ['rate_limit_error', 'rate_limit_exceeded'],
  ['overloaded_error', 'provider_overloaded'],
  ['server_overloaded', 'provider_overloaded'],
  ['engine_overloaded_error', 'provider_overloaded'],
  ['exceed_context_size_error', 'context_length_exceeded'],
  ['data_inspection_failed', 'content_policy_violation'],
]);

/**
 * An upstream 401, 402 or 403 concerns the gateway's own account and becomes 502 (docs/decisions/0009). Messages are
 * passed on only where the caller can act on them, without markup, secrets or addresses.
 */
export function toUpstreamError(facts: UpstreamErrorFacts): GatewayError {
  const code = codeOf(facts);
  // The caller can mend these with upstream's words, and wait for a rate; all others are between us and upstream.
  const isForCaller = isCallersMistake(code) || code === 'rate_limit_exceeded';
  const shown = isForCaller ? toPublicMessage(facts.message, facts.secrets) : undefined;
  return new GatewayError(code, shown ?? defaultMessage(code, facts), {
    metadata: {
      provider_name: facts.providerName,
      ...(facts.providerCode !== undefined && { provider_code: toPublicMessage(facts.providerCode, facts.secrets) }),
    },
    retryAfterSeconds: facts.retryAfterSeconds,
    upstreamStatus: facts.status,
  });
}

function codeOf({ status, providerCode }: UpstreamErrorFacts): ErrorCode {
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

function defaultMessage(code: ErrorCode, { providerName, status }: UpstreamErrorFacts): string {
  if (status === 401 || status === 402 || status === 403) {
    return `${providerName} refused the gateway's own account (HTTP ${status}); the operator must check its key and balance`;
  }
  switch (code) {
    case 'not_found':
      return `${providerName} does not serve this model now`;
    case 'timeout':
      return `${providerName} took too long to answer`;
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

/** Cleans a text from upstream; undefined when nothing remains that may be shown. */
export function toPublicMessage(text: string | undefined, secrets: readonly string[]): string | undefined {
  if (text === undefined || /<\s*[a-z!/]/i.test(text)) return undefined;
  let clean = text;
  for (const secret of secrets) if (secret !== '') clean = clean.replaceAll(secret, '[redacted]');
  clean = clean
    .replace(/\b(bearer|basic)\s+\S+/gi, '$1 [redacted]')
    .replace(/\b((sk|pk|key|gsk|xai)[-_]|AIza)[\w-]{8,}/g, '[redacted]')
    .replace(
      /\bhttps?:\/\/(localhost|\[[\da-f:.]+\]|\d{1,3}(\.\d{1,3}){3}|[\w-]+|([\w-]+\.)+(local|internal))(?!\.?[\w-])(:\d+)?[^\s"')]*/gi,
      '[address]',
    )
    .replace(/\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b/g, '[address]')
    // oxlint-disable-next-line no-control-regex -- control characters are exactly what must not reach a terminal or a log
    .replace(/[\u0000-\u001f\u007f\u2028\u2029\u202a-\u202e]+/g, ' ')
    .trim();
  if (clean === '') return undefined;
  return clean.length > MAX_MESSAGE_LENGTH ? `${clean.slice(0, MAX_MESSAGE_LENGTH)}…` : clean;
}
