import { operation } from '../../http/operation.ts';
import { toVideoResponse } from '../../videos/to-video-response.ts';
import { videoResponseSchema } from '../../wire/videos/video-response.ts';
import { findReadableJob } from './find-readable-job.ts';
import type { VideoParts } from './video-parts.ts';

/** `GET /videos/{jobId}` */
export const getVideo = operation<VideoParts>()({
  params: ['jobId'],
  response: videoResponseSchema,
  async run(context) {
    return toVideoResponse(await findReadableJob(context.params.jobId, context), context.request.baseUrl);
  },
});
