import { operation } from '../../http/operation.ts';
import { hasEnded } from '../../stores/video-jobs.ts';
import { toInputs, withPolls } from '../../videos/video-job.ts';
import type { MediaInput } from '../../wire/generation.ts';
import { videoDetailResponseSchema, type VideoDetail } from '../../wire/videos.ts';
import { findReadableJob } from './find-readable-job.ts';
import type { VideoParts } from './video-parts.ts';

/**
 * `GET /admin/v1/videos/{jobId}`: what the time of a job went to, and its prompt while it is open. Later the prompt is
 * read with the generation alone, so that deleting it there is enough.
 */
export const getVideoDetail = operation<VideoParts>()({
  params: ['jobId'],
  response: videoDetailResponseSchema,
  async run(context) {
    const { videos, logging } = context.parts;
    const job = await findReadableJob(context.params.jobId, context);
    const isShown = !hasEnded(job) && logging.inputOutput && job.region === undefined;
    return {
      data: {
        id: job.id,
        course: job.course === undefined ? null : withPolls(job.course, videos.runner.pollsOf(job.id)),
        prompt: isShown ? (job.order.prompt ?? null) : null,
        inputs: isShown ? toInputs(job.order).map(cut) : [],
      },
    };
  },
});

const SHOWN_LENGTH = 200;

const cut = ({ url, ...input }: MediaInput): VideoDetail['inputs'][number] => ({
  ...input,
  origin: url.length > SHOWN_LENGTH ? `${url.slice(0, SHOWN_LENGTH)}…` : url,
});
