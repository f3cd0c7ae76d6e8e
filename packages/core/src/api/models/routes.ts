import type { Route } from '../../http/route.ts';
import type { ModelParts } from './model-parts.ts';

/** Models and their endpoints. */
export const MODEL_ROUTES: readonly Route<ModelParts>[] = [
  {
    method: 'GET',
    path: '/api/v1/models',
    surface: 'api',
    auth: 'any',
    summary: 'List models',
    load: async () => (await import('./list-models.ts')).listModels,
  },
  {
    method: 'GET',
    path: '/api/v1/models/user',
    surface: 'api',
    auth: 'any',
    summary: 'List the models that the account may use',
    load: async () => (await import('./list-user-models.ts')).listUserModels,
  },
  {
    method: 'GET',
    path: '/api/v1/models/count',
    surface: 'api',
    auth: 'any',
    summary: 'Count models',
    load: async () => (await import('./count-models.ts')).countModels,
  },
  {
    method: 'GET',
    path: '/api/v1/models/{author}/{slug+}/endpoints',
    surface: 'api',
    auth: 'any',
    summary: 'List the endpoints of a model',
    load: async () => (await import('./list-model-endpoints.ts')).listModelEndpoints,
  },
  {
    method: 'GET',
    path: '/api/v1/endpoints/zdr',
    surface: 'api',
    auth: 'any',
    summary: 'List the endpoints that keep nothing of what they are sent',
    load: async () => (await import('./list-zdr-endpoints.ts')).listZdrEndpoints,
  },
];
