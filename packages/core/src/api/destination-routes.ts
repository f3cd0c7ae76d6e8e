import type { Route } from '../http/route.ts';

/** Testing destinations, what did not reach them, and sending it anew. Loaded when first called. */
export const DESTINATION_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/admin/v1/observability/destinations/{id}/test',
    surface: 'admin',
    auth: 'management',
    summary: 'Send a destination a request without content',
    success: { status: 200 },
    operation: async (context) => (await import('./destinations/test-destination.ts')).testDestination(context),
  },
  {
    method: 'GET',
    path: '/admin/v1/destinations/deliveries',
    surface: 'admin',
    auth: 'management',
    summary: 'List what has not reached its destination, newest first',
    success: { status: 200 },
    operation: async (context) =>
      (await import('./destinations/list-broadcast-deliveries.ts')).listBroadcastDeliveries(context),
  },
  {
    method: 'POST',
    path: '/admin/v1/destinations/deliveries/{id}/resend',
    surface: 'admin',
    auth: 'management',
    summary: 'Send what did not arrive anew',
    success: { status: 202 },
    operation: async (context) => (await import('./destinations/resend-broadcast.ts')).resendBroadcast(context),
  },
];
