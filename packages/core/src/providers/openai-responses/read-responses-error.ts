import { isRecord, type Unchecked } from '../../foundation/parse.ts';
import { type ErrorFields, readErrorFields, readOpenAiError } from '../openai/read-openai-error.ts';

/** The statuses of the codes of this wire: within a response, an error has no other. */
const STATUS_OF_CODE: ReadonlyMap<unknown, number> = new Map([
  ['server_error', 500],
  ['internal_error', 500],
  ['server_is_overloaded', 503],
  ['slow_down', 503],
  ['rate_limit_exceeded', 429],
  ['insufficient_quota', 429],
  ['usage_limit_reached', 429],
  ['invalid_prompt', 400],
  ['context_length_exceeded', 400],
  ['bio_policy', 400],
  ['cyber_policy', 400],
  ['vector_store_timeout', 504],
]);

/** Codes of a picture that upstream cannot read. */
const OF_IMAGE = /image/;

/** Reads the error of a response or an event, in any of the forms seen. */
export function readResponsesError(error: unknown): ErrorFields {
  const fields = readErrorFields(error);
  if (fields.status !== null || !isRecord(error)) return fields;
  const { code } = error;
  const status = STATUS_OF_CODE.get(code) ?? (typeof code === 'string' && OF_IMAGE.test(code) ? 400 : null);
  return { ...fields, status };
}

/** Reads a refusal: the status of the response takes precedence over one in the body. */
export const readResponsesRefusal = readOpenAiError;

/**
 * The error that an event tells of; undefined where it tells of none. It stands in a response that failed, in `error`,
 * or is the event itself.
 */
export function errorOfEvent(event: Unchecked): unknown {
  const { type, error, response } = event;
  if (type === 'response.failed' || type === 'response.cancelled') {
    return (isRecord(response) ? response['error'] : null) ?? { code: null, message: 'The response failed' };
  }
  if (error !== undefined && error !== null) return error;
  if (type !== 'error' && type !== 'response.error') return undefined;
  const { type: _, ...own } = event;
  return isRecord(response) && response['error'] ? response['error'] : own;
}
