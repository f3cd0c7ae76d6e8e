import { createVideo } from './videos/create-video.ts';
import { getVideo } from './videos/get-video.ts';
import { getVideoContent, videoContentQuerySchema } from './videos/get-video-content.ts';
import { listVideoModels } from './videos/list-video-models.ts';
import { videoRequestSchema } from '../wire/videos/video-request.ts';
import { ACCOUNT_ROUTES } from './account-routes.ts';
import { modelListQuerySchema } from '../catalog/filter-models.ts';
import { DESTINATION_ROUTES } from './destination-routes.ts';
import { FIXTURE_ROUTES } from './fixture-routes.ts';
import { GENERATION_ROUTES } from './generation-routes.ts';
import { GUARDRAIL_ROUTES } from './guardrail-routes.ts';
import { KEY_ROUTES } from './key-routes.ts';
import { createChatCompletion } from './chat/create-chat-completion.ts';
import { explainChatRoute, explainRouteQuerySchema, explainRouteResultSchema } from './chat/explain-route.ts';
import { generationQuerySchema, getGeneration, getGenerationContent } from './generations/get-generation.ts';
import { getHealth, getReady } from './system/get-health.ts';
import { listModelEndpoints } from './models/list-model-endpoints.ts';
import { countModels, listModels, listUserModels } from './models/list-models.ts';
import type { Route } from '../http/route.ts';
import { SESSION_ROUTES } from './session-routes.ts';
import { chatCompletionResultSchema } from '../wire/chat/chat-chunk.ts';
import { chatCompletionRequestSchema } from '../wire/chat/chat-completion.ts';
import { generationContentSchema, generationSchema } from '../wire/generations/generation.ts';
import { modelEndpointsSchema, modelListSchema } from '../wire/models/model.ts';
import { WEBHOOK_ROUTES } from './webhook-routes.ts';
import { WORKSPACE_ROUTES } from './workspace-routes.ts';

export type { Route } from '../http/route.ts';

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
    method: 'POST',
    path: '/api/v1/videos',
    surface: 'api',
    auth: 'api',
    summary: 'Start a video; the answer tells where to look for it',
    body: videoRequestSchema,
    success: { status: 202 },
    operation: createVideo,
  },
  {
    method: 'GET',
    path: '/api/v1/videos/models',
    surface: 'api',
    auth: 'any',
    summary: 'List the models that make videos, with what each can do',
    success: { status: 200 },
    operation: listVideoModels,
  },
  {
    method: 'GET',
    path: '/api/v1/videos/{jobId}',
    surface: 'api',
    auth: 'any',
    summary: 'Get a video job',
    success: { status: 200 },
    operation: getVideo,
  },
  {
    method: 'GET',
    path: '/api/v1/videos/{jobId}/content',
    surface: 'api',
    auth: 'any',
    summary: 'Get the bytes of a finished video, whole or in part',
    query: videoContentQuerySchema,
    success: { status: 200 },
    operation: getVideoContent,
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
  ...KEY_ROUTES,
  ...GUARDRAIL_ROUTES,
  ...ACCOUNT_ROUTES,
  ...WORKSPACE_ROUTES,
  ...DESTINATION_ROUTES,
  ...WEBHOOK_ROUTES,
  ...GENERATION_ROUTES,
  ...FIXTURE_ROUTES,
  ...SESSION_ROUTES,
  {
    method: 'POST',
    path: '/admin/v1/explain',
    surface: 'admin',
    auth: 'management',
    summary: 'Explain how a chat request would be routed, without calling anybody',
    query: explainRouteQuerySchema,
    body: chatCompletionRequestSchema,
    success: { status: 200, schema: explainRouteResultSchema },
    operation: explainChatRoute,
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
    operation: async (context) => (await import('./system/get-metrics.ts')).getMetrics(context),
  },
  {
    method: 'GET',
    path: '/openapi.json',
    surface: 'openapi',
    auth: 'none',
    summary: 'This document',
    success: { status: 200 },
    // Late, because it reads this very table, and most processes never need it.
    operation: async () => (await import('../http/openapi.ts')).getOpenApi(),
  },
];
