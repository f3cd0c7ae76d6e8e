import { takesNullCost } from '../../calls/attempt.ts';
import { operation } from '../../http/operation.ts';
import { firstValue } from '../../http/request.ts';
import { toVideoResponse } from '../../videos/video-job.ts';
import { videoResponseSchema } from '../../wire/videos.ts';
import { findReadableJob } from './find-readable-job.ts';
import type { VideoParts } from './video-parts.ts';

/** `GET /videos/{jobId}` */
export const getVideo = operation<VideoParts>()({
  params: ['jobId'],
  headers: { 'user-agent': 'Clients that take no unknown cost receive none' },
  response: videoResponseSchema,
  async run(context) {
    const { request, params, parts } = context;
    const job = await parts.videos.runner.lookAt(await findReadableJob(params.jobId, context));
    const video = toVideoResponse(job, request.baseUrl);
    if (video.usage?.cost !== null || takesNullCost(firstValue(request.headers['user-agent']))) return video;
    return { ...video, usage: { is_byok: video.usage.is_byok } };
  },
});
