import { refuseField } from '../../wire/fields.ts';
import type { VideoAspectRatio, VideoRequest, VideoResolution } from '../../wire/videos.ts';

/** The requested frame size; parts that are neither given nor derivable are absent. */
export interface VideoSize {
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
