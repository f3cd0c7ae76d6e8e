import type { Route } from '../../http/route.ts';
import type { DestinationParts } from './destination-parts.ts';

/** Routes for the destinations of broadcasts and for failed deliveries. */
export const DESTINATION_ROUTES: readonly Route<DestinationParts>[] = [
  {
    method: 'GET',
    path: '/api/v1/observability/destinations',
    surface: 'api',
    auth: 'management',
    wrongKey: 401,
    summary: 'List the destinations of a workspace',
    load: async () => (await import('./list-destinations.ts')).listDestinations,
  },
  {
    method: 'POST',
    path: '/api/v1/observability/destinations',
    surface: 'api',
    auth: 'management',
    summary: 'Create a destination',
    load: async () => (await import('./create-destination.ts')).createDestination,
  },
  {
    method: 'GET',
    path: '/api/v1/observability/destinations/{id}',
    surface: 'api',
    auth: 'management',
    wrongKey: 401,
    summary: 'Get a destination',
    load: async () => (await import('./get-destination.ts')).getDestination,
  },
  {
    method: 'PATCH',
    path: '/api/v1/observability/destinations/{id}',
    surface: 'api',
    auth: 'management',
    summary: 'Change a destination',
    load: async () => (await import('./update-destination.ts')).updateDestination,
  },
  {
    method: 'DELETE',
    path: '/api/v1/observability/destinations/{id}',
    surface: 'api',
    auth: 'management',
    wrongKey: 401,
    summary: 'Delete a destination',
    load: async () => (await import('./delete-destination.ts')).deleteDestination,
  },
  {
    method: 'POST',
    path: '/admin/v1/observability/destinations/{id}/test',
    surface: 'admin',
    auth: 'management',
    summary: 'Send a destination a request without content',
    load: async () => (await import('./test-destination.ts')).testDestination,
  },
  {
    method: 'GET',
    path: '/admin/v1/destinations/deliveries',
    surface: 'admin',
    auth: 'management',
    summary: 'List what has not reached its destination, newest first',
    load: async () => (await import('./list-broadcast-deliveries.ts')).listBroadcastDeliveries,
  },
  {
    method: 'POST',
    path: '/admin/v1/destinations/deliveries/{id}/resend',
    surface: 'admin',
    auth: 'management',
    summary: 'Send what did not arrive anew',
    load: async () => (await import('./resend-broadcast.ts')).resendBroadcast,
  },
];
