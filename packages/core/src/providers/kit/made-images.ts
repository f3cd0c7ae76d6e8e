import { GatewayError } from '../../foundation/errors.ts';
import type { ImageResult, MadeImage } from '../image-contract.ts';

/** How the base64 of a kind of image begins. */
const BEGINNINGS = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
  ['R0lGOD', 'image/gif'],
  ['PHN2Zy', 'image/svg+xml'],
  ['PD94bWw', 'image/svg+xml'],
] as const;

const BASE64 = /^[\w+/-]+={0,2}$/;

/** Whether an image is base64 and nothing else, so that it can be written without a look at it. */
export const isBase64 = (base64: string): boolean => BASE64.test(base64);

/** The media type of an image by its first bytes; undefined where they say nothing. */
export function typeOfImage(base64: string): string | undefined {
  return BEGINNINGS.find(([beginning]) => base64.startsWith(beginning))?.[1];
}

/**
 * The result of a provider, with the type of each image. Throws `provider_unavailable` where there is no image: such a
 * call has failed, and is not charged. `reason`: why, in words that callers may see.
 */
export function toImageResult(result: ImageResult, providerName: string, reason?: string): ImageResult {
  const images = result.images.filter(({ base64 }) => base64 !== '');
  if (images.length > 0) return { ...result, images: images.map(withType) };
  const why = reason === undefined ? '' : `: ${reason}`;
  throw new GatewayError('provider_unavailable', `${providerName} made no image${why}`, {
    metadata: { provider_name: providerName },
  });
}

const withType = ({ base64, mediaType = typeOfImage(base64) }: MadeImage): MadeImage => ({ base64, mediaType });

/** The size of a JPEG stands behind whatever else its maker has noted; that of other types among the first bytes. */
const JPEG_HEAD_CHARACTERS = 256 * 1024;
const HEAD_CHARACTERS = 64;
const PIXELS = 1_048_576;

/** Megapixels of an image, rounded up to whole ones, as providers charge them; 1 where its size cannot be read. */
export function megapixelsOf(base64: string): number {
  const type = typeOfImage(base64);
  const read = type === undefined ? undefined : READ_PIXELS.get(type);
  const pixels = read?.(toHead(base64, type === 'image/jpeg' ? JPEG_HEAD_CHARACTERS : HEAD_CHARACTERS)) ?? 0;
  return Math.max(1, Math.ceil(pixels / PIXELS));
}

/** The first bytes. Base64 that is none has no bytes that say anything. */
function toHead(base64: string, characters: number): DataView {
  const whole = base64.slice(0, characters - (characters % 4));
  try {
    const binary = atob(whole);
    return new DataView(Uint8Array.from(binary, (character) => character.charCodeAt(0)).buffer);
  } catch {
    return new DataView(new ArrayBuffer(0));
  }
}

type ReadPixels = (head: DataView) => number | undefined;

const READ_PIXELS: ReadonlyMap<string, ReadPixels> = new Map<string, ReadPixels>([
  ['image/png', (head) => (head.byteLength < 24 ? undefined : head.getUint32(16) * head.getUint32(20))],
  ['image/jpeg', readJpeg],
  ['image/webp', readWebp],
]);

/** Goes from segment to segment to the one that begins a frame. */
function readJpeg(head: DataView): number | undefined {
  let at = 2;
  while (at + 9 <= head.byteLength) {
    const marker = head.getUint16(at);
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return head.getUint16(at + 5) * head.getUint16(at + 7);
    if (marker < 0xff00) return undefined;
    at += 2 + head.getUint16(at + 2);
  }
  return undefined;
}

/** WebP has three forms, by the name of its first piece. */
function readWebp(head: DataView): number | undefined {
  if (head.byteLength < 30) return undefined;
  switch (String.fromCharCode(head.getUint8(12), head.getUint8(13), head.getUint8(14), head.getUint8(15))) {
    case 'VP8 ':
      return (head.getUint16(26, true) & 0x3fff) * (head.getUint16(28, true) & 0x3fff);
    case 'VP8L': {
      const bits = head.getUint32(21, true);
      return ((bits & 0x3fff) + 1) * (((bits >> 14) & 0x3fff) + 1);
    }
    case 'VP8X':
      return (readUint24(head, 24) + 1) * (readUint24(head, 27) + 1);
    default:
      return undefined;
  }
}

const readUint24 = (head: DataView, at: number): number => head.getUint16(at, true) + (head.getUint8(at + 2) << 16);
