import { expect, test } from 'vitest';

import { findLines, toDetectorInput } from './find-lines.ts';
import { readPlaces, toRecogniserInput } from './read-line.ts';

const WIDTH = 200;
const HEIGHT = 100;

/** A map in which every pixel for which `isText` holds has this likelihood. */
function mapOf(isText: (x: number, y: number) => boolean, likelihood = 0.9) {
  const likelihoods = new Float32Array(WIDTH * HEIGHT);
  for (let y = 0; y < HEIGHT; y += 1) {
    for (let x = 0; x < WIDTH; x += 1) if (isText(x, y)) likelihoods[y * WIDTH + x] = likelihood;
  }
  return { width: WIDTH, height: HEIGHT, likelihoods };
}

const isWithin = (value: number, from: number, to: number): boolean => value >= from && value < to;

test('finds each spot as a line, somewhat larger than it was marked', () => {
  const lines = findLines(mapOf((x, y) => isWithin(x, 20, 120) && (isWithin(y, 10, 20) || isWithin(y, 60, 70))));
  expect(lines).toHaveLength(2);
  for (const [index, line] of lines.entries()) {
    expect(line.x).toBeCloseTo(70);
    expect(line.y).toBeCloseTo(index === 0 ? 15 : 65);
    expect(line.angle).toBeCloseTo(0);
    expect(line.length).toBeGreaterThan(100);
    expect(line.length).toBeLessThan(120);
    expect(line.thickness).toBeGreaterThan(20);
    expect(line.thickness).toBeLessThan(30);
  }
});

test('follows a line that lies askew', () => {
  const [line] = findLines(mapOf((x, y) => isWithin(x, 20, 180) && Math.abs(y - 50 - (x - 100) * 0.1) < 5));
  expect(line?.angle).toBeCloseTo(Math.atan(0.1), 2);
});

test('takes stains, doubtful spots and hairlines for no text', () => {
  expect(findLines(mapOf((x, y) => isWithin(x, 20, 24) && isWithin(y, 20, 24)))).toEqual([]);
  expect(findLines(mapOf((x, y) => isWithin(x, 20, 120) && isWithin(y, 20, 30), 0.4))).toEqual([]);
  expect(findLines(mapOf((x, y) => isWithin(x, 20, 120) && isWithin(y, 20, 22)))).toEqual([]);
});

test('does not join the end of one row of pixels with the beginning of the next', () => {
  const lines = findLines(mapOf((x, y) => (x < 40 || x >= WIDTH - 40) && isWithin(y, 10, 20)));
  expect(lines.map(({ x }) => Math.round(x))).toEqual([20, 180]);
});

test('gives up a page of more lines than a page has', () => {
  const side = 400;
  const likelihoods = new Float32Array(side * side).map((_, at) =>
    at % 10 < 8 && Math.floor(at / side) % 8 < 5 ? 0.9 : 0,
  );
  expect(() => findLines({ width: side, height: side, likelihoods })).toThrow('too many lines');
});

test('gives the detector a picture whose sides it can halve five times', () => {
  const { shape, values } = toDetectorInput({ width: 33, height: 10, pixels: new Uint8Array(330) });
  expect(shape).toEqual([1, 3, 32, 64]);
  expect(values).toHaveLength(3 * 32 * 64);
  // Black inside, white around.
  expect([values[0], values[40]].map((value) => Number(value?.toFixed(2)))).toEqual([-2.12, 2.25]);
});

test('cuts a line out level, white where it reaches over the page', () => {
  const pixels = new Uint8Array(100 * 100).fill(255);
  for (let x = 0; x < 100; x += 1) for (const y of [x - 1, x, x + 1]) if (y >= 0 && y < 100) pixels[y * 100 + x] = 0;
  const line = { x: 50, y: 50, angle: Math.PI / 4, length: 200, thickness: 24 };
  const { shape, values } = toRecogniserInput({ width: 100, height: 100, pixels }, line);
  expect(shape).toEqual([1, 3, 48, 400]);
  // The diagonal is the middle row now, and beyond the corners nothing is.
  expect(values[24 * 400 + 200]).toBeLessThan(-0.5);
  expect([values[24 * 400], values[200]]).toEqual([1, 1]);
});

/** Places at which one class is sure, by its index; a second number is the likelihood of a space beside it. */
function placesOf(...places: readonly (number | readonly [number, number])[]) {
  const classes = 4;
  const likelihoods = new Float32Array(places.length * classes);
  for (const [index, place] of places.entries()) {
    const [sure, space] = typeof place === 'number' ? [place, 0] : place;
    likelihoods[index * classes + 3] = space;
    likelihoods[index * classes + sure] = 0.9;
  }
  return { places: places.length, classes, likelihoods };
}

test('reads one character for places that follow each other, and two where there is a gap', () => {
  const { text, likelihood } = readPlaces(placesOf(0, 1, 1, 0, 1, 2, 2, 0), ['a', 'b', ' ']);
  expect(text).toBe('aab');
  expect(likelihood).toBeCloseTo(0.9);
  expect(readPlaces(placesOf(0, 0), ['a', 'b', ' '])).toEqual({ text: '', likelihood: 0 });
});

test('reads a space that the recogniser is not sure of, between characters alone', () => {
  const characters = ['a', 'b', ' '];
  expect(readPlaces(placesOf([0, 0.3], 1, [0, 0.02], [0, 0.02], 2, [0, 0.3]), characters).text).toBe('a b');
  expect(readPlaces(placesOf(1, 3, 2), characters).text).toBe('a b');
  expect(readPlaces(placesOf(1, [0, 0.005], 2), characters).text).toBe('ab');
});
