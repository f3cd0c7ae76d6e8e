import type { Route } from '../../http/route.ts';
import { ADMIN } from '../route-groups.ts';
import type { WebhookParts } from '../webhooks.ts';

/** Routes for the deliveries of webhooks about video jobs. */
export const WEBHOOK_ROUTES: readonly Route<WebhookParts>[] = [
  {
    ...ADMIN,
    method: 'GET',
    path: '/admin/v1/webhooks/deliveries',
    operationId: 'listWebhookDeliveries',
    summary: 'List the announcements of video jobs, newest first',
    load: async () => (await import('../webhooks.ts')).listWebhookDeliveries,
  },
  {
    ...ADMIN,
    method: 'POST',
    path: '/admin/v1/webhooks/deliveries/{jobId}/resend',
    operationId: 'resendWebhook',
    summary: 'Send an announcement anew',
    load: async () => (await import('../webhooks.ts')).resendWebhook,
  },
];
