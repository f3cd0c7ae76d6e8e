import { type CallKind, type CostBound, minTokensOf } from '../calls/call-kind.ts';
import { checked, fields, media, type Place, record, recordWithMedia, text } from '../calls/text-places.ts';
import { type RequestText, toVisitor } from '../calls/texts.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import { attoToNano, type UnitPrices } from '../catalog/prices.ts';
import type { GatewayError } from '../foundation/errors.ts';
import type { VideoOrder } from '../providers/video-contract.ts';
import { refuseField } from '../wire/fields.ts';
import type { VideoAbilities, VideoAspectRatio, VideoResolution } from '../wire/video-capabilities.ts';
import type { VideoRequest } from '../wire/videos.ts';

const link = fields({ url: media });

const PLACES = {
  frame_images: fields({ type: checked, image_url: link, frame_type: checked }),
  input_references: fields({ type: checked, image_url: link, audio_url: link, video_url: link }),
  user: text,
  session_id: text,
  trace: record,
} as const satisfies Partial<Record<keyof VideoRequest, Place>>;

/** Maps the texts of a request for a video. Its prompt counts as a text by the user. */
function mapVideoTexts(request: VideoRequest, change: (text: RequestText) => string): VideoRequest {
  const say = toVisitor(change, 'user');
  const mapped: VideoRequest = {
    ...request,
    ...(request.prompt !== undefined && { prompt: say(request.prompt, 'text') }),
    ...(request.provider?.options != null && {
      provider: { ...request.provider, options: mapOptions(request.provider.options, say) },
    }),
  };
  for (const field of Object.keys(PLACES) as (keyof typeof PLACES)[]) {
    if (request[field] != null) Object.assign(mapped, { [field]: PLACES[field](request[field], toVisitor(change)) });
  }
  return mapped;
}

type Options = NonNullable<NonNullable<VideoRequest['provider']>['options']>;

/** A provider's own parameters, which may be prompts, too: by the name of the provider. */
function mapOptions(options: Options, visit: ReturnType<typeof toVisitor>): Options {
  return Object.fromEntries(
    Object.entries(options).map(([slug, own]) => [slug, recordWithMedia(own, visit) as typeof own]),
  );
}

/** The kind of calls that make a video. */
export const videoKind: CallKind<VideoRequest> = {
  name: 'video',
  modelsOf: ({ model }) => ({ model }),
  preferencesOf({ provider }) {
    const { options: _, ...preferences } = provider ?? {};
    return { provider: preferences, partition: 'model' };
  },
  labelsOf: ({ session_id: session = null, user = null, trace = null }) => ({ session, externalUser: user, trace }),
  withSession: (request, session) => ({ ...request, session_id: session }),
  needsOf: ({ prompt = '' }) => ({
    parameters: [],
    inputModalities: [],
    outputModalities: [],
    minPromptTokens: minTokensOf(prompt.length),
    outputTokens: 0,
    compression: 'never',
  }),
  boundOf: ({ duration }) => boundOfVideo(duration ?? undefined),
  mapTexts: mapVideoTexts,
};

/** Bounds the cost of one video of this length. */
export const boundOfVideo = (durationSeconds: number | undefined): CostBound => ({
  worstCaseNanoUsd: (prices) => videoCostNanoUsd(prices, { durationSeconds, videos: 1 }),
});

/** The measures by which a video is charged. */
interface VideoMeasure {
  readonly durationSeconds: number | undefined;
  readonly videos: number;
  readonly tokens?: number | undefined;
}

const MILLI = 1000n;

/** The exact cost in billionths of a dollar; null when the endpoint has no price for what was measured. */
export function videoCostNanoUsd(prices: UnitPrices, measure: VideoMeasure): number | null {
  const parts: bigint[] = [];
  if (prices.video !== undefined) parts.push(prices.video * BigInt(measure.videos));
  if (prices.video_second !== undefined && measure.durationSeconds !== undefined) {
    // Lengths have a precision of a millisecond at most.
    const milliseconds = BigInt(Math.round(measure.durationSeconds * 1000)) * BigInt(measure.videos);
    parts.push((prices.video_second * milliseconds) / MILLI);
  }
  if (prices.video_token !== undefined && measure.tokens !== undefined) {
    parts.push(prices.video_token * BigInt(measure.tokens));
  }
  return parts.length === 0 ? null : attoToNano(parts.reduce((sum, part) => sum + part, 0n));
}

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
  if (Array.isArray(capabilities.creativity)) {
    refuseUnlisted('creativity', request.creativity, capabilities.creativity);
  }
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
  throw refuseField(field, `images are not supported by this model, which accepts ${inputModalities.join(', ')}`);
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

/** The requested frame size; parts that are neither given nor derivable are absent. */
interface VideoSize {
  /** `1280x720` */
  readonly size?: string | undefined;
  readonly resolution?: VideoResolution | undefined;
  readonly aspectRatio?: VideoAspectRatio | undefined;
}

/** Pixels along the shorter side. `1K` has different meanings at different providers. */
const SHORT_SIDE = {
  '360p': 360,
  '480p': 480,
  '720p': 720,
  '768p': 768,
  '1080p': 1080,
  '2K': 1440,
  '4K': 2160,
} as const;
const RESOLUTIONS = Object.entries(SHORT_SIDE) as [keyof typeof SHORT_SIDE, number][];
const ASPECT_RATIOS = ['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3', '21:9', '9:21'] as const;
/** Sizes are rounded to even numbers and some providers' to multiples of 16. */
const TOLERANCE = 0.02;

/**
 * Brings the two ways to name a frame together: size, or resolution with aspect ratio. Each is worked out from the
 * other where it can be. Throws `invalid_request` when they contradict each other.
 */
export function toVideoSize({ size, resolution, aspect_ratio: aspectRatio }: VideoRequest): VideoSize {
  if (size != null) {
    const meant = readSize(size);
    refuseOther('resolution', resolution, meant.resolution, size);
    refuseOther('aspect_ratio', aspectRatio, meant.aspectRatio, size);
    return { ...meant, size };
  }
  return {
    ...(resolution != null && { resolution }),
    ...(aspectRatio != null && { aspectRatio }),
    ...(resolution != null && aspectRatio != null && { size: writeSize(resolution, aspectRatio) }),
  };
}

function readSize(size: string): Pick<VideoSize, 'resolution' | 'aspectRatio'> {
  const [width = 0, height = 0] = size.split('x').map(Number);
  const short = Math.min(width, height);
  return {
    resolution: RESOLUTIONS.find(([, pixels]) => pixels === short)?.[0],
    aspectRatio: ASPECT_RATIOS.find((ratio) => Math.abs(width / height / quotientOf(ratio) - 1) < TOLERANCE),
  };
}

/** `720p` and `16:9` is `1280x720`; undefined where a resolution names no number of pixels. */
function writeSize(resolution: VideoResolution, aspectRatio: VideoAspectRatio): string | undefined {
  if (resolution === '1K') return undefined;
  const short = SHORT_SIDE[resolution];
  const quotient = quotientOf(aspectRatio);
  // Video needs even numbers.
  const long = 2 * Math.ceil((short * Math.max(quotient, 1 / quotient)) / 2 - 1e-9);
  return quotient >= 1 ? `${long}x${short}` : `${short}x${long}`;
}

function quotientOf(ratio: VideoAspectRatio): number {
  const [width = 1, height = 1] = ratio.split(':').map(Number);
  return width / height;
}

function refuseOther(field: string, asked: string | null | undefined, meant: string | undefined, size: string): void {
  if (asked == null || asked === meant || (field === 'resolution' && asked === '1K' && meant === undefined)) return;
  const message = `contradicts size ${size}, which is ${meant ?? 'no standard one'}; send one of the two`;
  throw refuseField(field, message);
}
