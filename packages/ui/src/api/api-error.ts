import { isObject } from './is-object.ts';
import { apiMessages } from './messages.ts';

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
  const message = typeof error['message'] === 'string' ? error['message'] : apiMessages().respondedWith(status);
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
    message: typeof message === 'string' ? message : apiMessages().isInvalid,
  }));
}

/** What an error says, whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What a call that no endpoint may take can be helped with; undefined where that is not why it was refused. */
function remedyForExclusion(excluded: unknown): string | undefined {
  if (!Array.isArray(excluded)) return undefined;
  const t = apiMessages().remedies;
  return excluded.some((one) => isObject(one) && one['rule'] === 'cost_unknown') ? t.unpriced : t.noEndpoint;
}

/** Advice for a person about an error, in a sentence. */
export function toRemedy(error: unknown): string {
  const t = apiMessages().remedies;
  if (!(error instanceof ApiError)) return t.crash;
  switch (error.status) {
    case 0:
      return t.unreachable;
    case 400:
    case 422:
      return t.fields;
    case 401:
      return t.signIn;
    case 402:
      return t.limit;
    case 403:
      return t.otherKey;
    case 404:
      return remedyForExclusion(error.metadata['excluded']) ?? t.missing;
    case 409:
      return 'models' in error.metadata ? t.modelsInUse : t.changedElsewhere;
    case 413:
      return t.tooLarge;
    case 429:
      return error.retryAfterSeconds === undefined ? t.waitAMoment : t.retryAfter(error.retryAfterSeconds);
    case 503:
      return t.unavailable;
    default:
      return error.status >= 500 ? t.serverError : t.tryAgain;
  }
}
