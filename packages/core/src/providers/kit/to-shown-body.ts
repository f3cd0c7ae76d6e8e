/** A longer run without a space is no prose: a picture, a film, a signature. */
const LONGEST_WORD = 1024;
const BASE64 = /^[\w+/=-]+$/;
const DATA_URL = /^data:[^,]{0,200},/;

/** An upstream body without any of `secrets`, and with the length of media instead of the media. */
export function toShownBody(body: unknown, secrets: readonly string[]): unknown {
  if (typeof body === 'string') return toShownText(body, secrets);
  if (Array.isArray(body)) return body.map((item) => toShownBody(item, secrets));
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).map(([key, value]) => [key, toShownBody(value, secrets)]));
}

function toShownText(text: string, secrets: readonly string[]): string {
  const prefix = DATA_URL.exec(text)?.[0] ?? '';
  const data = text.slice(prefix.length);
  if (prefix !== '' || (data.length > LONGEST_WORD && BASE64.test(data))) return `${prefix}[${data.length} characters]`;
  return secrets.reduce((shown, secret) => (secret === '' ? shown : shown.replaceAll(secret, '[redacted]')), text);
}
