import type { Route } from '../../http/route.ts';
import type { GenerationParts } from './generation-parts.ts';

/** Routes for the records of calls: single ones, and lists, searches and exports. */
export const GENERATION_ROUTES: readonly Route<GenerationParts>[] = [
  {
    method: 'GET',
    path: '/api/v1/generation',
    surface: 'api',
    auth: 'any',
    summary: 'Get the record of a generation',
    load: async () => (await import('./get-generation.ts')).getGeneration,
  },
  {
    method: 'GET',
    path: '/api/v1/generation/content',
    surface: 'api',
    auth: 'any',
    summary: 'Get the stored prompt and completion of a generation',
    load: async () => (await import('./get-generation-content.ts')).getGenerationContent,
  },
  {
    method: 'POST',
    path: '/api/v1/generation/feedback',
    surface: 'api',
    auth: 'any',
    summary: 'Say something about a generation',
    load: async () => (await import('./submit-generation-feedback.ts')).submitGenerationFeedback,
  },
  {
    method: 'GET',
    path: '/admin/v1/generations',
    surface: 'admin',
    auth: 'management',
    summary: 'List generations, newest first',
    load: async () => (await import('./list-generations.ts')).listGenerations,
  },
  {
    method: 'GET',
    path: '/admin/v1/generations/histogram',
    surface: 'admin',
    auth: 'management',
    summary: 'Count generations by time',
    load: async () => (await import('./get-generation-histogram.ts')).getGenerationHistogram,
  },
  {
    method: 'GET',
    path: '/admin/v1/generations/export',
    surface: 'admin',
    auth: 'management',
    summary: 'Export generations as NDJSON or CSV',
    load: async () => (await import('./export-generations.ts')).exportGenerations,
  },
  {
    method: 'GET',
    path: '/admin/v1/generations/feed',
    surface: 'admin',
    auth: 'management',
    summary: 'Follow generations and video jobs as they end, as server-sent events',
    load: async () => (await import('./follow-generations.ts')).followGenerations,
  },
  {
    method: 'GET',
    path: '/admin/v1/generations/{id}/timeline',
    surface: 'admin',
    auth: 'management',
    summary: 'Get when the text of a streamed answer came',
    load: async () => (await import('./get-generation-timeline.ts')).getGenerationTimeline,
  },
  {
    method: 'DELETE',
    path: '/admin/v1/generations/{id}',
    surface: 'admin',
    auth: 'management',
    summary: 'Delete what was asked and answered; the record stays',
    load: async () => (await import('./delete-generation-content.ts')).deleteGenerationContent,
  },
];
