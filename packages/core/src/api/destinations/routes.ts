import type { Route } from '../../http/route.ts';
import type { DestinationParts } from '../destinations.ts';
import { ADMIN, MANAGEMENT } from '../route-groups.ts';

/** Routes for the destinations of broadcasts and for failed deliveries. */
export const DESTINATION_ROUTES: readonly Route<DestinationParts>[] = [
  {
    ...MANAGEMENT,
    method: 'GET',
    path: '/api/v1/observability/destinations',
    wrongKey: 401,
    operationId: 'listDestinations',
    summary: 'List the destinations of a workspace',
    load: async () => (await import('../destinations.ts')).listDestinations,
  },
  {
    ...MANAGEMENT,
    method: 'POST',
    path: '/api/v1/observability/destinations',
    operationId: 'createDestination',
    summary: 'Create a destination',
    load: async () => (await import('../destinations.ts')).createDestination,
  },
  {
    ...MANAGEMENT,
    method: 'GET',
    path: '/api/v1/observability/destinations/{id}',
    wrongKey: 401,
    operationId: 'getDestination',
    summary: 'Get a destination',
    load: async () => (await import('../destinations.ts')).getDestination,
  },
  {
    ...MANAGEMENT,
    method: 'PATCH',
    path: '/api/v1/observability/destinations/{id}',
    operationId: 'updateDestination',
    summary: 'Change a destination',
    load: async () => (await import('../destinations.ts')).updateDestination,
  },
  {
    ...MANAGEMENT,
    method: 'DELETE',
    path: '/api/v1/observability/destinations/{id}',
    wrongKey: 401,
    operationId: 'deleteDestination',
    summary: 'Delete a destination',
    load: async () => (await import('../destinations.ts')).deleteDestination,
  },
  {
    ...ADMIN,
    method: 'POST',
    path: '/admin/v1/observability/destinations/{id}/test',
    operationId: 'testDestination',
    summary: 'Send a destination a request without content',
    load: async () => (await import('../destinations.ts')).testDestination,
  },
  {
    ...ADMIN,
    method: 'GET',
    path: '/admin/v1/destinations/deliveries',
    operationId: 'listBroadcastDeliveries',
    summary: 'List what has not reached its destination, newest first',
    load: async () => (await import('../destinations.ts')).listBroadcastDeliveries,
  },
  {
    ...ADMIN,
    method: 'POST',
    path: '/admin/v1/destinations/deliveries/{id}/resend',
    operationId: 'resendBroadcast',
    summary: 'Send what did not arrive anew',
    load: async () => (await import('../destinations.ts')).resendBroadcast,
  },
];
