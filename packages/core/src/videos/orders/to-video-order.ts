import type { Endpoint } from '../../catalog/catalog.ts';
import type { GatewayError } from '../../foundation/errors.ts';
import type { VideoOrder } from '../../providers/video-contract.ts';
import { refuseField } from '../../wire/fields.ts';
import type { VideoAbilities, VideoRequest } from '../../wire/videos.ts';
import { toVideoSize, type VideoSize } from './video-size.ts';

/** Throws `invalid_request` for what the model cannot do, with the list of what it can. */
export function refuseImpossible(request: VideoRequest, capabilities: VideoAbilities): void {
  const size = toVideoSize(request);
  if (request.prompt === undefined && !(capabilities.prompt_optional === true && hasPicture(request))) {
    throw refuseField('prompt', 'is required');
  }
  refusePictures(request, capabilities);
  refuseUnlisted('duration', request.duration, capabilities.supported_durations);
  refuseUnlisted('size', size.size, capabilities.supported_sizes);
  refuseUnlisted('resolution', size.resolution, capabilities.supported_resolutions);
  refuseUnlisted('aspect_ratio', size.aspectRatio, capabilities.supported_aspect_ratios);
  request.frame_images?.forEach(({ frame_type: frame }, index) =>
    refuseUnlisted(`frame_images.${index}.frame_type`, frame, capabilities.supported_frame_images),
  );
  if (request.generate_audio === true && capabilities.generate_audio === false) throw unable('generate_audio');
  if (request.seed != null && capabilities.seed === false) throw unable('seed');
  if (request.creativity != null && capabilities.creativity === false) throw unable('creativity');
  if (request.previous_job_id != null && capabilities.continuation === false) throw unable('previous_job_id');
  const range = capabilities.upscale_factor;
  const factor = request.upscale_factor;
  if (factor != null && range !== undefined && (factor < range.min || factor > range.max)) {
    throw refuseField('upscale_factor', `must be between ${range.min} and ${range.max} for this model`);
  }
}

/** Frame images replace references; sounds and videos that the model cannot use are left out (wire.md 15.1). */
export function toVideoOrder(
  request: VideoRequest,
  endpoint: Pick<Endpoint, 'provider'>,
  capabilities: VideoAbilities,
  previousUpstreamId: string | undefined,
): VideoOrder {
  const size: VideoSize = toVideoSize(request);
  const frameImages = request.frame_images ?? [];
  return {
    prompt: request.prompt,
    durationSeconds: request.duration ?? undefined,
    size: size.size,
    resolution: size.resolution,
    aspectRatio: size.aspectRatio,
    generateAudio: request.generate_audio ?? capabilities.generate_audio ?? false,
    seed: request.seed ?? undefined,
    creativity: request.creativity ?? undefined,
    upscaleFactor: request.upscale_factor ?? undefined,
    frameImages,
    inputReferences: frameImages.length > 0 ? [] : usableReferences(request, capabilities),
    previousUpstreamId,
    options: allowedOptions(request.provider?.options?.[endpoint.provider.slug] ?? {}, capabilities),
  };
}

const hasPicture = ({ frame_images: frames, input_references: references }: VideoRequest): boolean =>
  !!frames?.length || references?.some(({ type }) => type === 'image_url') === true;

function refusePictures(request: VideoRequest, { inputModalities }: VideoAbilities): void {
  if (inputModalities === undefined || inputModalities.includes('image') || !hasPicture(request)) return;
  const field = request.frame_images?.length ? 'frame_images' : 'input_references';
  throw refuseField(field, `pictures are not supported by this model, which takes ${inputModalities.join(', ')}`);
}

function usableReferences(
  { input_references: references }: VideoRequest,
  { inputModalities }: VideoAbilities,
): VideoOrder['inputReferences'] {
  return (references ?? []).filter(({ type }) => inputModalities?.includes(type.replace('_url', '')) ?? true);
}

function refuseUnlisted<Value>(
  path: string,
  asked: Value | null | undefined,
  able: readonly Value[] | undefined,
): void {
  if (asked == null || able === undefined || able.includes(asked)) return;
  throw refuseField(path, able.length === 0 ? 'is not supported by this model' : `must be one of ${able.join(', ')}`);
}

const unable = (path: string): GatewayError => refuseField(path, 'is not supported by this model');

/** Only options that the model's entry lists are sent; the rest is dropped silently (wire.md 15.1). */
function allowedOptions(
  options: Readonly<Record<string, unknown>>,
  { allowed_passthrough_parameters: allowed }: VideoAbilities,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(options).filter(([name]) => allowed?.includes(name) === true));
}
