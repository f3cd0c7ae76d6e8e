import type { Endpoint } from '../catalog/catalog.ts';
import type { GatewayError } from '../errors.ts';
import { refuseField } from '../schemas/refuse-field.ts';
import type { VideoOrder } from '../providers/video-contract.ts';
import type { VideoRequest } from '../schemas/video-request.ts';
import type { VideoCapabilities } from './video-capabilities.ts';
import { toVideoSize, type VideoSize } from './video-size.ts';

/** Throws `invalid_request` for what the model cannot do, with the list of what it can. */
export function refuseImpossible(request: VideoRequest, capabilities: VideoCapabilities): void {
  const size = toVideoSize(request);
  if (request.prompt === undefined && !(capabilities.prompt_optional === true && hasPicture(request))) {
    throw refuseField('prompt', 'is required');
  }
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

/** What the request means to one endpoint. Pictures for the first and last frame win over other references. */
export function toVideoOrder(
  request: VideoRequest,
  endpoint: Pick<Endpoint, 'provider'>,
  capabilities: VideoCapabilities,
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
    inputReferences: frameImages.length > 0 ? [] : (request.input_references ?? []),
    previousUpstreamId,
    options: allowedOptions(request.provider?.options?.[endpoint.provider.slug] ?? {}, capabilities),
  };
}

const hasPicture = ({ frame_images: frames, input_references: references }: VideoRequest): boolean =>
  !!frames?.length || references?.some(({ type }) => type === 'image_url') === true;

function refuseUnlisted<Value>(
  path: string,
  asked: Value | null | undefined,
  able: readonly Value[] | undefined,
): void {
  if (asked == null || able === undefined || able.includes(asked)) return;
  throw refuseField(path, able.length === 0 ? 'is not supported by this model' : `must be one of ${able.join(', ')}`);
}

const unable = (path: string): GatewayError => refuseField(path, 'is not supported by this model');

/** Only what the model's entry lists goes on; the rest is dropped without a word (api reference 15.1). */
function allowedOptions(
  options: Readonly<Record<string, unknown>>,
  { allowed_passthrough_parameters: allowed }: VideoCapabilities,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(options).filter(([name]) => allowed?.includes(name) === true));
}
