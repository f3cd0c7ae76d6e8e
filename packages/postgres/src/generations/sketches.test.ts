import { expect, test } from 'vitest';

import { createSketches } from './sketches.ts';

const LAST_CELL = 460;
/** As `gateway.cell_of` numbers them. */
const cellOf = (measured: number): number =>
  measured <= 0.001 ? -200 : Math.min(Math.ceil(Math.log(measured) / 0.04), LAST_CELL);

/** Cells with their counts, as the database brings them. */
const toCells = (...runs: readonly (readonly number[])[]): string => JSON.stringify(runs);

function sketchOf(measurements: readonly number[]) {
  const sketch = createSketches(1);
  for (const measured of measurements) sketch.add(0, toCells([cellOf(measured), 1]));
  return sketch;
}

test('percentiles of a sketch are within 2 in 100 of the measurements', () => {
  const measurements = Array.from({ length: 1000 }, (_, index) => 0.7 * 1.017 ** index);
  const sketch = sketchOf(measurements);
  for (const [part, at] of [
    [0.5, 499],
    [0.95, 949],
    [0.001, 0],
  ] as const) {
    const exact = measurements[at] ?? 0;
    expect(Math.abs((sketch.percentile(0, part) ?? 0) - exact) / exact).toBeLessThan(0.021);
  }
});

test('a sketch has no percentile without measurements, and none of what was taken away again', () => {
  expect(createSketches(1).percentile(0, 0.5)).toBeNull();
  const sketch = sketchOf([5, 80, 0]);
  expect(sketch.percentile(0, 0.01)).toBe(0);
  sketch.subtract(sketchOf([80, 0]));
  expect(sketch.percentile(0, 0.01)).toBe(sketchOf([5]).percentile(0, 0.5));
  sketch.subtract(sketchOf([5]));
  expect(sketch.percentile(0, 0.5)).toBeNull();
});

test('a sketch that was emptied counts the next measurements alone', () => {
  const sketch = sketchOf([5, 80]);
  sketch.clear();
  expect(sketch.percentile(0, 0.5)).toBeNull();
  sketch.add(0, toCells([cellOf(7), 1]));
  expect(sketch.percentile(0, 0.95)).toBe(sketchOf([7]).percentile(0, 0.5));
});

test('a measurement beyond all reason is in the last cell', () => {
  expect(sketchOf([1e30]).percentile(0, 0.5)).toBeGreaterThan(1e7);
});

test('a cell that comes several times has all of its measurements', () => {
  const sketch = createSketches(1);
  sketch.add(0, toCells([100, 3], [50, 2], [100, -3], [50, 1]));
  expect(sketch.percentile(0, 0.95)).toBe(sketchOf([Math.exp(2)]).percentile(0, 0.95));
});

test('buckets are told apart, and all of them together are their total', () => {
  const sketches = createSketches(2);
  sketches.add(0, toCells([100, 1]));
  sketches.add(1, toCells([200, 3]));
  expect(sketches.percentile(0, 0.95)).toBe(sketchOf([Math.exp(4)]).percentile(0, 0.5));
  expect(sketches.percentile(1, 0.01)).toBe(sketchOf([Math.exp(8)]).percentile(0, 0.5));
  expect(sketches.toTotal().percentile(0, 0.25)).toBe(sketches.percentile(0, 0.5));
  expect(sketches.toTotal().percentile(0, 0.26)).toBe(sketches.percentile(1, 0.5));
});

test('a run has the counts of cells that follow one another, some of them none', () => {
  const sketch = createSketches(1);
  sketch.add(0, toCells([50, 1, 0, 0, 2], [52, 4]));
  const cells = [50, 52, 52, 52, 52, 53, 53];
  for (const [at, cell] of cells.entries())
    expect(sketch.percentile(0, (at + 1) / cells.length)).toBe(sketchOf([Math.exp(cell * 0.04)]).percentile(0, 0.5));
});

test('what is counted thousands of times is so', () => {
  const sketch = createSketches(1);
  sketch.add(0, toCells([50, 5 * 2048], [100, 4 * 2048], [100, 2047], [100, 1]));
  expect(sketch.percentile(0, 0.5)).toBe(sketchOf([Math.exp(2)]).percentile(0, 0.5));
  expect(sketch.percentile(0, 0.501)).toBe(sketchOf([Math.exp(4)]).percentile(0, 0.5));
});
