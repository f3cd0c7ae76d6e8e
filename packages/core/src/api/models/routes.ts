import type { Route } from '../../http/route.ts';
import type { ModelParts } from '../models.ts';
import { ANY_KEY } from '../route-groups.ts';

/** Models and their endpoints. */
export const MODEL_ROUTES: readonly Route<ModelParts>[] = [
  {
    ...ANY_KEY,
    method: 'GET',
    path: '/api/v1/models',
    operationId: 'listModels',
    summary: 'List models',
    load: async () => (await import('../models.ts')).listModels,
  },
  {
    ...ANY_KEY,
    method: 'GET',
    path: '/api/v1/models/user',
    operationId: 'listUserModels',
    summary: 'List the models that the account may use',
    load: async () => (await import('../models.ts')).listUserModels,
  },
  {
    ...ANY_KEY,
    method: 'GET',
    path: '/api/v1/models/count',
    operationId: 'countModels',
    summary: 'Count models',
    load: async () => (await import('../models.ts')).countModels,
  },
  {
    ...ANY_KEY,
    method: 'GET',
    path: '/api/v1/models/{author}/{slug+}/endpoints',
    operationId: 'listModelEndpoints',
    summary: 'List the endpoints of a model',
    load: async () => (await import('../models.ts')).listModelEndpoints,
  },
  {
    ...ANY_KEY,
    method: 'GET',
    path: '/api/v1/endpoints/zdr',
    operationId: 'listZdrEndpoints',
    summary: 'List the endpoints that keep nothing of what they are sent',
    load: async () => (await import('../models.ts')).listZdrEndpoints,
  },
  {
    ...ANY_KEY,
    method: 'GET',
    path: '/api/v1/model/{author}/{slug+}',
    operationId: 'getModel',
    summary: 'Get a model',
    load: async () => (await import('../models.ts')).getModel,
  },
  {
    ...ANY_KEY,
    method: 'GET',
    path: '/api/v1/models/{id}',
    operationId: 'retrieveModel',
    summary: 'Get a model as OpenAI clients ask for it',
    load: async () => (await import('../models.ts')).retrieveModel,
  },
];
