import type { Route } from '../../http/route.ts';
import { ADMIN, ANY_KEY } from '../route-groups.ts';
import type { CreateVideoParts, VideoParts } from './video-parts.ts';

/** Making videos, and the jobs that do. */
export const VIDEO_ROUTES: readonly Route<VideoParts & CreateVideoParts>[] = [
  {
    method: 'POST',
    path: '/api/v1/videos',
    surface: 'api',
    auth: 'api',
    operationId: 'createVideo',
    summary: 'Start a video; the response tells where to look for it',
    load: async () => (await import('./create-video.ts')).createVideo,
  },
  {
    ...ANY_KEY,
    method: 'GET',
    path: '/api/v1/videos/models',
    operationId: 'listVideoModels',
    summary: 'List the models that make videos, with what each can do',
    load: async () => (await import('./list-video-models.ts')).listVideoModels,
  },
  {
    ...ANY_KEY,
    method: 'GET',
    path: '/api/v1/videos/{jobId}',
    operationId: 'getVideo',
    summary: 'Get a video job',
    load: async () => (await import('./get-video.ts')).getVideo,
  },
  {
    ...ANY_KEY,
    method: 'GET',
    path: '/api/v1/videos/{jobId}/content',
    operationId: 'getVideoContent',
    summary: 'Get the bytes of a finished video, whole or in part',
    load: async () => (await import('./get-video-content.ts')).getVideoContent,
  },
  {
    ...ADMIN,
    method: 'GET',
    path: '/admin/v1/videos',
    operationId: 'listVideos',
    summary: 'List video jobs, newest first',
    load: async () => (await import('./list-videos.ts')).listVideos,
  },
  {
    ...ADMIN,
    method: 'GET',
    path: '/admin/v1/videos/{jobId}',
    operationId: 'getVideoDetail',
    summary: 'Get what the time of a video job went to, and its prompt while it is open',
    load: async () => (await import('./get-video-detail.ts')).getVideoDetail,
  },
  {
    ...ADMIN,
    method: 'GET',
    path: '/admin/v1/videos/{jobId}/inputs',
    operationId: 'getVideoInputs',
    summary: 'Get the pictures, sounds and films that went in with the prompt of a video, while its job is open',
    load: async () => (await import('./get-video-inputs.ts')).getVideoInputs,
  },
];
