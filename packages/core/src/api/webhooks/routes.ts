import type { Route } from '../../http/route.ts';
import type { WebhookParts } from './webhook-parts.ts';

/** Routes for the deliveries of webhooks about video jobs. */
export const WEBHOOK_ROUTES: readonly Route<WebhookParts>[] = [
  {
    method: 'GET',
    path: '/admin/v1/webhooks/deliveries',
    surface: 'admin',
    auth: 'management',
    summary: 'List the announcements of video jobs, newest first',
    load: async () => (await import('./list-webhook-deliveries.ts')).listWebhookDeliveries,
  },
  {
    method: 'POST',
    path: '/admin/v1/webhooks/deliveries/{jobId}/resend',
    surface: 'admin',
    auth: 'management',
    summary: 'Send an announcement anew',
    load: async () => (await import('./resend-webhook.ts')).resendWebhook,
  },
];
