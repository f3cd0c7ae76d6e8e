import { operation } from '../../http/operation.ts';
import { hasEnded } from '../../stores/video-jobs.ts';
import { videoInputsResponseSchema } from '../../wire/videos.ts';
import { findReadableJob } from './find-readable-job.ts';
import type { VideoParts } from './video-parts.ts';

/**
 * `GET /admin/v1/videos/{jobId}/inputs`: what went in with the prompt of an open job, whole. Later it is read with the
 * generation alone, as the prompt.
 */
export const getVideoInputs = operation<VideoParts>()({
  params: ['jobId'],
  response: videoInputsResponseSchema,
  async run(context) {
    const { videos, logging } = context.parts;
    const job = await findReadableJob(context.params.jobId, context);
    const isShown = !hasEnded(job) && logging.inputOutput && job.region === undefined;
    return { data: isShown ? videos.runner.inputsOf(job) : [] };
  },
});
