import type { Generation } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { callApi } from '../../../api/call-api.ts';
import { readContent } from './read-content.ts';

export const generationQuery = (id: string) =>
  queryOptions({
    queryKey: ['generation', id],
    queryFn: async ({ signal }) =>
      (await callApi<{ data: Generation }>('/api/v1/generation', { query: { id }, signal })).data,
  });

/** The prompt and the completion, where they were stored. They are large, and leave the cache soon. */
export const contentQuery = (id: string) =>
  queryOptions({
    queryKey: ['generation', id, 'content'],
    queryFn: ({ signal }) => readContent(id, signal),
    gcTime: 30_000,
    // Comparing it with what was there costs more than drawing it again.
    structuralSharing: false,
  });
