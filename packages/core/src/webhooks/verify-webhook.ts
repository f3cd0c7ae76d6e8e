import { GatewayError } from '../foundation/errors.ts';
import { createWebPlatform, type Platform } from '../foundation/platform.ts';

export interface WebhookVerification {
  /** The exact bytes of the body as text; parsed and written again it would not match. */
  readonly body: string;
  /** The value of `x-service-signature` or `x-openrouter-signature`; null when the request had none. */
  readonly signature: string | null | undefined;
  /** One, or the new and the old while they change. */
  readonly secrets: readonly string[];
  /** How old, or how far ahead, a message may be. Default 300 s. */
  readonly toleranceSeconds?: number | undefined;
  readonly platform?: Pick<Platform, 'hmacSha256' | 'now'> | undefined;
}

const DEFAULT_TOLERANCE_SECONDS = 300;

/**
 * Verifies a webhook, on the side of its receiver: resolves with the parsed body of a message that one of the secrets
 * has signed and that is not old. Rejects with `authentication` otherwise, and with `RangeError` when a secret is
 * empty. For messages with Standard Webhooks headers any verifier of that standard works as well.
 */
export async function verifyWebhook(given: WebhookVerification): Promise<unknown> {
  const platform = given.platform ?? createWebPlatform();
  if (given.secrets.length === 0 || given.secrets.includes('')) throw new RangeError('A webhook secret is empty');
  const fields = (given.signature ?? '').split(',').map((field) => field.split('=') as [string, string?]);
  const seconds = fields.find(([name]) => name === 't')?.[1] ?? '';
  const signatures = fields.flatMap(([name, value]) => (name === 'v1' && value !== undefined ? [value] : []));
  if (!/^\d{1,12}$/.test(seconds)) throw refusal('has no time');
  const ageSeconds = Math.abs(platform.now() / 1000 - Number(seconds));
  if (ageSeconds > (given.toleranceSeconds ?? DEFAULT_TOLERANCE_SECONDS)) throw refusal('is too old');
  let isSigned = false;
  for (const secret of given.secrets) {
    const expected = await platform.hmacSha256(secret, `${seconds},${given.body}`);
    for (const signature of signatures) isSigned = isSameText(signature, expected) || isSigned;
  }
  if (!isSigned) throw refusal('does not match');
  return JSON.parse(given.body) as unknown;
}

const refusal = (what: string): GatewayError => new GatewayError('authentication', `The webhook's signature ${what}`);

/** Compares in a time that does not depend on the difference. */
function isSameText(left: string, right: string): boolean {
  let difference = left.length ^ right.length;
  for (let at = 0; at < right.length; at += 1) difference |= left.charCodeAt(at) ^ right.charCodeAt(at);
  return difference === 0;
}
