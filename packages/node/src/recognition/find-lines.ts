import type { Raster } from './page-raster.ts';

/** A line of text as it lies on a page: its middle, its direction, and its extent along and across it, in pixels. */
export interface Line {
  readonly x: number;
  readonly y: number;
  /** Radians, clockwise from the horizontal. */
  readonly angle: number;
  readonly length: number;
  readonly thickness: number;
}

/** How likely each pixel of a picture belongs to text; the picture may be larger than what it was made from. */
interface TextMap {
  readonly width: number;
  readonly height: number;
  readonly likelihoods: Float32Array;
}

/** The detector halves a picture five times. */
const BLOCK = 32;
/** Mean and deviation of the colours that the detector was trained with. */
const MEANS = [0.485, 0.456, 0.406] as const;
const DEVIATIONS = [0.229, 0.224, 0.225] as const;

/** The picture in the form in which the detector reads it: three planes, of which each is the same grey. */
export function toDetectorInput({ width, height, pixels }: Raster): {
  readonly shape: readonly [1, 3, number, number];
  readonly values: Float32Array;
} {
  const columns = Math.ceil(width / BLOCK) * BLOCK;
  const rows = Math.ceil(height / BLOCK) * BLOCK;
  const plane = columns * rows;
  const values = new Float32Array(3 * plane);
  for (let channel = 0; channel < 3; channel += 1) {
    const mean = MEANS[channel] ?? 0;
    const deviation = DEVIATIONS[channel] ?? 1;
    // White around it, like the page.
    values.fill((1 - mean) / deviation, channel * plane, (channel + 1) * plane);
    for (let row = 0; row < height; row += 1) {
      for (let column = 0; column < width; column += 1) {
        const grey = (pixels[row * width + column] ?? 0) / 255;
        values[channel * plane + row * columns + column] = (grey - mean) / deviation;
      }
    }
  }
  return { shape: [1, 3, rows, columns], values };
}

/** From here on a pixel is text. */
const PIXEL_THRESHOLD = 0.3;
/** Mean of a line's pixels; below it they are a stain. */
const LINE_THRESHOLD = 0.55;
const FEWEST_PIXELS = 24;
const LEAST_THICKNESS = 3;
/** The detector marks the middle of a line: what it marks grows by this share of its area over its outline. */
const GROWTH = 1.6;
/** A page has fewer; more are the work of somebody who wants to keep the recogniser busy. */
const MOST_LINES = 1000;

/** Finds the lines that the detector has marked. Throws for a page of more than a thousand. */
export function findLines(map: TextMap): readonly Line[] {
  const lines: Line[] = [];
  for (const spot of spotsOf(map)) {
    const line = toLine(spot, map);
    if (line === null) continue;
    lines.push(line);
    if (lines.length > MOST_LINES) throw new Error('a page has too many lines');
  }
  return lines;
}

/** Yields the pixels of each connected spot of text. */
function* spotsOf({ width, height, likelihoods }: TextMap): Generator<readonly number[]> {
  const isSeen = new Uint8Array(width * height);
  for (let start = 0; start < likelihoods.length; start += 1) {
    if (isSeen[start] === 1 || (likelihoods[start] ?? 0) < PIXEL_THRESHOLD) continue;
    isSeen[start] = 1;
    const spot = [start];
    // The array grows while it is read.
    for (const at of spot) {
      const column = at % width;
      for (let rows = -1; rows <= 1; rows += 1) {
        for (let columns = -1; columns <= 1; columns += 1) {
          const next = at + rows * width + columns;
          if (next < 0 || next >= isSeen.length || isSeen[next] === 1) continue;
          if (column + columns < 0 || column + columns >= width) continue;
          if ((likelihoods[next] ?? 0) < PIXEL_THRESHOLD) continue;
          isSeen[next] = 1;
          spot.push(next);
        }
      }
    }
    yield spot;
  }
}

/** The rectangle around a spot, in the direction in which its pixels lie; null for what is no line. */
function toLine(spot: readonly number[], { width, likelihoods }: TextMap): Line | null {
  if (spot.length < FEWEST_PIXELS) return null;
  let [x, y, likelihood] = [0, 0, 0];
  for (const at of spot) {
    x += at % width;
    y += Math.floor(at / width);
    likelihood += likelihoods[at] ?? 0;
  }
  x /= spot.length;
  y /= spot.length;
  if (likelihood / spot.length < LINE_THRESHOLD) return null;
  const angle = angleOf(spot, { x, y, width });
  const [along, across] = [extentOf(angle), extentOf(angle + Math.PI / 2)];
  const length = along.to - along.from + 1;
  const thickness = across.to - across.from + 1;
  if (thickness < LEAST_THICKNESS) return null;
  const growth = (GROWTH * length * thickness) / (length + thickness);
  const [middle, level] = [(along.from + along.to) / 2, (across.from + across.to) / 2];
  return {
    x: x + middle * Math.cos(angle) - level * Math.sin(angle) + 0.5,
    y: y + middle * Math.sin(angle) + level * Math.cos(angle) + 0.5,
    angle,
    length: length + growth,
    thickness: thickness + growth,
  };

  function extentOf(direction: number): { readonly from: number; readonly to: number } {
    const [cos, sin] = [Math.cos(direction), Math.sin(direction)];
    let [from, to] = [Infinity, -Infinity];
    for (const at of spot) {
      const place = ((at % width) - x) * cos + (Math.floor(at / width) - y) * sin;
      from = Math.min(from, place);
      to = Math.max(to, place);
    }
    return { from, to };
  }
}

/** A short word has no direction of its own; longer spots have that of their pixels. */
const LEAST_SPREAD = 2;

function angleOf(
  spot: readonly number[],
  { x, y, width }: { readonly x: number; readonly y: number; readonly width: number },
): number {
  let [xx, xy, yy] = [0, 0, 0];
  for (const at of spot) {
    const [dx, dy] = [(at % width) - x, Math.floor(at / width) - y];
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
  }
  const isLong = xx > yy * LEAST_SPREAD ** 2 || yy > xx * LEAST_SPREAD ** 2;
  return isLong ? Math.atan2(2 * xy, xx - yy) / 2 : 0;
}
