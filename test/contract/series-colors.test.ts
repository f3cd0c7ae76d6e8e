import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

const css = readFileSync(new URL('../../packages/ui/src/app.css', import.meta.url), 'utf8');
const [, light = '', dark = ''] = /^:root \{(.*?)^\}.*?^:root\[data-theme='dark'\] \{(.*?)^\}/ms.exec(css) ?? [];

type Rgb = readonly [number, number, number];

/** Linear light of a color that is written in six digits. */
function readColor(theme: string, name: string): Rgb {
  const [, hex = ''] = new RegExp(`--${name}: #([0-9a-f]{6});`).exec(theme) ?? [];
  const [red = 0, green = 0, blue = 0] = [0, 2, 4]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return [red, green, blue];
}

const luminance = ([red, green, blue]: Rgb): number => 0.2126 * red + 0.7152 * green + 0.0722 * blue;

function contrast(one: Rgb, other: Rgb): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** How people see colors: all of them, without red, without green and without blue (Machado et al., 2009). */
const EYES = [
  [1, 0, 0, 0, 1, 0, 0, 0, 1],
  [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
] as const;

const multiply = (matrix: readonly number[], [a, b, c]: Rgb): Rgb => {
  const row = (at: number): number => (matrix[at] ?? 0) * a + (matrix[at + 1] ?? 0) * b + (matrix[at + 2] ?? 0) * c;
  return [row(0), row(3), row(6)];
};

const LMS = [
  0.4122214708, 0.5363325363, 0.0514459929, 0.2119034982, 0.6806995451, 0.1073969566, 0.0883024619, 0.2817188376,
  0.6299787005,
];
const LAB = [
  0.2104542553, 0.793617785, -0.0040720468, 1.9779984951, -2.428592205, 0.4505937099, 0.0259040371, 0.7827717662,
  -0.808675766,
];

/** OKLab, in which equal distances look equally far. */
function toLab(color: Rgb): Rgb {
  const [l, m, s] = multiply(LMS, color);
  return multiply(LAB, [Math.cbrt(l), Math.cbrt(m), Math.cbrt(s)]);
}

const clamp = ([a, b, c]: Rgb): Rgb => [
  Math.min(1, Math.max(0, a)),
  Math.min(1, Math.max(0, b)),
  Math.min(1, Math.max(0, c)),
];

function distance(one: Rgb, other: Rgb): number {
  const far = EYES.map((eye) => {
    const [left, right] = [toLab(clamp(multiply(eye, one))), toLab(clamp(multiply(eye, other)))];
    return Math.hypot(left[0] - right[0], left[1] - right[1], left[2] - right[2]);
  });
  return Math.min(...far);
}

test.each([
  ['light', light],
  ['dark', dark],
])('colors of series stand out from the background and from each other in %s, whatever colors one sees', (_, theme) => {
  const surface = readColor(theme, 'surface');
  const colors = Array.from({ length: 8 }, (__, at) => readColor(theme, `series-${at + 1}`));
  for (const color of colors) expect(contrast(color, surface)).toBeGreaterThanOrEqual(3);
  const { low, high } = extentOf(colors.map((color) => toLab(color)[0]));
  expect(high - low).toBeLessThan(0.2);
  const pairs = colors.flatMap((one, at) => colors.slice(at + 1).map((other) => distance(one, other)));
  expect(Math.min(...pairs)).toBeGreaterThan(0.08);
});

function extentOf(values: readonly number[]): { readonly low: number; readonly high: number } {
  return { low: Math.min(...values), high: Math.max(...values) };
}

/** Degrees. */
function hueOf(color: Rgb): number {
  const [, a, b] = toLab(color);
  return (Math.atan2(b, a) * 180) / Math.PI;
}

/** Degrees between two hues, either way around. */
const hueDistance = (one: number, other: number): number => Math.abs(((one - other + 540) % 360) - 180);

const SERIES = Array.from({ length: 8 }, (_, at) => `series-${at + 1}`);
const MEASURED = ['chart-1', 'chart-2', 'chart-3', 'chart-4'];

test.each([...SERIES, ...MEASURED, 'chart-5'])('--%s has the same hue in both themes', (name) => {
  expect(hueDistance(hueOf(readColor(light, name)), hueOf(readColor(dark, name)))).toBeLessThan(6);
});

test.each([
  ['light', light],
  ['dark', dark],
])('no color but that of failures is near red in %s', (_, theme) => {
  const red = hueOf(readColor(theme, 'bad'));
  for (const name of [...SERIES, ...MEASURED])
    expect(hueDistance(hueOf(readColor(theme, name)), red), name).toBeGreaterThan(25);
  expect(readColor(theme, 'chart-5')).toEqual(readColor(theme, 'bad'));
});

test.each([
  ['light', light],
  ['dark', dark],
])('what is left over is grey in %s', (_, theme) => {
  for (const name of ['series-other', 'chart-6']) {
    const [, a, b] = toLab(readColor(theme, name));
    expect(Math.hypot(a, b), name).toBeLessThan(0.04);
  }
});
