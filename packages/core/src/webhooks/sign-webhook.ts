import type { Platform } from '../foundation/platform.ts';
import { toStandardKey } from './webhook-secret.ts';

export interface WebhookMessage {
  /** The same for every attempt; receivers drop what they have seen. */
  readonly id: string;
  /** The exact text of the body. */
  readonly body: string;
}

/**
 * Headers that show a receiver the source, integrity and age of a message, in two schemes, for a verifier of either:
 * - `x-service-signature`, `x-openrouter-signature`: `t=<seconds>,v1=<hex>`, over time, comma and body (wire.md 15.6);
 * - `webhook-id`, `-timestamp`, `-signature`: Standard Webhooks 1.0, over id, time and body with dots between.
 *
 * Each secret adds a `v1`, or a signature after a space; several sign during a change, none without a secret.
 */
export async function signWebhook(
  message: WebhookMessage,
  secrets: readonly string[],
  platform: Pick<Platform, 'hmacSha256' | 'now'>,
): Promise<Record<string, string>> {
  const seconds = String(Math.floor(platform.now() / 1000));
  const headers: Record<string, string> = { 'webhook-id': message.id, 'webhook-timestamp': seconds };
  if (secrets.length === 0) return headers;
  const timed: string[] = [];
  const standard: string[] = [];
  for (const secret of secrets) {
    timed.push(`v1=${await platform.hmacSha256(secret, `${seconds},${message.body}`)}`);
    const signed = `${message.id}.${seconds}.${message.body}`;
    standard.push(`v1,${hexToBase64(await platform.hmacSha256(toStandardKey(secret), signed))}`);
  }
  const signature = [`t=${seconds}`, ...timed].join(',');
  headers['x-service-signature'] = signature;
  headers['x-openrouter-signature'] = signature;
  headers['webhook-signature'] = standard.join(' ');
  return headers;
}

function hexToBase64(hex: string): string {
  let bytes = '';
  for (let at = 0; at < hex.length; at += 2) bytes += String.fromCharCode(Number.parseInt(hex.slice(at, at + 2), 16));
  return btoa(bytes);
}
