import { isObject, objectsOf, type Unchecked, parseJson } from '../../foundation/parse.ts';
import { MAX_RETRY_AFTER_SECONDS } from '../../foundation/transport.ts';
import { isErrorStatus } from '../kit/upstream-error.ts';
import type { UpstreamErrorFacts } from '../kit/upstream-error.ts';

type GoogleErrorFields = Pick<UpstreamErrorFacts, 'status' | 'message' | 'providerCode' | 'retryAfterSeconds'>;

/** HTTP statuses of the names that errors carry (google.rpc.Code). */
const STATUS_OF_NAME: ReadonlyMap<unknown, number> = new Map(
  Object.entries({
    INVALID_ARGUMENT: 400,
    FAILED_PRECONDITION: 400,
    OUT_OF_RANGE: 400,
    UNAUTHENTICATED: 401,
    PERMISSION_DENIED: 403,
    NOT_FOUND: 404,
    ABORTED: 409,
    RESOURCE_EXHAUSTED: 429,
    CANCELLED: 499,
    INTERNAL: 500,
    UNKNOWN: 500,
    UNIMPLEMENTED: 501,
    UNAVAILABLE: 503,
    DEADLINE_EXCEEDED: 504,
  }),
);

/** "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)." */
const CONTEXT_TOO_LONG = /input token count\b[^.]*\bexceeds the maximum number of tokens/i;

/** Returns the `error` of a body or an event; undefined when it has none. Some responses wrap it in a list. */
export function findGoogleError(body: unknown): unknown {
  const [first]: unknown[] = Array.isArray(body) ? body : [body];
  return isObject(first) ? (first['error'] ?? undefined) : undefined;
}

/**
 * Reads google.rpc.Status in its JSON form, with the wait that its details name. A wrong key and an unsupported
 * location have the status 400 here; they get the statuses of other wires, because the operator has to correct them.
 */
export function readGoogleError(error: unknown, httpStatus: number | null = null): GoogleErrorFields {
  if (!isObject(error)) return { status: httpStatus };
  const { code, status, message } = error;
  const name = typeof status === 'string' ? status : undefined;
  const details = objectsOf(error['details']);
  const isBadKey = details.some(({ reason }) => reason === 'API_KEY_INVALID' || reason === 'API_KEY_EXPIRED');
  const ofBody = isErrorStatus(code) ? code : STATUS_OF_NAME.get(status);
  return {
    status: isBadKey ? 401 : name === 'FAILED_PRECONDITION' ? 403 : (httpStatus ?? ofBody ?? null),
    message: typeof message === 'string' ? message : undefined,
    providerCode: typeof message === 'string' && CONTEXT_TOO_LONG.test(message) ? 'context_length_exceeded' : name,
    retryAfterSeconds: readRetryDelay(details),
  };
}

export function readGoogleErrorBody(text: string, httpStatus: number): GoogleErrorFields {
  return readGoogleError(findGoogleError(parseJson(text)), httpStatus);
}

/** google.rpc.RetryInfo: `{ "retryDelay": "34.4s" }`. */
function readRetryDelay(details: readonly Unchecked[]): number | undefined {
  for (const { '@type': type, retryDelay } of details) {
    if (typeof type !== 'string' || !type.endsWith('google.rpc.RetryInfo') || typeof retryDelay !== 'string') continue;
    const seconds = /^(\d+(?:\.\d+)?)s$/.exec(retryDelay)?.[1];
    if (seconds !== undefined) return Math.min(Number(seconds), MAX_RETRY_AFTER_SECONDS);
  }
  return undefined;
}
