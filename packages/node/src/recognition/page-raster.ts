import type { PDFPageProxy } from 'unpdf/pdfjs';

/** A grey picture: a byte for each pixel, row by row, from 0 for black to 255 for white. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** `[a, b, c, d, e, f]` takes (x, y) to (ax + cy + e, bx + dy + f). */
type Matrix = readonly [number, number, number, number, number, number];

/** Operators of PDF.js by their names. */
type Operators = Readonly<Record<string, number>>;

/** Small print has strokes of two pixels at it; more costs time and reads no better. */
const DOTS_PER_INCH = 170;
const POINTS_PER_INCH = 72;
const LONGEST_SIDE = 2000;
const WHITE = 255;
/** Samples of an image for a pixel of the page, in either direction, where the image is finer than the page. */
const MOST_SAMPLES = 4;

/**
 * Draws the images of a page as they stand on it, turned as a reader sees it. Nothing else is drawn: lines, shapes and
 * letters are what a scan has none of. Returns null for a page without images.
 */
export async function rasterPage(page: PDFPageProxy, operators: Operators): Promise<Raster | null> {
  const { width, height } = page.getViewport({ scale: 1 });
  const scale = Math.min(DOTS_PER_INCH / POINTS_PER_INCH, LONGEST_SIDE / Math.max(width, height));
  const view = page.getViewport({ scale });
  const raster = blank(Math.max(Math.round(view.width), 1), Math.max(Math.round(view.height), 1));
  let isDrawn = false;
  for await (const { image, matrix } of imagesOf(page, { operators, base: view.transform as unknown as Matrix })) {
    paint(raster, image, matrix);
    isDrawn = true;
  }
  return isDrawn ? raster : null;
}

/** A smaller picture of the same, for what needs less detail; the same where it is small enough. */
export function shrink(raster: Raster, longestSide: number): Raster {
  const { width, height, pixels } = raster;
  const step = Math.max(width, height) / longestSide;
  if (step <= 1) return raster;
  const small = blank(Math.max(Math.floor(width / step), 1), Math.max(Math.floor(height / step), 1));
  for (let row = 0; row < small.height; row += 1) {
    const [top, bottom] = [Math.floor(row * step), Math.min(Math.ceil((row + 1) * step), height)];
    for (let column = 0; column < small.width; column += 1) {
      const [left, right] = [Math.floor(column * step), Math.min(Math.ceil((column + 1) * step), width)];
      let sum = 0;
      for (let y = top; y < bottom; y += 1) for (let x = left; x < right; x += 1) sum += pixels[y * width + x] ?? WHITE;
      small.pixels[row * small.width + column] = Math.round(sum / ((bottom - top) * (right - left)));
    }
  }
  return small;
}

const blank = (width: number, height: number): Raster => ({
  width,
  height,
  pixels: new Uint8Array(width * height).fill(WHITE),
});

/** What PDF.js makes of an image: bytes of grey bits, of RGB or of RGBA; a mask has no kind. */
interface DecodedImage {
  readonly width: number;
  readonly height: number;
  readonly kind?: number;
  readonly data: Uint8Array | Uint8ClampedArray;
}

/** Numbers that PDF.js has for the kinds of images. */
const BITS = 1;
const RGB = 2;
const RGBA = 3;

interface PlacedImage {
  readonly image: DecodedImage;
  /** From the unit square to pixels of the page. */
  readonly matrix: Matrix;
}

/** Follows what the page does to its coordinates, and yields its images in the order in which they are painted. */
async function* imagesOf(
  page: PDFPageProxy,
  { operators, base }: { readonly operators: Operators; readonly base: Matrix },
): AsyncGenerator<PlacedImage> {
  const { fnArray, argsArray } = await page.getOperatorList();
  const saved: Matrix[] = [];
  let matrix = base;
  for (const [index, operator] of fnArray.entries()) {
    const values = (argsArray as readonly (readonly unknown[] | null)[])[index] ?? [];
    switch (operator) {
      case operators['save']:
        saved.push(matrix);
        break;
      case operators['restore']:
      case operators['paintFormXObjectEnd']:
        matrix = saved.pop() ?? matrix;
        break;
      case operators['transform']:
        matrix = multiply(matrix, values as unknown as Matrix);
        break;
      case operators['paintFormXObjectBegin']:
        saved.push(matrix);
        if (isMatrix(values[0])) matrix = multiply(matrix, values[0]);
        break;
      case operators['paintImageXObject']:
      case operators['paintInlineImageXObject']:
      case operators['paintImageMaskXObject']: {
        const image = await findImage(page, values[0]);
        if (image !== null) yield { image, matrix };
        break;
      }
    }
  }
}

const isMatrix = (value: unknown): value is Matrix =>
  (Array.isArray(value) || ArrayBuffer.isView(value)) && (value as unknown as Matrix).length === 6;

const multiply = ([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix => [
  a * g + c * h,
  b * g + d * h,
  a * i + c * j,
  b * i + d * j,
  a * k + c * l + e,
  b * k + d * l + f,
];

/** An image stands in the operation itself, or is stored for the page or for all pages under a name. */
async function findImage(page: PDFPageProxy, given: unknown): Promise<DecodedImage | null> {
  const data = isImage(given) ? given.data : given;
  if (typeof data !== 'string') return isImage(given) ? (given as DecodedImage) : null;
  const stored = data.startsWith('g_') ? page.commonObjs : page.objs;
  const image = await new Promise<unknown>((resolve) => stored.get(data, resolve));
  return isImage(image) && typeof image.data !== 'string' ? (image as DecodedImage) : null;
}

function isImage(value: unknown): value is DecodedImage | { readonly data: string } {
  return typeof value === 'object' && value !== null && 'data' in value && value.data != null;
}

/** Paints an image over the raster, in the mean grey of what falls on each pixel. */
function paint({ width, height, pixels }: Raster, image: DecodedImage, matrix: Matrix): void {
  const toGrey = greyReaderOf(image);
  const inverse = invert(matrix);
  if (toGrey === null || inverse === null) return;
  const [a, b, c, d, e, f] = inverse;
  const corners = [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ].map(([x = 0, y = 0]) => [matrix[0] * x + matrix[2] * y + matrix[4], matrix[1] * x + matrix[3] * y + matrix[5]]);
  const within = (at: 0 | 1, limit: number): readonly [number, number] => {
    const places = corners.map((corner) => corner[at] ?? 0);
    return [Math.max(Math.floor(Math.min(...places)), 0), Math.min(Math.ceil(Math.max(...places)), limit)];
  };
  const [left, right] = within(0, width);
  const [top, bottom] = within(1, height);
  const finer = Math.max(Math.hypot(a * image.width, b * image.height), Math.hypot(c * image.width, d * image.height));
  const samples = Math.min(Math.max(Math.round(finer), 1), MOST_SAMPLES);
  for (let y = top; y < bottom; y += 1) {
    for (let x = left; x < right; x += 1) {
      let sum = 0;
      let count = 0;
      for (let sample = 0; sample < samples * samples; sample += 1) {
        const atX = x + ((sample % samples) + 0.5) / samples;
        const atY = y + (Math.floor(sample / samples) + 0.5) / samples;
        const column = Math.floor((a * atX + c * atY + e) * image.width);
        // The unit square has its origin at the bottom, an image at the top.
        const row = Math.floor((1 - (b * atX + d * atY + f)) * image.height);
        if (column < 0 || row < 0 || column >= image.width || row >= image.height) continue;
        const grey = toGrey(row, column);
        // What a mask leaves open.
        if (grey < 0) continue;
        sum += grey;
        count += 1;
      }
      const at = y * width + x;
      const open = samples * samples - count;
      if (count > 0) pixels[at] = Math.round((sum + open * (pixels[at] ?? WHITE)) / (count + open));
    }
  }
}

function invert([a, b, c, d, e, f]: Matrix): Matrix | null {
  const size = a * d - b * c;
  if (!Number.isFinite(1 / size)) return null;
  return [d / size, -b / size, -c / size, a / size, (c * f - d * e) / size, (b * e - a * f) / size];
}

/** Reads one pixel of an image; -1 where it is open. Null for a kind that is not known. */
function greyReaderOf({ kind, width, height, data }: DecodedImage): ((row: number, column: number) => number) | null {
  const mix = (at: number): number =>
    ((data[at] ?? 0) * 77 + (data[at + 1] ?? 0) * 150 + (data[at + 2] ?? 0) * 29) >> 8;
  const bytesPerRow = Math.ceil(width / 8);
  const isSet = (row: number, column: number): boolean =>
    (((data[row * bytesPerRow + (column >> 3)] ?? 0) >> (7 - (column & 7))) & 1) === 1;
  switch (kind) {
    case BITS:
      return (row, column) => (isSet(row, column) ? WHITE : 0);
    case RGB:
      return (row, column) => mix((row * width + column) * 3);
    case RGBA:
      return (row, column) => {
        const at = (row * width + column) * 4;
        const opacity = (data[at + 3] ?? WHITE) / WHITE;
        return mix(at) * opacity + WHITE * (1 - opacity);
      };
    case undefined:
      return data.length === bytesPerRow * height ? (row, column) => (isSet(row, column) ? -1 : 0) : null;
    default:
      return null;
  }
}
