import { type ErrorCode, statusOf } from '../foundation/errors.ts';
import type { OperationSchemas } from './operation.ts';
import type { Route } from './route.ts';

/** The errors that an operation can return, by what it has that causes them. */
const ERRORS_BY_CAUSE = {
  /** Every request: a defect, and a gateway that is about to end. */
  request: ['internal', 'provider_overloaded'],
  /** A caller: keys that are wrong or of the other kind, and many wrong ones from one address. */
  caller: ['authentication', 'permission_denied', 'rate_limit_exceeded'],
  params: ['invalid_request', 'not_found'],
  query: ['invalid_request'],
  body: ['invalid_request', 'payload_too_large', 'unsupported_media_type'],
  /** A call to a model: budgets, guardrails, routing, and whatever a provider responds. */
  call: [
    'invalid_request',
    'payment_required',
    'permission_denied',
    'not_found',
    'timeout',
    'payload_too_large',
    'unprocessable',
    'rate_limit_exceeded',
    'provider_unavailable',
    'provider_overloaded',
  ],
} as const satisfies Readonly<Record<string, readonly ErrorCode[]>>;

type Cause = keyof typeof ERRORS_BY_CAUSE;

/** Rate limits hold for calls to models, and for nothing else. */
const CALL_HEADER = 'x-ratelimit-limit';

function causesOf(auth: Route<never>['auth'], operation: OperationSchemas): Cause[] {
  const { params, query, body, responseHeaders } = operation;
  const has: Readonly<Record<Cause, boolean>> = {
    request: true,
    caller: auth !== 'none',
    params: params.length > 0,
    query: query !== undefined,
    body: body !== undefined,
    call: CALL_HEADER in responseHeaders,
  };
  return (Object.keys(has) as Cause[]).filter((cause) => has[cause]);
}

/** The statuses of the errors that an operation can return, the lowest first. */
export function errorStatusesOf(auth: Route<never>['auth'], operation: OperationSchemas): number[] {
  const codes = causesOf(auth, operation).flatMap((cause): readonly ErrorCode[] => ERRORS_BY_CAUSE[cause]);
  return [...new Set([...codes, ...operation.errors].map(statusOf))].toSorted((a, b) => a - b);
}

/** What each status says, for the OpenAPI document. */
export const STATUS_MEANINGS: Readonly<Record<number, string>> = {
  400: 'The request is wrong; the message says where',
  401: 'The key is missing, unknown, disabled, expired, or of the wrong kind',
  402: 'A budget or the credit of the account is used up',
  403: 'The key, a guardrail or moderation does not permit the request',
  404: 'There is nothing of this name, or no provider that may serve the call',
  408: 'The provider did not respond in time',
  409: 'The request contradicts what is there already',
  410: 'What was asked for is no longer there',
  413: 'The body is larger than accepted',
  415: 'The body is of a type that is not accepted',
  422: 'The provider cannot process the request',
  429: 'A rate limit is reached; `Retry-After` says when it will pass',
  500: 'The gateway has failed, or no provider accepted the job',
  502: 'The provider failed, or responded with something unusable',
  503: 'The providers are overloaded, or the gateway is shutting down',
};
