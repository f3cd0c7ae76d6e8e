import { operation } from '../../http/operation.ts';
import { hasEnded, type VideoJob } from '../../stores/video-job.ts';
import { withPolls } from '../../videos/jobs/video-course.ts';
import { videoDetailResponseSchema, type VideoDetail } from '../../wire/videos/video-course.ts';
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
        inputs: isShown ? toInputs(job.order) : [],
      },
    };
  },
});

const SHOWN_LENGTH = 200;

function toInputs({ frameImages, inputReferences }: VideoJob['order']): VideoDetail['inputs'] {
  const cut = ({ url }: { readonly url: string }): string => url.slice(0, SHOWN_LENGTH);
  return [
    ...frameImages.map(({ image_url: link, frame_type: frame }) => ({
      type: 'image' as const,
      frame,
      origin: cut(link),
    })),
    ...inputReferences.map((reference) => {
      switch (reference.type) {
        case 'image_url':
          return { type: 'image' as const, frame: null, origin: cut(reference.image_url) };
        case 'audio_url':
          return { type: 'audio' as const, frame: null, origin: cut(reference.audio_url) };
        case 'video_url':
          return { type: 'video' as const, frame: null, origin: cut(reference.video_url) };
      }
    }),
  ];
}
