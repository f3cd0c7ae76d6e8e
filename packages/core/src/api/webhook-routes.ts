import { listWebhookDeliveries, webhookDeliveriesQuerySchema } from './webhooks/list-webhook-deliveries.ts';
import { resendWebhook } from './webhooks/resend-webhook.ts';
import type { Route } from '../http/route.ts';

/** Video jobs of all keys, what became of their announcements, and sending these anew. */
export const WEBHOOK_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/admin/v1/videos',
    surface: 'admin',
    auth: 'management',
    summary: 'List video jobs, newest first',
    success: { status: 200 },
    operation: async (context) => (await import('./videos/list-videos.ts')).listVideos(context),
  },
  {
    method: 'GET',
    path: '/admin/v1/webhooks/deliveries',
    surface: 'admin',
    auth: 'management',
    summary: 'List the announcements of video jobs, newest first',
    query: webhookDeliveriesQuerySchema,
    success: { status: 200 },
    operation: listWebhookDeliveries,
  },
  {
    method: 'POST',
    path: '/admin/v1/webhooks/deliveries/{jobId}/resend',
    surface: 'admin',
    auth: 'management',
    summary: 'Send an announcement anew',
    success: { status: 202 },
    operation: resendWebhook,
  },
];
