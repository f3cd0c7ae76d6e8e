import { deflateSync } from 'node:zlib';

import { getDocumentProxy, getResolvedPDFJS } from 'unpdf';
import { expect, test } from 'vitest';

import { createScannedPdf } from '../../../../test/support/clients/create-scanned-pdf.ts';
import { type Raster, rasterPage, shrink } from './page-raster.ts';

/** Its left half is black, and so is the upper right quarter: turned or mirrored, it is another one. */
const CORNER = [
  [0, 0],
  [0, 1],
] as const;

/** The corner as an image of 64 by 64 pixels, in bits or in bytes. */
function cornerImage(bitsPerComponent: 1 | 8, isMask = false) {
  const side = 64;
  const data: number[] = [];
  for (let row = 0; row < side; row += 1) {
    const [left, right] = CORNER[row < side / 2 ? 0 : 1];
    const perHalf = bitsPerComponent === 1 ? side / 16 : side / 2;
    for (const value of [left, right]) for (let each = 0; each < perHalf; each += 1) data.push(value * 255);
  }
  const filter = 'FlateDecode' as const;
  return { width: side, height: side, bitsPerComponent, filter, data: deflateSync(Uint8Array.from(data)), isMask };
}

async function rasterOf(page: Parameters<typeof createScannedPdf>[0][number]): Promise<Raster | null> {
  const document = await getDocumentProxy(createScannedPdf([page]));
  const { OPS } = await getResolvedPDFJS();
  return rasterPage(await document.getPage(1), OPS);
}

/** The greys in the middle of the four quarters. */
function quartersOf(raster: Raster | null): number[][] {
  const { width = 0, height = 0, pixels = [] } = raster ?? {};
  const at = (x: number, y: number): number => pixels[Math.floor(y * height) * width + Math.floor(x * width)] ?? -1;
  return [0.25, 0.75].map((y) => [0.25, 0.75].map((x) => at(x, y)));
}

test.each([
  ['of bytes', cornerImage(8)],
  ['of bits', cornerImage(1)],
  ['that is a mask', cornerImage(1, true)],
])('draws an image %s over its page, upright', async (_, image) => {
  const raster = await rasterOf({ image });
  expect([raster?.width, raster?.height]).toEqual([1405, 1988]);
  expect(quartersOf(raster)).toEqual([
    [0, 0],
    [0, 255],
  ]);
});

test('turns a page as a reader does', async () => {
  const raster = await rasterOf({ image: cornerImage(8), rotate: 90 });
  expect([raster?.width, raster?.height]).toEqual([1988, 1405]);
  expect(quartersOf(raster)).toEqual([
    [0, 0],
    [255, 0],
  ]);
});

test('draws an image where it stands, and leaves the rest of the page white', async () => {
  const raster = await rasterOf({ image: cornerImage(8), matrix: '297 0 0 421 0 421' });
  const quarters = quartersOf(raster);
  expect([quarters[0]?.[1], quarters[1]]).toEqual([255, [255, 255]]);
  expect(raster?.pixels[0]).toBe(0);
});

test('has nothing to draw for an image without an area', async () => {
  expect(quartersOf(await rasterOf({ image: cornerImage(8), matrix: '0 0 0 0 10 10' })).flat()).toEqual(
    Array(4).fill(255),
  );
});

test('shrinks a picture to the mean of its pixels, and leaves a small one as it is', () => {
  const picture = { width: 4, height: 2, pixels: Uint8Array.from([0, 100, 255, 255, 100, 200, 255, 255]) };
  expect(shrink(picture, 2)).toEqual({ width: 2, height: 1, pixels: Uint8Array.from([100, 255]) });
  expect(shrink(picture, 4)).toBe(picture);
});
