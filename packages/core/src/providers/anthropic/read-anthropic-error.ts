import { isObject, parseJson } from '../../foundation/parse.ts';

/** The fields of this wire's error object, in the form of `toUpstreamError`. */
export interface AnthropicErrorFields {
  readonly status: number | null;
  readonly message?: string;
  readonly providerCode?: string;
  /** What moderation objects to. */
  readonly reasons?: readonly string[];
}

/** The status that each type of error has; within a stream the type is all there is (Anthropic's page of errors). */
const STATUS_OF_TYPE: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['api_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

/** The wire has no separate type for these, although they are no malformed requests. */
const CONTEXT_TOO_LONG = /^(prompt is too long|input length and `?max_tokens`? exceed)/i;
const NO_CREDIT = /credit balance is too low/i;
const CONTENT_BLOCKED = /blocked by (our )?content filter|flagged by (our )?moderation|violates? (our )?usage polic/i;

/** Reads an error of a body or a stream. `httpStatus` takes precedence over the status that the type implies. */
export function readAnthropicError(error: unknown, httpStatus: number | null): AnthropicErrorFields {
  if (typeof error === 'string') return { status: httpStatus, message: error };
  if (!isObject(error)) return { status: httpStatus };
  const { type, message } = error;
  const status = httpStatus ?? (typeof type === 'string' ? STATUS_OF_TYPE.get(type) : undefined) ?? null;
  const text = typeof message === 'string' ? message : '';
  if (status === 400 && NO_CREDIT.test(text)) return { status: 402, message: text, providerCode: 'billing_error' };
  const providerCode = codeOfWords(status, text) ?? type;
  const reasons = isObject(error['metadata']) ? textsOf(error['metadata']['reasons']) : [];
  return {
    status,
    ...(text !== '' && { message: text }),
    ...(typeof providerCode === 'string' && { providerCode }),
    ...(reasons.length > 0 && { reasons }),
  };
}

function codeOfWords(status: number | null, text: string): string | undefined {
  if (status === 400 && CONTEXT_TOO_LONG.test(text)) return 'context_length_exceeded';
  return (status === 400 || status === 403) && CONTENT_BLOCKED.test(text) ? 'content_filter' : undefined;
}

/** Gateways that use this wire list what their moderation objects to. */
const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

/** Reads the body of a refusal. Some servers leave the envelope out. */
export function readAnthropicErrorBody(text: string, httpStatus: number): AnthropicErrorFields {
  const body = parseJson(text);
  const error = isObject(body) && 'error' in body ? body['error'] : body;
  return readAnthropicError(error, httpStatus);
}
