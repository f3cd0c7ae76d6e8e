import { parseJson } from './parse-json.ts';
import { hasMarkup, REDACTED, toPublicText, withoutSecrets } from './to-public-text.ts';
import { toShownBody } from './to-shown-body.ts';

const MAX_RAW_LENGTH = 2000;
/** A longer text is only read so far: an explanation is short. */
const MAX_READ_LENGTH = 64 * 1024;

/**
 * Upstream's own error as text, for `error.metadata.raw`: without secrets, internal addresses, media and markup.
 * Undefined when nothing remains that may be shown. Never throws.
 */
export function toRawText(body: unknown, secrets: readonly string[]): string | undefined {
  const value = typeof body === 'string' ? (parseJson(body) ?? body.slice(0, MAX_READ_LENGTH)) : body;
  if (typeof value === 'string') return toPublicText(value, secrets, MAX_RAW_LENGTH);
  if (typeof value !== 'object' || value === null) return undefined;
  try {
    const text = JSON.stringify(
      toShownBody(value, (part) => toShownPart(part, secrets)),
      hideNamedSecret,
    );
    return text.length > MAX_RAW_LENGTH ? `${text.slice(0, MAX_RAW_LENGTH)}…` : text;
  } catch {
    // Nested more deeply than anything that explains.
    return undefined;
  }
}

const SECRET_NAME =
  /^(?:x-)?(?:(?:goog-)?api[-_]?key|(?:proxy-)?authorization|(?:set-)?cookie|(?:\w+[-_])?(?:token|secret|password))$/i;

/** An upstream that repeats the headers it got names its secrets, which may look like words. */
const hideNamedSecret = (name: string, value: unknown): unknown =>
  SECRET_NAME.test(name) && (typeof value === 'string' || Array.isArray(value)) ? REDACTED : value;

function toShownPart(text: string, secrets: readonly string[]): string {
  const read = text.slice(0, MAX_READ_LENGTH);
  return hasMarkup(read) ? '[markup]' : withoutSecrets(read, secrets);
}
