import type { VideoOrder } from '../providers/video-contract.ts';
import type { MediaInput } from '../wire/generation.ts';

/** What goes in with the prompt of an order. */
export function toInputs({ frameImages, inputReferences }: VideoOrder): MediaInput[] {
  return [
    ...frameImages.map(({ image_url: { url }, frame_type: frame }): MediaInput => ({ type: 'image', frame, url })),
    ...inputReferences.map((reference): MediaInput => {
      switch (reference.type) {
        case 'image_url':
          return { type: 'image', frame: null, url: reference.image_url.url };
        case 'audio_url':
          return { type: 'audio', frame: null, url: reference.audio_url.url };
        case 'video_url':
          return { type: 'video', frame: null, url: reference.video_url.url };
      }
    }),
  ];
}

export const isData = (url: string): boolean => /^data:/i.test(url);

/** The inputs of open jobs, whole: a stored job has no more than the beginning of data, as it is written often. */
export interface HeldInputs {
  hold(jobId: string, order: VideoOrder): void;
  /** Those of a job; without its data where that is not held, as after a restart. */
  of(jobId: string, order: VideoOrder): MediaInput[];
  drop(jobId: string): void;
}

/** Of all jobs together. The oldest are let go of first. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

/** Creates it empty. What is longer than `maxLength` is not held. */
export function createHeldInputs(maxLength: number): HeldInputs {
  const held = new Map<string, { readonly inputs: MediaInput[]; readonly length: number }>();
  let length = 0;
  const drop = (jobId: string): void => {
    length -= held.get(jobId)?.length ?? 0;
    held.delete(jobId);
  };
  return {
    hold(jobId, order) {
      const inputs = toInputs(order);
      const added = inputs.reduce((sum, { url }) => sum + url.length, 0);
      if (added === 0 || added > maxLength) return;
      held.set(jobId, { inputs, length: added });
      length += added;
      for (const oldest of held.keys()) {
        if (length <= MAX_CHARACTERS) break;
        drop(oldest);
      }
    },
    of: (jobId, order) => held.get(jobId)?.inputs ?? toInputs(order).filter(({ url }) => !isData(url)),
    drop,
  };
}
