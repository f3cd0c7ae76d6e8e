import { type ErrorCode, GatewayError, isCallersMistake } from '../../foundation/errors.ts';
import { parseJson } from '../../foundation/parse.ts';
import { readRetryAfterSeconds, type TransportResponse } from '../../foundation/transport.ts';
import { toShownBody, type Upstream } from './to-upstream.ts';

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
      return `${providerName} does not serve this model at the moment`;
    case 'timeout':
      return `${providerName} took too long to respond`;
    case 'rate_limit_exceeded':
      return `${providerName} is limiting the rate of requests`;
    case 'provider_overloaded':
      return `${providerName} is overloaded`;
    default:
      return status === null
        ? `${providerName} returned an error`
        : `${providerName} returned an error (HTTP ${status})`;
  }
}

const MAX_MESSAGE_LENGTH = 500;

/** Names of headers and query parameters whose values are secrets. */
const SECRET_NAMES = String.raw`(?:x-)?api[-_]?key|x-goog-api-key|authorization|access[-_]token|client[-_]secret|key|token|secret|password|sig|signature`;

const ADDRESS = '[address]';
const REDACTED = '[redacted]';

/**
 * Each with its replacement, in this order. What may precede its fixed part is bounded, because an upstream that means
 * harm could otherwise hold the process up.
 */
const PATTERNS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/\b(bearer|basic|authorization["']?\s*[:=]\s*["']?token)\s+[^\s"'<>,;]+/gi, `$1 ${REDACTED}`],
  [/\b(authorization["']?\s*[:=]\s*["']?)(?!(?:bearer|basic|token)\b)[^\s"'<>,;]{6,}/gi, `$1${REDACTED}`],
  [new RegExp(String.raw`([?&](?:${SECRET_NAMES})=)[^&\s"'<>]+`, 'gi'), `$1${REDACTED}`],
  [
    /\b((?:(?:x-)?(?:goog-)?api[-_]?key|account[-_]?key|client[-_]?secret|(?:access|refresh)[-_]?token|password)["']?\s*[:=]\s*["']?)[^\s"',;&]{6,}/gi,
    `$1${REDACTED}`,
  ],
  [
    /\b((?:sk|pk|rk|key|gsk|xai|hf|r8|fw|csk|pplx|nvapi|gh[opsur]|github_pat|glpat|xox[a-z]|tgp|tvly|whsec|GOCSPX)[-_]|AIza)[\w-]{8,}/g,
    REDACTED,
  ],
  [/\beyJ[\w-]{4,500}\.[\w-]+(?:\.[\w-]*)?/g, REDACTED],
  [/\bA[KS]IA[A-Z\d]{16}\b/g, REDACTED],
  [/\b(?:org|proj|acct)[-_][A-Za-z\d]{8,}/g, REDACTED],
  [/\bdata:[\w.+-]{1,100}\/[\w.+-]{1,100}(?:;[\w=.-]{1,100}){0,5},[^\s"'<>)]*/gi, '[data]'],
  // A user and a password before a host.
  [/\b([a-z][a-z\d+.-]{0,20}:\/\/)[^\s/@"']+@/gi, '$1'],
  [
    /\b[a-z][a-z\d+.-]{0,20}:\/\/(localhost|\[[\da-f:.]+\]|\d{1,3}(\.\d{1,3}){3}|[\w-]+|([\w-]+\.)+(local|internal|svc|lan|corp|intranet|home|arpa))(?!\.?[\w-])(:\d+)?[^\s"')]*/gi,
    ADDRESS,
  ],
  [/(?<![\w.-])(localhost|([\w-]+\.)+(local|internal|svc|lan|corp|intranet))(:\d+)?(?![\w-]|\.\w)/gi, ADDRESS],
  // Version 6, shortened and in full, before version 4, which may be its end.
  [
    /\[?(?<![\w:])(?=:*[\da-f])[\da-f:]{0,39}::[\da-f:]{0,39}(?:\d{1,3}(?:\.\d{1,3}){3})?(?:%\w{1,20})?(?![\w:]|\.\d)\]?(:\d+)?/gi,
    ADDRESS,
  ],
  [/\[?(?<![\w:])(?:[\da-f]{1,4}:){3,7}[\da-f]{1,4}(?![\w:])\]?(:\d+)?/gi, ADDRESS],
  [/\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b/g, ADDRESS],
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what must not reach a terminal or a log
  [/[\u0000-\u001f\u007f\u2028\u2029\u202a-\u202e]+/g, ' '],
];

/**
 * A text from upstream without `secrets`, keys, tokens, internal addresses and control characters. What is cut off is
 * cut after that, because half a key is no key that a pattern knows.
 */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (secret !== '') clean = clean.replace(toPattern(secret), REDACTED);
  for (const [pattern, replacement] of PATTERNS) clean = clean.replace(pattern, replacement);
  return clean.trim();
}

/** Hosts are written in any case. */
const toPattern = (secret: string): RegExp =>
  new RegExp(secret.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`), 'gi');

const hasMarkup = (text: string): boolean => /<\s*[a-z!/?]/i.test(text);

/** Cleans a text from upstream; undefined when nothing remains that may be shown. */
export function toPublicText(
  text: string | undefined,
  secrets: readonly string[],
  maxLength = MAX_MESSAGE_LENGTH,
): string | undefined {
  if (text === undefined || hasMarkup(text)) return undefined;
  const clean = withoutSecrets(text, secrets);
  if (clean === '') return undefined;
  return clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean;
}

const MAX_RAW_LENGTH = 2000;
/** A longer text is only read so far: an explanation is short. */
const MAX_READ_LENGTH = 64 * 1024;

/**
 * Upstream's own error as text, for `error.metadata.raw`: without secrets, internal addresses, media and markup.
 * Undefined when nothing remains that may be shown. Never throws.
 */
function toRawText(body: unknown, secrets: readonly string[]): string | undefined {
  const value = typeof body === 'string' ? (parseJson(body) ?? body.slice(0, MAX_READ_LENGTH)) : body;
  if (typeof value === 'string') return toPublicText(value, secrets, MAX_RAW_LENGTH);
  if (typeof value !== 'object' || value === null) return undefined;
  try {
    const text = JSON.stringify(
      toShownBody(value, (part) => toShownPart(part, secrets)),
      hideNamedSecret,
    );
    return text.length > MAX_RAW_LENGTH ? `${text.slice(0, MAX_RAW_LENGTH)}…` : text;
  } catch {
    // Nested more deeply than anything that explains.
    return undefined;
  }
}

const SECRET_NAME =
  /^(?:x-)?(?:(?:goog-)?api[-_]?key|(?:proxy-)?authorization|(?:set-)?cookie|(?:\w+[-_])?(?:token|secret|password))$/i;

/** An upstream that repeats the headers it got names its secrets, which may look like words. */
const hideNamedSecret = (name: string, value: unknown): unknown =>
  SECRET_NAME.test(name) && (typeof value === 'string' || Array.isArray(value)) ? REDACTED : value;

function toShownPart(text: string, secrets: readonly string[]): string {
  const read = text.slice(0, MAX_READ_LENGTH);
  return hasMarkup(read) ? '[markup]' : withoutSecrets(read, secrets);
}

/** Reads a wire's own form of a refusal: its body, and the status and headers of the response. Never throws. */
export type ReadError = (
  text: string,
  status: number,
  headers?: TransportResponse['headers'],
) => Omit<UpstreamErrorFacts, 'providerName' | 'secrets' | 'body'>;

/** Converts a refusal to an error. A wait in its headers takes precedence over one in its body. */
export function toRefusalError(
  { name, secrets }: Pick<Upstream, 'name' | 'secrets'>,
  readError: ReadError,
  { status, headers }: Pick<TransportResponse, 'status' | 'headers'>,
  text: string,
): GatewayError {
  const facts = readError(text, status, headers);
  return toUpstreamError({
    ...facts,
    providerName: name,
    secrets,
    body: text,
    retryAfterSeconds: readRetryAfterSeconds(headers) ?? facts.retryAfterSeconds,
  });
}

/** Whether a value from upstream is an HTTP status of an error. */
export const isErrorStatus = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 400 && value < 600;
