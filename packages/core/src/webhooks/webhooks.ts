import { GatewayError } from '../foundation/errors.ts';
import { createWebPlatform, type Platform } from '../foundation/platform.ts';
import { readRetryAfterSeconds, type Transport, TransportError } from '../foundation/transport.ts';

/** The result of one attempt. */
export type DeliveryOutcome =
  | { readonly isDelivered: true; readonly result: string }
  | {
      readonly isDelivered: false;
      /** A few words without addresses or anything that the receiver wrote. */
      readonly result: string;
      /** The receiver accepts no further attempt. */
      readonly isFinal: boolean;
      readonly retryAfterSeconds?: number | undefined;
    };

const ATTEMPT_TIMEOUT_MS = 15_000;
const GONE = 410;

/** Sends a message once. Only a response with status 2xx is a success; a redirect is not followed. Never rejects. */
export async function deliverWebhook(
  url: string,
  message: WebhookMessage,
  { signingSecrets = [], transport }: WebhookOptions,
  platform: Platform,
): Promise<DeliveryOutcome> {
  const finished = new AbortController();
  try {
    const { status, headers } = await transport.send({
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'model-gateway',
        'x-service-idempotency-key': message.id,
        'x-openrouter-idempotency-key': message.id,
        ...(await signWebhook(message, signingSecrets, platform)),
      },
      body: message.body,
      signal: finished.signal,
      headersTimeoutMs: ATTEMPT_TIMEOUT_MS,
      idleTimeoutMs: ATTEMPT_TIMEOUT_MS,
      totalTimeoutMs: ATTEMPT_TIMEOUT_MS,
    });
    if (status >= 200 && status < 300) return { isDelivered: true, result: `HTTP ${status}` };
    const retryAfterSeconds = readRetryAfterSeconds(headers, platform.now());
    return { isDelivered: false, result: `HTTP ${status}`, isFinal: status === GONE, retryAfterSeconds };
  } catch (error) {
    return { isDelivered: false, result: describeFailure(error), isFinal: false };
  } finally {
    // The body of the response is not used; this closes the connection.
    finished.abort();
  }
}

function describeFailure(error: unknown): string {
  if (!(error instanceof TransportError)) return 'failed';
  return error.timedOut ? 'timed out' : error.message;
}

interface WebhookMessage {
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

const MIN_SECRET_LENGTH = 24;
const PREFIX = 'whsec_';

/** Describes why a secret may not sign webhooks, for the operator; undefined for an allowed one. */
export function findWebhookSecretProblem(secret: string): string | undefined {
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
function toStandardKey(secret: string): Uint8Array {
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

/** The options that webhooks about the end of jobs require. */
export interface WebhookOptions {
  /** Newest first; all of them sign. None: messages are sent unsigned. */
  readonly signingSecrets?: readonly string[] | undefined;
  /** Receives the webhooks of every job without an address of its own or its workspace's. As strict as for callers. */
  readonly defaultCallbackUrl?: string | null | undefined;
  /** Also accepts addresses that are not encrypted, for receivers on the same machine. Default: no. */
  readonly allowsHttp?: boolean | undefined;
  /** Must refuse internal addresses: `createGuardedTransport` does on Node. */
  readonly transport: Transport;
  /** Describes why a URL can never be called, for its author; undefined for an allowed URL. */
  readonly findUrlProblem: (url: string) => string | undefined;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Waits after the first, second, … failed attempt: ten attempts over about 75 hours. */
const WAITS_MS = [
  5000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

const LONGEST_DELAY_MS = MAX_RETRY_AFTER_MS * 1.1;

export const MAX_DELIVERY_ATTEMPTS = WAITS_MS.length + 1;

interface FailedAttempt {
  /** How many attempts there have been, this one included. */
  readonly attempts: number;
  /** The wait that the receiver requires. */
  readonly retryAfterSeconds?: number | undefined;
}

/**
 * The wait until the stored time of an attempt, in milliseconds. It is no longer than any wait of the schedule, because
 * the clock may have been set back since the time was stored.
 */
export function remainingDelayMs(nextAttemptAt: number, nowMs: number): number {
  return Math.min(Math.max(nextAttemptAt - nowMs, 0), LONGEST_DELAY_MS);
}

/**
 * The wait before the next attempt, in milliseconds; null when there is none left. Up to a tenth is added by `random`
 * (0 to 1), so that deliveries that failed together are not repeated together.
 */
export function nextDeliveryDelayMs(failed: FailedAttempt, random: number): number | null {
  const wait = WAITS_MS[failed.attempts - 1];
  if (wait === undefined) return null;
  const asked = Math.min((failed.retryAfterSeconds ?? 0) * 1000, MAX_RETRY_AFTER_MS);
  // A time that the receiver names takes precedence over the schedule, whether shorter or longer.
  const base = failed.retryAfterSeconds === undefined ? wait : Math.max(asked, 1000);
  return Math.round(base * (1 + random / 10));
}

/** Why an address can receive no webhooks, for its author; undefined for one that can. */
export function findCallbackUrlProblem(
  url: string,
  { allowsHttp, findUrlProblem }: WebhookOptions,
): string | undefined {
  const isTaken = url.startsWith('https://') || (allowsHttp === true && url.startsWith('http://'));
  return isTaken ? findUrlProblem(url) : 'must begin with https://';
}

/** Throws `RangeError` for a default address that a caller could not have named. */
export function checkDefaultCallbackUrl(webhooks: WebhookOptions): void {
  const url = webhooks.defaultCallbackUrl ?? null;
  const problem = url === null ? undefined : findCallbackUrlProblem(url, webhooks);
  if (problem !== undefined) throw new RangeError(`webhooks.defaultCallbackUrl ${problem}`);
}

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
