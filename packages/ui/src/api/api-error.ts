import { isObject } from './is-object.ts';

/** One error in the request: `messages.0.content`, and what it must be. */
export interface FieldIssue {
  readonly path: string;
  readonly message: string;
}

interface ApiErrorFacts {
  /** HTTP status; 0 when no response came. */
  readonly status: number;
  readonly errorType: string;
  readonly issues?: readonly FieldIssue[];
  /** The `error.metadata` of the response, as it came. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds?: number | undefined;
}

/** A failed call of the gateway, with the error of its response. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly errorType: string;
  readonly issues: readonly FieldIssue[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, facts: ApiErrorFacts) {
    super(message);
    this.status = facts.status;
    this.errorType = facts.errorType;
    this.issues = facts.issues ?? [];
    this.metadata = facts.metadata ?? {};
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }
}

/** Reads the error of a response; of a body that is no gateway error (a proxy's page) only the status is kept. */
export function toApiError(status: number, body: unknown, retryAfter: string | null = null): ApiError {
  const error = isObject(body) && isObject(body['error']) ? body['error'] : {};
  const metadata = isObject(error['metadata']) ? error['metadata'] : {};
  const message = typeof error['message'] === 'string' ? error['message'] : `The gateway responded with ${status}`;
  const errorType = typeof metadata['error_type'] === 'string' ? metadata['error_type'] : 'unknown';
  const seconds = Number(retryAfter ?? Number.NaN);
  return new ApiError(message, {
    status,
    errorType,
    issues: toIssues(metadata['issues']),
    metadata,
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
  });
}

function toIssues(value: unknown): FieldIssue[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isObject).map(({ path, message }) => ({
    path: Array.isArray(path) ? path.join('.') : typeof path === 'string' ? path : '',
    message: typeof message === 'string' ? message : 'is invalid',
  }));
}

/** What an error says, whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Advice for a person about an error, in a sentence. */
export function toRemedy(error: unknown): string {
  if (!(error instanceof ApiError)) return 'Reload the page. If the error persists, copy the report and open an issue.';
  switch (error.status) {
    case 0:
      return 'Check that the gateway is running and that this page was opened at its address, then try again.';
    case 400:
    case 422:
      return 'Correct the fields named above and try again.';
    case 401:
      return 'Sign in again with a valid key. This one may have been disabled or expired.';
    case 402:
      return 'Raise the limit of the key under Keys, or the budget of its guardrail.';
    case 403:
      return 'This needs another kind of key: management keys are for administration, API keys for calling models.';
    case 404:
      return 'It may have been deleted, or its content was never stored. Go back to the list.';
    case 409:
      return 'models' in error.metadata
        ? 'Change or delete these models first.'
        : 'It was changed elsewhere. Reload and try again.';
    case 413:
      return 'Send less, or raise server.bodyLimitMb.';
    case 429:
      return error.retryAfterSeconds === undefined
        ? 'Wait a moment, then try again.'
        : `Try again in ${error.retryAfterSeconds} seconds.`;
    case 503:
      return 'Try again shortly. Lists and figures reload automatically; for a call, see its attempts.';
    default:
      return error.status >= 500
        ? 'Check the attempts of the generation or the gateway’s log for the cause, then try again.'
        : 'Try again.';
  }
}
