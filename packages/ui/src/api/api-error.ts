/** One thing wrong with what was sent: `messages.0.content`, and what it must be. */
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

/** A call of the gateway that failed, with what the response said. */
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
  const message = typeof error['message'] === 'string' ? error['message'] : `The gateway answered ${status}`;
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
    message: typeof message === 'string' ? message : 'is not as it should be',
  }));
}

/** Advice for a person about an error, in a sentence. */
export function toRemedy(error: unknown): string {
  if (!(error instanceof ApiError)) return 'Reload the page. If it comes back, copy the report and open an issue.';
  switch (error.status) {
    case 0:
      return 'Check that the gateway is running and that this page comes from the same address, then try again.';
    case 400:
    case 422:
      return 'Correct what is named above and send it again.';
    case 401:
      return 'Sign in again with a key that is valid: it may have been disabled, or have expired.';
    case 402:
      return 'Raise the limit of the key under Keys, or the budget of its guardrail.';
    case 403:
      return 'This needs the other kind of key: management keys administer, API keys call models.';
    case 404:
      return 'It may have been deleted, or its contents were never stored. Go back to the list.';
    case 409:
      return 'models' in error.metadata
        ? 'Change or delete these models first.'
        : 'It was changed elsewhere. Reload and try again.';
    case 413:
      return 'Send less, or raise server.bodyLimitMb.';
    case 429:
      return error.retryAfterSeconds === undefined
        ? 'Wait a little, then try again.'
        : `Try again in ${error.retryAfterSeconds} seconds.`;
    case 503:
      return 'Try again shortly. Lists and figures load again by themselves; for a call, its attempts say more.';
    default:
      return error.status >= 500
        ? 'Look at the attempts of the generation or at the log of the gateway for the cause, then try again.'
        : 'Try again.';
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
