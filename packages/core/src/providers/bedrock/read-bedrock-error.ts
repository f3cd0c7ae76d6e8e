import { isObject, parseJson } from '../../foundation/parse.ts';
import { readAnthropicError } from '../anthropic/read-anthropic-error.ts';
import type { ReadError, UpstreamErrorFacts } from '../kit/upstream-error.ts';

type Facts = Omit<UpstreamErrorFacts, 'providerName' | 'secrets' | 'body'>;

/**
 * What AWS names its errors, in lower case and without `Exception`, and the statuses that they have to callers here.
 * Within a stream the name is all there is.
 */
const STATUS_OF_TYPE: ReadonlyMap<string, number> = new Map([
  ['validation', 400],
  ['unrecognizedclient', 401],
  ['expiredtoken', 401],
  ['invalidsignature', 401],
  ['missingauthenticationtoken', 401],
  ['accessdenied', 403],
  ['resourcenotfound', 404],
  ['modeltimeout', 504],
  // The account's limits, with a 400 or a 429 of HTTP.
  ['servicequotaexceeded', 429],
  ['throttling', 429],
  // The model is being loaded, which another try shows.
  ['modelnotready', 503],
  ['serviceunavailable', 503],
  ['modelerror', 502],
  ['modelstreamerror', 502],
  ['internalserver', 500],
]);

const CONTEXT_TOO_LONG =
  /input is too long|too many input tokens|maximum context length|exceeds? the (?:maximum|model'?s)[^.]*(?:tokens|context)|context window/i;

/** Reads the body of a refusal; its name stands in a header. */
export const readBedrockError: ReadError = (body, status, headers = {}) => {
  const parsed = parseJson(body);
  const fields = isObject(parsed) ? parsed : {};
  const named = headers['x-amzn-errortype'] ?? fields['__type'] ?? fields['code'];
  return toFacts(typeof named === 'string' ? named : '', fields['message'] ?? fields['Message'], status);
};

/** Reads an exception within a stream. */
export function readBedrockException(exception: unknown): Facts {
  const { type, body } = isObject(exception) ? exception : {};
  const { message, originalStatusCode, originalMessage } = isObject(body) ? body : {};
  const status = typeof originalStatusCode === 'number' && originalStatusCode >= 400 ? originalStatusCode : null;
  return toFacts(typeof type === 'string' ? type : '', originalMessage ?? message, status);
}

/** `status` is that of HTTP, or of the server behind AWS's; the name says more. */
function toFacts(named: string, message: unknown, status: number | null): Facts {
  // `ThrottlingException:http://…`, `com.amazon.coral#ThrottlingException`, and in streams `throttlingException`.
  const name = named.split(':')[0]?.split('#').at(-1) ?? '';
  const known = STATUS_OF_TYPE.get(name.replace(/Exception$/, '').toLowerCase());
  const text = typeof message === 'string' ? message : undefined;
  // Anthropic's words come through, and mean what they mean there.
  const facts = readAnthropicError({ message: text, ...(name !== '' && { type: name }) }, known ?? status);
  if (facts.status === 400 && text !== undefined && CONTEXT_TOO_LONG.test(text)) {
    return { ...facts, providerCode: 'context_length_exceeded' };
  }
  return facts;
}
