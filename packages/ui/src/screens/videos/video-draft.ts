import type { VideoModel } from '@model-gateway/core/wire';

/** A video that is about to be asked for. Empty texts leave it to the model. */
export interface VideoDraft {
  readonly prompt: string;
  readonly duration: string;
  readonly size: string;
  readonly resolution: string;
  readonly aspectRatio: string;
  readonly hasAudio: boolean;
  readonly seed: string;
  /** A data address. */
  readonly firstFrame: string | null;
  readonly callbackUrl: string;
}

/** Draft with the model's default values, as far as the model states them. */
export function toVideoDraft(model: VideoModel | undefined, prompt = ''): VideoDraft {
  return {
    prompt,
    duration: String(model?.supported_durations?.[0] ?? ''),
    size: '',
    resolution: '',
    aspectRatio: '',
    hasAudio: model?.generate_audio === true,
    seed: '',
    firstFrame: null,
    callbackUrl: '',
  };
}

/** The body of `POST /videos`. */
export function toVideoBody(model: VideoModel, draft: VideoDraft): Record<string, unknown> {
  const { prompt, duration, size, resolution, aspectRatio, hasAudio, seed, firstFrame, callbackUrl } = draft;
  return {
    model: model.id,
    user: 'playground',
    ...(prompt.trim() !== '' && { prompt }),
    ...(duration !== '' && { duration: Number(duration) }),
    ...(size !== '' && { size }),
    ...(resolution !== '' && { resolution }),
    ...(aspectRatio !== '' && { aspect_ratio: aspectRatio }),
    // Said only where the model can do it: what it cannot is refused.
    ...(model.generate_audio === true && { generate_audio: hasAudio }),
    ...(seed !== '' && { seed: Number(seed) }),
    ...(firstFrame !== null && {
      frame_images: [{ type: 'image_url', image_url: { url: firstFrame }, frame_type: 'first_frame' }],
    }),
    ...(callbackUrl.trim() !== '' && { callback_url: callbackUrl.trim() }),
  };
}

/** USD, where the model's price and what is asked for tell it; null otherwise. */
export function estimatePrice({ pricing_skus: prices }: VideoModel, { duration }: VideoDraft): number | null {
  const each = Number(prices['video'] ?? 0);
  const second = Number(prices['video_second'] ?? 0);
  const isKnown = prices['video_token'] === undefined && (prices['video'] ?? prices['video_second']) !== undefined;
  if (!isKnown || (second > 0 && duration === '')) return null;
  return each + second * Number(duration);
}
