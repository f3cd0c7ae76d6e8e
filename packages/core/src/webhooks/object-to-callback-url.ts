import type { WebhookOptions } from './webhook-options.ts';

/** Why an address can receive no webhooks, for its author; undefined for one that can. */
export function objectToCallbackUrl(url: string, { allowsHttp, objectToUrl }: WebhookOptions): string | undefined {
  const isTaken = url.startsWith('https://') || (allowsHttp === true && url.startsWith('http://'));
  return isTaken ? objectToUrl(url) : 'must begin with https://';
}

/** Throws `RangeError` for a default address that a caller could not have named. */
export function checkDefaultCallbackUrl(webhooks: WebhookOptions): void {
  const url = webhooks.defaultCallbackUrl ?? null;
  const objection = url === null ? undefined : objectToCallbackUrl(url, webhooks);
  if (objection !== undefined) throw new RangeError(`webhooks.defaultCallbackUrl ${objection}`);
}
