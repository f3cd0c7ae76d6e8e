import { type GatewayError, toErrorBody } from '../../foundation/errors.ts';
import type { ErrorForm } from '../../http/response.ts';

/** Names of statuses by google.rpc.Code. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [402, 'FAILED_PRECONDITION'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [405, 'UNIMPLEMENTED'],
  [408, 'DEADLINE_EXCEEDED'],
  [409, 'ABORTED'],
  [413, 'INVALID_ARGUMENT'],
  [415, 'INVALID_ARGUMENT'],
  [422, 'INVALID_ARGUMENT'],
  [429, 'RESOURCE_EXHAUSTED'],
  [499, 'CANCELLED'],
  [500, 'INTERNAL'],
  [501, 'UNIMPLEMENTED'],
  [502, 'UNAVAILABLE'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
  [529, 'UNAVAILABLE'],
]);

const TYPE = 'type.googleapis.com/google.rpc.';

/** Google's clients take 404 for a model that does not exist. */
const statusOf = ({ code, status }: GatewayError): number => (code === 'unknown_model' ? 404 : status);

/**
 * The error envelope of this form, of a response and of a stream: google.rpc.Status in JSON. Its details have the
 * gateway's type of the error, the fields that are wrong, and how long to wait.
 */
export function toErrorStatus(error: GatewayError): object {
  const { message, metadata } = toErrorBody(error);
  const { error_type: type, issues, ...facts } = metadata as Readonly<Record<string, unknown>>;
  const code = statusOf(error);
  const reason = type === 'authentication' ? 'API_KEY_INVALID' : String(type).toUpperCase();
  const { retryAfterSeconds } = error;
  return {
    error: {
      code,
      message,
      status: NAMES.get(code) ?? (code < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL'),
      details: [
        { '@type': `${TYPE}ErrorInfo`, reason, domain: 'model-gateway', metadata: toTexts(facts) },
        ...(Array.isArray(issues) ? [{ '@type': `${TYPE}BadRequest`, fieldViolations: issues.map(toViolation) }] : []),
        ...(retryAfterSeconds === undefined
          ? []
          : [{ '@type': `${TYPE}RetryInfo`, retryDelay: `${Math.ceil(retryAfterSeconds)}s` }]),
      ],
    },
    ...error.beside,
  };
}

const toViolation = ({ path, message }: { readonly path: string; readonly message: string }): object => ({
  field: path,
  description: message,
});

/** These facts are texts in google.rpc.ErrorInfo. */
const toTexts = (facts: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );

const text = { type: 'string' };

/** Errors of this form. */
export const geminiErrors: ErrorForm = {
  toResponse: (error) => ({ status: statusOf(error), body: toErrorStatus(error) }),
  schema: {
    type: 'object',
    properties: {
      error: {
        type: 'object',
        properties: { code: { type: 'integer' }, message: text, status: text, details: { type: 'array' } },
        required: ['code', 'message', 'status', 'details'],
      },
    },
    required: ['error'],
  },
};
