import type { z } from 'zod';

import { modelListQuerySchema } from './catalog/filter-models.ts';
import type { RequestContext } from './context.ts';
import type { Surface } from './gateway.ts';
import { createChatCompletion } from './operations/create-chat-completion.ts';
import { createKey, createKeyRequestSchema } from './operations/create-key.ts';
import { generationQuerySchema, getGeneration, getGenerationContent } from './operations/get-generation.ts';
import { getHealth, getMetrics, getReady } from './operations/get-health.ts';
import { listModelEndpoints } from './operations/list-model-endpoints.ts';
import { countModels, listModels, listUserModels } from './operations/list-models.ts';
import type { GatewayResponse } from './response.ts';
import { chatCompletionResultSchema } from './schemas/chat-chunk.ts';
import { chatCompletionRequestSchema } from './schemas/chat-completion.ts';
import { generationContentSchema, generationSchema } from './schemas/generation.ts';
import { modelEndpointsSchema, modelListSchema } from './schemas/model.ts';

/** What an operation says of itself in the OpenAPI document. */
interface RouteDescription {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** `{name}` is one segment, `{name+}` one or more. Earlier routes win. */
  readonly path: string;
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly success: { readonly status: number; readonly schema?: z.ZodType };
}

/**
 * One operation of ours. `auth` says who may call it: holders of API keys alone, of management keys alone, of any key,
 * or everybody, in which case there is no principal.
 */
export type Route = RouteDescription & { readonly surface: Surface } & (
    | {
        readonly auth: 'api' | 'management' | 'any';
        readonly operation: (context: RequestContext) => Promise<GatewayResponse>;
      }
    | {
        readonly auth: 'none';
        readonly operation: (context: Pick<RequestContext, 'request' | 'runtime'>) => Promise<GatewayResponse>;
      }
  );

/** Every operation, a line each where it fits. */
export const ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/v1/chat/completions',
    surface: 'api',
    auth: 'api',
    summary: 'Create a chat completion, streamed or not',
    body: chatCompletionRequestSchema,
    success: { status: 200, schema: chatCompletionResultSchema },
    operation: createChatCompletion,
  },
  {
    method: 'GET',
    path: '/api/v1/models',
    surface: 'api',
    auth: 'any',
    summary: 'List models',
    query: modelListQuerySchema,
    success: { status: 200, schema: modelListSchema },
    operation: listModels,
  },
  {
    method: 'GET',
    path: '/api/v1/models/user',
    surface: 'api',
    auth: 'any',
    summary: 'List the models that the account may use',
    query: modelListQuerySchema,
    success: { status: 200, schema: modelListSchema },
    operation: listUserModels,
  },
  {
    method: 'GET',
    path: '/api/v1/models/count',
    surface: 'api',
    auth: 'any',
    summary: 'Count models',
    success: { status: 200 },
    operation: countModels,
  },
  {
    method: 'GET',
    path: '/api/v1/models/{author}/{slug+}/endpoints',
    surface: 'api',
    auth: 'any',
    summary: 'List the endpoints of a model',
    success: { status: 200, schema: modelEndpointsSchema },
    operation: listModelEndpoints,
  },
  {
    method: 'GET',
    path: '/api/v1/generation',
    surface: 'api',
    auth: 'any',
    summary: 'Get the record of a generation',
    query: generationQuerySchema,
    success: { status: 200, schema: generationSchema },
    operation: getGeneration,
  },
  {
    method: 'GET',
    path: '/api/v1/generation/content',
    surface: 'api',
    auth: 'any',
    summary: 'Get the stored prompt and completion of a generation',
    query: generationQuerySchema,
    success: { status: 200, schema: generationContentSchema },
    operation: getGenerationContent,
  },
  {
    method: 'POST',
    path: '/api/v1/keys',
    surface: 'api',
    auth: 'management',
    summary: 'Create a key; it is shown once',
    body: createKeyRequestSchema,
    success: { status: 201 },
    operation: createKey,
  },
  {
    method: 'GET',
    path: '/health',
    surface: 'health',
    auth: 'none',
    summary: 'Whether the process answers',
    success: { status: 200 },
    operation: getHealth,
  },
  {
    method: 'GET',
    path: '/ready',
    surface: 'health',
    auth: 'none',
    summary: 'Whether new calls are taken',
    success: { status: 200 },
    operation: getReady,
  },
  {
    method: 'GET',
    path: '/metrics',
    surface: 'metrics',
    auth: 'none',
    summary: 'Figures in the Prometheus text format',
    success: { status: 200 },
    operation: getMetrics,
  },
  {
    method: 'GET',
    path: '/openapi.json',
    surface: 'openapi',
    auth: 'none',
    summary: 'This document',
    success: { status: 200 },
    // Late, because it reads this very table, and most processes never need it.
    operation: async () => (await import('./openapi.ts')).getOpenApi(),
  },
];
