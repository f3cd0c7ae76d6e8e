import type { MediaInput, VideoDetail, VideoModel, VideoRow, WebhookDelivery } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { callApi } from '../../api/call-api.ts';
import { refreshEvery } from '../../api/queries.ts';
import type { Page } from '../../api/types.ts';
import type { Tone } from '../../parts/badge.tsx';

const MAX_JOBS = 1000;
export const WATCHED_MS = 2000;
const IDLE_MS = 20_000;

const OPEN: ReadonlySet<string> = new Set(['pending', 'in_progress']);
export const isOpen = ({ status }: { readonly status: string }): boolean => OPEN.has(status);

export const STATUS_TONES: Readonly<Record<string, Tone>> = {
  pending: 'neutral',
  in_progress: 'accent',
  completed: 'good',
  failed: 'bad',
  cancelled: 'caution',
  expired: 'caution',
};

/** The newest jobs. Asked for often while one is under way, and only while the page is in sight. */
export const videosQuery = queryOptions({
  queryKey: ['videos'],
  queryFn: ({ signal }) => callApi<Page<VideoRow>>('/admin/v1/videos', { query: { limit: MAX_JOBS }, signal }),
  refetchInterval: (query) => refreshEvery(query.state.data?.data.some(isOpen) === true ? WATCHED_MS : IDLE_MS)(query),
});

/** The times of a job, and what it was asked for while it is open; `everyMs` is how often that is read again. */
export const videoDetailQuery = (jobId: string, isJobOpen = false, everyMs: number | false = false) =>
  queryOptions({
    queryKey: ['videos', jobId, 'detail', isJobOpen],
    queryFn: async ({ signal }) => (await callApi<{ data: VideoDetail }>(`/admin/v1/videos/${jobId}`, { signal })).data,
    refetchInterval: refreshEvery(everyMs),
  });

/** What went in with the prompt of an open job, whole: it never changes. */
export const videoInputsQuery = (jobId: string) =>
  queryOptions({
    queryKey: ['videos', jobId, 'inputs'],
    queryFn: async ({ signal }) =>
      (await callApi<{ data: readonly MediaInput[] }>(`/admin/v1/videos/${jobId}/inputs`, { signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30_000,
  });

export const videoModelsQuery = queryOptions({
  queryKey: ['video-models'],
  queryFn: async ({ signal }) =>
    (await callApi<{ data: readonly VideoModel[] }>('/api/v1/videos/models', { signal })).data,
});

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: ({ signal }) =>
    callApi<Page<WebhookDelivery>>('/admin/v1/webhooks/deliveries', { query: { limit: MAX_JOBS }, signal }),
  refetchInterval: refreshEvery(5000),
});

/** Sends an announcement again. Throws `ApiError`. */
export const resendWebhook = (jobId: string): Promise<unknown> =>
  callApi(`/admin/v1/webhooks/deliveries/${jobId}/resend`, { method: 'POST' });
