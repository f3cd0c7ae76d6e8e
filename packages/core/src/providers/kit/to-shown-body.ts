/** A longer run without a space is no prose: a picture, a film, a signature. */
const LONGEST_WORD = 1024;
const BASE64 = /^[\w+/=-]+$/;
const DATA_URL = /^data:[^,]{0,200},/;

/** A body with its texts in the form that `show` gives them, and with the length of media instead of the media. */
export function toShownBody(body: unknown, show: (text: string) => string): unknown {
  if (typeof body === 'string') return toShownText(body, show);
  if (Array.isArray(body)) return body.map((item) => toShownBody(item, show));
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).map(([key, value]) => [show(key), toShownBody(value, show)]));
}

function toShownText(text: string, show: (text: string) => string): string {
  const prefix = DATA_URL.exec(text)?.[0] ?? '';
  const data = text.slice(prefix.length);
  if (prefix !== '' || (data.length > LONGEST_WORD && BASE64.test(data))) return `${prefix}[${data.length} characters]`;
  return show(text);
}

/** A text without any of `secrets`. */
export const hideValues = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((shown, secret) => (secret === '' ? shown : shown.replaceAll(secret, '[redacted]')), text);
