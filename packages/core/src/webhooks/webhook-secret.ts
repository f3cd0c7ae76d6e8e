const MIN_SECRET_LENGTH = 24;
const PREFIX = 'whsec_';

/** Describes why a secret may not sign webhooks, for the operator; undefined for an allowed one. */
export function objectToWebhookSecret(secret: string): string | undefined {
  if (secret.trim() !== secret) return 'must not begin or end with white space';
  if (secret.length < MIN_SECRET_LENGTH) return `must be at least ${MIN_SECRET_LENGTH} characters`;
  return secret.startsWith(PREFIX) && decodeBase64(secret.slice(PREFIX.length)) === undefined
    ? `must be base64 after ${PREFIX}`
    : undefined;
}

/**
 * The key of a Standard Webhooks signature: the decoded base64 after `whsec_`. A secret without that prefix is used as
 * its UTF-8 bytes; a receiver passes the base64 of those to its verifier.
 */
export function toStandardKey(secret: string): Uint8Array {
  const bytes = secret.startsWith(PREFIX) ? decodeBase64(secret.slice(PREFIX.length)) : undefined;
  return bytes ?? new TextEncoder().encode(secret);
}

function decodeBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
