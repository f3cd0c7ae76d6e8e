import type { Route } from '../../http/route.ts';
import { ADMIN, ANY_KEY } from '../route-groups.ts';
import type { GenerationParts } from './generation-parts.ts';

/** Routes for the records of calls: single ones, and lists, searches and exports. */
export const GENERATION_ROUTES: readonly Route<GenerationParts>[] = [
  {
    ...ANY_KEY,
    method: 'GET',
    path: '/api/v1/generation',
    operationId: 'getGeneration',
    summary: 'Get the record of a generation',
    load: async () => (await import('./get-generation.ts')).getGeneration,
  },
  {
    ...ANY_KEY,
    method: 'GET',
    path: '/api/v1/generation/content',
    operationId: 'getGenerationContent',
    summary: 'Get the stored prompt and completion of a generation',
    load: async () => (await import('./get-generation-content.ts')).getGenerationContent,
  },
  {
    ...ANY_KEY,
    method: 'POST',
    path: '/api/v1/generation/feedback',
    operationId: 'submitGenerationFeedback',
    summary: 'Say something about a generation',
    load: async () => (await import('./submit-generation-feedback.ts')).submitGenerationFeedback,
  },
  {
    ...ADMIN,
    method: 'GET',
    path: '/admin/v1/generations',
    operationId: 'listGenerations',
    summary: 'List generations, newest first',
    load: async () => (await import('./list-generations.ts')).listGenerations,
  },
  {
    ...ADMIN,
    method: 'GET',
    path: '/admin/v1/generations/histogram',
    operationId: 'getGenerationHistogram',
    summary: 'Count generations by time',
    load: async () => (await import('./get-generation-histogram.ts')).getGenerationHistogram,
  },
  {
    ...ADMIN,
    method: 'GET',
    path: '/admin/v1/generations/export',
    operationId: 'exportGenerations',
    summary: 'Export generations as NDJSON or CSV',
    load: async () => (await import('./export-generations.ts')).exportGenerations,
  },
  {
    ...ADMIN,
    method: 'GET',
    path: '/admin/v1/generations/feed',
    operationId: 'followGenerations',
    summary: 'Follow generations and video jobs as they end, as server-sent events',
    load: async () => (await import('./follow-generations.ts')).followGenerations,
  },
  {
    ...ADMIN,
    method: 'GET',
    path: '/admin/v1/generations/{id}/timeline',
    operationId: 'getGenerationTimeline',
    summary: 'Get when the text of a streamed completion came',
    load: async () => (await import('./get-generation-timeline.ts')).getGenerationTimeline,
  },
  {
    ...ADMIN,
    method: 'GET',
    path: '/admin/v1/generations/{id}/course',
    operationId: 'getGenerationCourse',
    summary: 'Get what the time of a call went to, and how it was routed',
    load: async () => (await import('./get-generation-course.ts')).getGenerationCourse,
  },
  {
    ...ADMIN,
    method: 'DELETE',
    path: '/admin/v1/generations/{id}',
    operationId: 'deleteGenerationContent',
    summary: 'Delete the prompt and the completion; the record stays',
    load: async () => (await import('./delete-generation-content.ts')).deleteGenerationContent,
  },
];
