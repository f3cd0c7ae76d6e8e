import type { Route } from '../../http/route.ts';
import type { CreateVideoParts, VideoParts } from './video-parts.ts';

/** Making videos, and the jobs that do. */
export const VIDEO_ROUTES: readonly Route<VideoParts & CreateVideoParts>[] = [
  {
    method: 'POST',
    path: '/api/v1/videos',
    surface: 'api',
    auth: 'api',
    summary: 'Start a video; the answer tells where to look for it',
    load: async () => (await import('./create-video.ts')).createVideo,
  },
  {
    method: 'GET',
    path: '/api/v1/videos/models',
    surface: 'api',
    auth: 'any',
    summary: 'List the models that make videos, with what each can do',
    load: async () => (await import('./list-video-models.ts')).listVideoModels,
  },
  {
    method: 'GET',
    path: '/api/v1/videos/{jobId}',
    surface: 'api',
    auth: 'any',
    summary: 'Get a video job',
    load: async () => (await import('./get-video.ts')).getVideo,
  },
  {
    method: 'GET',
    path: '/api/v1/videos/{jobId}/content',
    surface: 'api',
    auth: 'any',
    summary: 'Get the bytes of a finished video, whole or in part',
    load: async () => (await import('./get-video-content.ts')).getVideoContent,
  },
  {
    method: 'GET',
    path: '/admin/v1/videos',
    surface: 'admin',
    auth: 'management',
    summary: 'List video jobs, newest first',
    load: async () => (await import('./list-videos.ts')).listVideos,
  },
];
