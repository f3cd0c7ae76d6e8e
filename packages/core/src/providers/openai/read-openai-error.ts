import { isRecord, type Unchecked } from '../../foundation/parse.ts';
import { isErrorStatus } from '../kit/upstream-error.ts';

/** The fields of an error on this wire, as far as they could be read. */
export interface ErrorFields {
  readonly status: number | null;
  readonly message?: string;
  /** Upstream's own code or type, e.g. `context_length_exceeded`. */
  readonly providerCode?: string;
  /** What its moderation objects to. */
  readonly reasons?: readonly string[];
  readonly flaggedInput?: string;
}

/** Refusals for the content that only their words distinguish: by DeepSeek, xAI and OpenAI's reasoning models. */
const CONTENT_REFUSED = /^(content (exists risk|violates usage guidelines)|invalid prompt: your prompt was flagged)/i;

/** The statuses of OpenAI's types of errors: within a stream, an error has no other. */
const STATUS_OF_TYPE: ReadonlyMap<unknown, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['permission_error', 403],
  ['request_forbidden', 403],
  ['insufficient_quota', 429],
]);

/** Reads the error object of this wire, in any of the forms seen: `code` is a status, a name, or missing. */
export function readErrorFields(error: unknown): ErrorFields {
  if (typeof error === 'string') {
    return { status: null, message: error, ...(CONTENT_REFUSED.test(error) && { providerCode: 'content_filter' }) };
  }
  if (!isRecord(error)) return { status: null };
  const { code, type, status, metadata } = error;
  // A gateway's name for the error stands there, beside a code that is a status.
  const errorType = isRecord(metadata) ? metadata['error_type'] : undefined;
  const number = [code, status].map(toNumber).find(isErrorStatus);
  const name = [code, type, errorType].find((value) => typeof value === 'string' && !/^\d+$/.test(value));
  const message = textOf(error['message']) ?? textOf(error['detail']);
  const providerCode = message !== undefined && CONTENT_REFUSED.test(message) ? 'content_filter' : name;
  return {
    status: number ?? STATUS_OF_TYPE.get(type) ?? null,
    ...(message !== undefined && { message }),
    ...(typeof providerCode === 'string' && { providerCode }),
    ...readModeration(error),
  };
}

/** Reads the findings of a moderation: gateways list them in `metadata`, Azure by category in `innererror`. */
function readModeration({ metadata, innererror: inner }: Unchecked): Pick<ErrorFields, 'reasons' | 'flaggedInput'> {
  if (isRecord(metadata) && Array.isArray(metadata['reasons'])) {
    const reasons = metadata['reasons'].filter((reason) => typeof reason === 'string');
    const { flagged_input: input } = metadata;
    return reasons.length === 0 ? {} : { reasons, ...(typeof input === 'string' && { flaggedInput: input }) };
  }
  const results = isRecord(inner) ? (inner['content_filter_result'] ?? inner['content_filter_results']) : undefined;
  if (!isRecord(results)) return {};
  const isHit = (result: unknown): boolean =>
    isRecord(result) && (result['filtered'] === true || result['detected'] === true);
  const reasons = Object.keys(results).filter((category) => isHit(results[category]));
  return reasons.length === 0 ? {} : { reasons };
}

/** Mistral, Cerebras and older vLLM do not wrap the error in `error`; DeepInfra and Nvidia have `detail`. */
export function readErrorBody(text: string): ErrorFields {
  try {
    const body: unknown = JSON.parse(text);
    return readErrorFields(isRecord(body) && body['error'] ? body['error'] : isRecord(body) ? body : null);
  } catch {
    // Not JSON: a proxy's page or nothing at all. Only the status is used.
    return { status: null };
  }
}

/** Reads a refusal: the status of the response takes precedence over one in the body. */
export function readOpenAiError(text: string, status: number): ErrorFields {
  return { ...readErrorBody(text), status };
}

/** Some servers write a status in quotes. */
const toNumber = (value: unknown): unknown => (typeof value === 'string' ? Number(value) : value);

/** More deeply than this, no server has been seen to wrap a message. */
const MAX_WRAPS = 3;

/** The words in a message: itself, or what a validation error lists. */
function textOf(value: unknown, wraps = 0): string | undefined {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    const texts = value.filter(isRecord).map(({ loc, msg }) => {
      const place = Array.isArray(loc) ? `${loc.filter(isNameOrNumber).join('.')}: ` : '';
      return typeof msg === 'string' ? place + msg : '';
    });
    return texts.filter((text) => text !== '').join('; ') || undefined;
  }
  if (!isRecord(value) || wraps === MAX_WRAPS) return undefined;
  return textOf(value['error'] ?? value['message'] ?? value['detail'], wraps + 1);
}

const isNameOrNumber = (step: unknown): step is string | number => typeof step === 'string' || typeof step === 'number';
