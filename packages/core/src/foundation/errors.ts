interface ErrorTraits {
  readonly status: number;
  /** The typed name on the wire. */
  readonly errorType: string;
  /**
   * The party that has to change something before the same call can succeed. The operator issues keys, credit and
   * rights, chooses the models, and sets the limits.
   */
  readonly blame: 'caller' | 'operator' | 'upstream' | 'gateway';
  /** The same call may succeed in a while, with nothing changed. */
  readonly isTransient: boolean;
}

/**
 * Every error of the gateway: its HTTP status, its typed name on the wire, and the description of its cause.
 *
 * Permanent errors are never a 5xx, because official clients retry those for up to an hour.
 */
const ERROR_CODES = {
  invalid_request: { status: 400, errorType: 'invalid_request', blame: 'caller', isTransient: false },
  context_length_exceeded: { status: 400, errorType: 'context_length_exceeded', blame: 'caller', isTransient: false },
  /** Official clients of some formats expect 404 for it (`messagesErrors`). */
  unknown_model: { status: 400, errorType: 'invalid_request', blame: 'caller', isTransient: false },
  content_policy_violation: { status: 400, errorType: 'content_policy_violation', blame: 'caller', isTransient: false },
  authentication: { status: 401, errorType: 'authentication', blame: 'operator', isTransient: false },
  payment_required: { status: 402, errorType: 'payment_required', blame: 'operator', isTransient: false },
  permission_denied: { status: 403, errorType: 'permission_denied', blame: 'operator', isTransient: false },
  /** Moderation, here or upstream, objects to the words of the request. */
  moderation_flagged: { status: 403, errorType: 'permission_denied', blame: 'caller', isTransient: false },
  /** The operator ended the call while it ran. Clients must not repeat it by themselves, as they do after 409 and 5xx. */
  call_cancelled: { status: 403, errorType: 'permission_denied', blame: 'operator', isTransient: false },
  not_found: { status: 404, errorType: 'not_found', blame: 'operator', isTransient: false },
  method_not_allowed: { status: 405, errorType: 'invalid_request', blame: 'caller', isTransient: false },
  timeout: { status: 408, errorType: 'timeout', blame: 'upstream', isTransient: true },
  conflict: { status: 409, errorType: 'invalid_request', blame: 'caller', isTransient: false },
  gone: { status: 410, errorType: 'not_found', blame: 'operator', isTransient: false },
  payload_too_large: { status: 413, errorType: 'payload_too_large', blame: 'caller', isTransient: false },
  unsupported_media_type: { status: 415, errorType: 'invalid_request', blame: 'caller', isTransient: false },
  unprocessable: { status: 422, errorType: 'unprocessable', blame: 'caller', isTransient: false },
  rate_limit_exceeded: { status: 429, errorType: 'rate_limit_exceeded', blame: 'operator', isTransient: true },
  headers_too_large: { status: 431, errorType: 'invalid_request', blame: 'caller', isTransient: false },
  client_closed_request: { status: 499, errorType: 'invalid_request', blame: 'caller', isTransient: false },
  internal: { status: 500, errorType: 'server', blame: 'gateway', isTransient: false },
  /**
   * No upstream accepted a video: official clients try again on 500 and `Retry-After`. Its cause shows whether that may
   * help, so the code by itself does not.
   */
  submission_failed: { status: 500, errorType: 'server', blame: 'upstream', isTransient: false },
  provider_unavailable: { status: 502, errorType: 'provider_unavailable', blame: 'upstream', isTransient: true },
  provider_overloaded: { status: 503, errorType: 'provider_overloaded', blame: 'upstream', isTransient: true },
} as const satisfies Readonly<Record<string, ErrorTraits>>;

/** The closed set of error names; `client_closed_request` is recorded but never sent, because its client has gone. */
export type ErrorCode = keyof typeof ERROR_CODES;

/**
 * Whether the caller has to change the request. Such an error from upstream is no failure of the endpoint, and another
 * endpoint of the same model would return it too; another model may not.
 */
export function isCallersMistake(code: ErrorCode): boolean {
  return ERROR_CODES[code].blame === 'caller';
}

/** The HTTP status of an error in the gateway's own form. */
export const statusOf = (code: ErrorCode): number => ERROR_CODES[code].status;

export function isTransient(code: ErrorCode): boolean {
  return ERROR_CODES[code].isTransient;
}

export interface GatewayErrorOptions {
  readonly cause?: unknown;
  /** Public facts, sent as `error.metadata` beside `error_type`. Never holds secrets or internal addresses. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Seconds after which the same call may succeed; sent as `Retry-After`. */
  readonly retryAfterSeconds?: number | undefined;
  /** HTTP status of the upstream response, for the record. */
  readonly upstreamStatus?: number | null | undefined;
  /** Another endpoint of the same model may take what this one refuses. */
  readonly isOfEndpoint?: boolean | undefined;
  /** Members of the response beside `error`. */
  readonly beside?: Readonly<Record<string, unknown>> | undefined;
}

/** The one error that ends a request. Its message is shown to the caller unchanged, so it must be fit for that. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: ErrorCode;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly upstreamStatus: number | null;
  readonly isOfEndpoint: boolean;
  readonly beside: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, options: GatewayErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.metadata = options.metadata;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.upstreamStatus = options.upstreamStatus ?? null;
    this.isOfEndpoint = options.isOfEndpoint === true;
    this.beside = options.beside;
  }

  get status(): number {
    return ERROR_CODES[this.code].status;
  }

  /** The typed name of wire.md 4.3, e.g. `rate_limit_exceeded`. */
  get errorType(): string {
    return ERROR_CODES[this.code].errorType;
  }
}

/** The `error` member of a response, a stream chunk or a choice. */
export interface ErrorBody {
  readonly code: number;
  readonly message: string;
  readonly metadata: { readonly error_type: string } & Readonly<Record<string, unknown>>;
}

/** Converts an error to its form on the wire. A 500 does not mention its cause (docs/reference/wire.md 4.1). */
export function toErrorBody(error: GatewayError): ErrorBody {
  if (error.code === 'internal') {
    return { code: 500, message: 'Internal Server Error', metadata: { error_type: error.errorType } };
  }
  return {
    code: error.status,
    message: error.message,
    metadata: { ...error.metadata, error_type: error.errorType },
  };
}

/** Turns anything thrown into a `GatewayError`; what is not one already becomes `internal` with the original as cause. */
export function toGatewayError(thrown: unknown): GatewayError {
  return thrown instanceof GatewayError
    ? thrown
    : new GatewayError('internal', 'Internal Server Error', { cause: thrown });
}

/** For `catch`: what becomes of a thing that is not there. Any other error, as that of a store that is away, goes on. */
export const whenNotFound =
  <Result>(handle: (error: GatewayError) => Result) =>
  (error: unknown): Result => {
    if (error instanceof GatewayError && error.code === 'not_found') return handle(error);
    throw error;
  };

/** What a caught value says of itself. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
