import type { VideoOrder } from '../providers/video-contract.ts';

const SHOWN_LENGTH = 40;

/**
 * The form of an order that is stored once upstream has it: without its images, which would be written again with every
 * change of the job, and without its prompt where prompts are not to be stored.
 */
export function withoutData(order: VideoOrder, storesContent: boolean): VideoOrder {
  return {
    ...order,
    ...(!storesContent && { prompt: undefined }),
    frameImages: order.frameImages.map((frame) => ({ ...frame, image_url: cut(frame.image_url) })),
    inputReferences: order.inputReferences.map((reference) => {
      switch (reference.type) {
        case 'image_url':
          return { ...reference, image_url: cut(reference.image_url) };
        case 'audio_url':
          return { ...reference, audio_url: cut(reference.audio_url) };
        case 'video_url':
          return { ...reference, video_url: cut(reference.video_url) };
      }
    }),
  };
}

const cut = ({ url }: { readonly url: string }): { url: string } =>
  /^data:/i.test(url) ? { url: `${url.slice(0, SHOWN_LENGTH)}…` } : { url };
