import type { Line } from './find-lines.ts';
import type { Raster } from './page-raster.ts';

/** The height at which the recogniser reads. */
const HEIGHT = 48;
const LEAST_WIDTH = 48;
/** A line of more is read in a narrower form. */
const MOST_WIDTH = 3200;
const WHITE = 255;

/** Cuts a line out of its page, level and in the form in which the recogniser reads it. */
export function toRecogniserInput(
  { width, height, pixels }: Raster,
  { x, y, angle, length, thickness }: Line,
): { readonly shape: readonly [1, 3, number, number]; readonly values: Float32Array } {
  const columns = Math.min(Math.max(Math.round((length / thickness) * HEIGHT), LEAST_WIDTH), MOST_WIDTH);
  const plane = columns * HEIGHT;
  const values = new Float32Array(3 * plane);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  for (let row = 0; row < HEIGHT; row += 1) {
    const across = ((row + 0.5) / HEIGHT - 0.5) * thickness;
    for (let column = 0; column < columns; column += 1) {
      const along = ((column + 0.5) / columns - 0.5) * length;
      const grey = greyAt(x + along * cos - across * sin - 0.5, y + along * sin + across * cos - 0.5);
      const value = grey / (WHITE / 2) - 1;
      const at = row * columns + column;
      values[at] = value;
      values[plane + at] = value;
      values[2 * plane + at] = value;
    }
  }
  return { shape: [1, 3, HEIGHT, columns], values };

  /** Between four pixels, the mean of them by their distance. */
  function greyAt(column: number, row: number): number {
    const [left, top] = [Math.floor(column), Math.floor(row)];
    const [right, below] = [column - left, row - top];
    const upper = pixelAt(left, top) * (1 - right) + pixelAt(left + 1, top) * right;
    const lower = pixelAt(left, top + 1) * (1 - right) + pixelAt(left + 1, top + 1) * right;
    return upper * (1 - below) + lower * below;
  }

  function pixelAt(column: number, row: number): number {
    if (column < 0 || row < 0 || column >= width || row >= height) return WHITE;
    return pixels[row * width + column] ?? WHITE;
  }
}

/** A text and the mean likelihood of its characters. */
export interface ReadText {
  readonly text: string;
  readonly likelihood: number;
}

/** Likelihoods of every class at every place along a line, place by place. */
interface ReadPlaces {
  readonly places: number;
  readonly classes: number;
  readonly likelihoods: Float32Array;
}

/** The class that stands for no character. */
const NONE = 0;
/**
 * The recogniser knows spaces worse than letters: between words it is seldom sure of one, and inside of a word it gives
 * a space less than a hundredth.
 */
const SPACE_THRESHOLD = 0.03;

/**
 * Reads the characters along a line: the likeliest at each place, where it is another one than at the place before.
 *
 * @param characters By their class, from 1 on; the last is the space.
 */
export function readPlaces({ places, classes, likelihoods }: ReadPlaces, characters: readonly string[]): ReadText {
  const space = classes - 1;
  let text = '';
  let sum = 0;
  let count = 0;
  let before = NONE;
  let spaceBetween = 0;
  for (let place = 0; place < places; place += 1) {
    const start = place * classes;
    let likeliest = NONE;
    let most = 0;
    for (let each = 0; each < classes; each += 1) {
      const likelihood = likelihoods[start + each] ?? 0;
      if (likelihood <= most) continue;
      most = likelihood;
      likeliest = each;
    }
    if (likeliest === NONE || likeliest === space) spaceBetween += likelihoods[start + space] ?? 0;
    else if (likeliest !== before) {
      if (spaceBetween >= SPACE_THRESHOLD && text !== '') text += ' ';
      spaceBetween = 0;
      text += characters[likeliest - 1] ?? '';
      sum += most;
      count += 1;
    }
    before = likeliest;
  }
  return { text, likelihood: count === 0 ? 0 : sum / count };
}
