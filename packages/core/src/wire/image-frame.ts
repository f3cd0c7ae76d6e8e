import { refuseField } from './fields.ts';

export const IMAGE_RESOLUTIONS = ['512', '1K', '2K', '4K'] as const;
export type ImageResolution = (typeof IMAGE_RESOLUTIONS)[number];

export const IMAGE_ASPECT_RATIOS = [
  '1:1',
  '1:2',
  '1:4',
  '1:8',
  '2:1',
  '2:3',
  '3:2',
  '3:4',
  '4:1',
  '4:3',
  '4:5',
  '5:4',
  '8:1',
  '9:16',
  '16:9',
  '9:19.5',
  '19.5:9',
  '9:20',
  '20:9',
  '9:21',
  '21:9',
] as const;
type AspectRatio = (typeof IMAGE_ASPECT_RATIOS)[number];

/** What a request says of the frame of its images. */
export interface AskedFrame {
  /** A resolution, `auto`, or pixels: `1536x1024`. */
  readonly size?: string | null | undefined;
  readonly resolution?: ImageResolution | null | undefined;
  readonly aspect_ratio?: AspectRatio | 'auto' | null | undefined;
}

export interface Pixels {
  readonly width: number;
  readonly height: number;
}

/** The frame of an image; what is absent is left to the provider. */
export interface ImageFrame {
  /** As they were asked for. */
  readonly pixels?: Pixels | undefined;
  readonly resolution?: ImageResolution | undefined;
  readonly aspectRatio?: AspectRatio | undefined;
}

/** Pixels along the side of a square image. */
const SIDE: Readonly<Record<ImageResolution, number>> = { '512': 512, '1K': 1024, '2K': 2048, '4K': 4096 };

/** Providers round sides to multiples of 64, so that their own frames are up to three hundredths off a ratio. */
const RATIO_TOLERANCE = 0.035;
/** 1536x1024 is what providers call 1K, and 1920x1080 lies between 1K and 2K. */
const AREA_TOLERANCE = 2.1;

/**
 * Brings the ways to name a frame together. Throws `invalid_request` where the pixels of `size` are not of the resolution
 * or the aspect ratio beside them.
 */
export function toImageFrame({ size, resolution, aspect_ratio: asked }: AskedFrame): ImageFrame {
  const aspectRatio = asked === 'auto' ? undefined : (asked ?? undefined);
  if (size == null || size === 'auto') return { resolution: resolution ?? undefined, aspectRatio };
  if (isResolution(size)) {
    if (resolution != null && resolution !== size) throw contradiction('resolution', size);
    return { resolution: size, aspectRatio };
  }
  const [width = 0, height = 0] = size.split('x').map(Number);
  if (resolution != null) {
    const times = (width * height) / SIDE[resolution] ** 2;
    if (times > AREA_TOLERANCE || times < 1 / AREA_TOLERANCE) throw contradiction('resolution', size);
  }
  if (aspectRatio !== undefined && Math.abs(width / height / quotientOf(aspectRatio) - 1) > RATIO_TOLERANCE) {
    throw contradiction('aspect_ratio', size);
  }
  return { pixels: { width, height }, resolution: resolution ?? undefined, aspectRatio };
}

export const isResolution = (size: string): size is ImageResolution =>
  (IMAGE_RESOLUTIONS as readonly string[]).includes(size);

const contradiction = (field: string, size: string) =>
  refuseField(field, `contradicts size ${size}; send one of the two`);

/** Width divided by height. */
export function quotientOf(ratio: AspectRatio): number {
  const [width = 1, height = 1] = ratio.split(':').map(Number);
  return width / height;
}

/** Sides that all models take. */
const STEP = 16;

/** The pixels of a frame, for wires that take nothing else; undefined where the frame is left to the provider. */
export function toPixels({ pixels, resolution, aspectRatio }: ImageFrame): Pixels | undefined {
  if (pixels !== undefined) return pixels;
  if (resolution === undefined && aspectRatio === undefined) return undefined;
  const side = SIDE[resolution ?? '1K'];
  const quotient = quotientOf(aspectRatio ?? '1:1');
  const toSide = (length: number): number => Math.max(STEP, Math.round(length / STEP) * STEP);
  return { width: toSide(side * Math.sqrt(quotient)), height: toSide(side / Math.sqrt(quotient)) };
}

/** The ratio that is nearest to a frame's pixels, for wires that take no pixels. */
export function toAspectRatio({ pixels, aspectRatio }: ImageFrame): AspectRatio | undefined {
  if (pixels === undefined) return aspectRatio;
  const quotient = pixels.width / pixels.height;
  const distance = (ratio: AspectRatio): number => Math.abs(Math.log(quotient / quotientOf(ratio)));
  return aspectRatio ?? IMAGE_ASPECT_RATIOS.reduce((best, ratio) => (distance(ratio) < distance(best) ? ratio : best));
}

/** The resolution that is nearest to a frame's pixels. */
export function toResolution({ pixels, resolution }: ImageFrame): ImageResolution | undefined {
  if (pixels === undefined || resolution !== undefined) return resolution;
  const distance = (one: ImageResolution): number =>
    Math.abs(Math.log((pixels.width * pixels.height) / SIDE[one] ** 2));
  return IMAGE_RESOLUTIONS.reduce((best, one) => (distance(one) < distance(best) ? one : best));
}
