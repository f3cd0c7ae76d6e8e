import { objectToCallbackUrl, type WebhookOptions } from '../../webhooks/webhooks.ts';
import { refuseField } from '../../wire/fields.ts';

/**
 * Throws `invalid_request` for an address that can receive no webhooks; none is fine. Without options the gateway sends
 * none.
 */
export function refuseCallbackUrl(
  field: string,
  url: string | null | undefined,
  webhooks: WebhookOptions | undefined,
): void {
  if (url == null) return;
  const objection =
    webhooks === undefined ? 'cannot be used: this gateway sends no webhooks' : objectToCallbackUrl(url, webhooks);
  if (objection !== undefined) throw refuseField(field, objection);
}
