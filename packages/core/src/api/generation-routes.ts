import type { Route } from '../http/route.ts';

/** Looking through what was called. Loaded when first called. */
export const GENERATION_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/admin/v1/generations',
    surface: 'admin',
    auth: 'management',
    summary: 'List generations, newest first',
    success: { status: 200 },
    operation: async (context) => (await import('./generations/list-generations.ts')).listGenerations(context),
  },
  {
    method: 'GET',
    path: '/admin/v1/generations/histogram',
    surface: 'admin',
    auth: 'management',
    summary: 'Count generations by time',
    success: { status: 200 },
    operation: async (context) =>
      (await import('./generations/get-generation-histogram.ts')).getGenerationHistogram(context),
  },
  {
    method: 'GET',
    path: '/admin/v1/generations/export',
    surface: 'admin',
    auth: 'management',
    summary: 'Export generations as NDJSON or CSV',
    success: { status: 200 },
    operation: async (context) => (await import('./generations/export-generations.ts')).exportGenerations(context),
  },
  {
    method: 'GET',
    path: '/admin/v1/generations/feed',
    surface: 'admin',
    auth: 'management',
    summary: 'Follow generations and video jobs as they end, as server-sent events',
    success: { status: 200 },
    operation: async (context) => (await import('./generations/follow-generations.ts')).followGenerations(context),
  },
  {
    method: 'GET',
    path: '/admin/v1/generations/{id}/timeline',
    surface: 'admin',
    auth: 'management',
    summary: 'Get when the text of a streamed answer came',
    success: { status: 200 },
    operation: async (context) =>
      (await import('./generations/get-generation-timeline.ts')).getGenerationTimeline(context),
  },
  {
    method: 'DELETE',
    path: '/admin/v1/generations/{id}',
    surface: 'admin',
    auth: 'management',
    summary: 'Delete what was asked and answered; the record stays',
    success: { status: 200 },
    operation: async (context) =>
      (await import('./generations/delete-generation-content.ts')).deleteGenerationContent(context),
  },
];
