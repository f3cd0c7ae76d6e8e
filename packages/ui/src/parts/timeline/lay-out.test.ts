import { expect, test } from 'vitest';

import { layOutRow, panBy, toTicks, toView, zoomAt } from './lay-out.ts';
import type { TimelineRow, Piece } from './timeline.ts';

const piece = (atMs: number, tookMs: number | null, tone: Piece['tone'] = 'work'): Piece => ({
  atMs,
  tookMs,
  tone,
  label: `${atMs}`,
});
const row = (...pieces: Piece[]): TimelineRow => ({
  id: 'a',
  label: 'A',
  status: 'ok',
  tone: 'good',
  detail: [],
  pieces,
});
const WHOLE = { fromMs: 0, toMs: 1000 };

test.each([
  ['narrow', 300],
  ['beside a list', 660],
  ['wide', 1200],
])('lays bars on the scale of the view (%s)', (_name, widthPx) => {
  const { boxes, before, after } = layOutRow(row(piece(250, 250), piece(500, 500, 'good')), WHOLE, widthPx);
  expect(boxes.map(({ leftPx, widthPx: width }) => [leftPx / widthPx, width / widthPx])).toEqual([
    [0.25, 0.25],
    [0.5, 0.5],
  ]);
  expect([before, after]).toEqual([0, 0]);
});

test.each([300, 660, 1200])('shows what took no time, within the picture (%i pixels wide)', (widthPx) => {
  const { boxes } = layOutRow(row(piece(0, 0), piece(1000, 0, 'bad'), piece(1000, null, 'plain')), WHOLE, widthPx);
  expect(boxes).toHaveLength(3);
  for (const { leftPx, widthPx: width } of boxes) {
    expect(width).toBeGreaterThanOrEqual(3);
    expect(leftPx).toBeGreaterThanOrEqual(0);
    expect(leftPx + width).toBeLessThanOrEqual(widthPx);
  }
  expect(boxes.map(({ isMoment }) => isMoment)).toEqual([false, false, true]);
});

test('cuts bars at the edges of the view, and counts those beyond them', () => {
  const all = row(piece(0, 100), piece(300, 400), piece(900, 50));
  const { boxes, before, after } = layOutRow(all, { fromMs: 400, toMs: 600 }, 600);
  expect(boxes).toMatchObject([{ leftPx: 0, widthPx: 600 }]);
  expect([before, after]).toEqual([1, 1]);
});

test.each([
  [300, 30],
  [660, 60],
  [1200, 100],
])('draws what stands too close to be told apart as one (%i pixels wide)', (widthPx, most) => {
  const pieces = Array.from({ length: 1000 }, (_, at) => piece(at, 0.5));
  const { boxes } = layOutRow(row(...pieces), WHOLE, widthPx);
  expect(boxes.length).toBeLessThanOrEqual(most);
  expect(boxes.reduce((sum, { pieces: merged }) => sum + merged.length, 0)).toBe(1000);
  // Nearer, each is seen.
  expect(layOutRow(row(...pieces), { fromMs: 0, toMs: 20 }, widthPx).boxes).toHaveLength(21);
});

test('does not merge what differs', () => {
  const { boxes } = layOutRow(row(piece(0, 1), piece(1, 1, 'bad'), piece(2, 1)), WHOLE, 300);
  expect(boxes.map(({ tone }) => tone)).toEqual(['work', 'bad', 'work']);
});

test('lays nothing where there is no room or no time', () => {
  expect(layOutRow(row(piece(0, 1)), WHOLE, 0).boxes).toEqual([]);
  expect(layOutRow(row(piece(0, 0)), { fromMs: 0, toMs: 0 }, 300).boxes).toHaveLength(1);
});

const TEN_SECONDS = { fromMs: 0, toMs: 10_000 };

test('zooms around the moment under the pointer, which stays where it is', () => {
  const view = zoomAt(TEN_SECONDS, TEN_SECONDS, 0.5, 2500);
  expect(view).toEqual({ fromMs: 1250, toMs: 6250 });
  expect(zoomAt(view, TEN_SECONDS, 2, 2500)).toEqual(TEN_SECONDS);
});

test('zooms neither beyond the whole nor nearer than can be told', () => {
  expect(zoomAt({ fromMs: 0, toMs: 100 }, TEN_SECONDS, 1000, 50)).toEqual(TEN_SECONDS);
  const nearest = zoomAt(TEN_SECONDS, TEN_SECONDS, 0.000001, 10_000);
  expect(nearest).toEqual({ fromMs: 9998, toMs: 10_000 });
});

test('moves sideways until the edge', () => {
  const view = { fromMs: 1000, toMs: 2000 };
  expect(panBy(view, TEN_SECONDS, 500)).toEqual({ fromMs: 1500, toMs: 2500 });
  expect(panBy(view, TEN_SECONDS, -5000)).toEqual({ fromMs: 0, toMs: 1000 });
  expect(panBy(view, TEN_SECONDS, 50_000)).toEqual({ fromMs: 9000, toMs: 10_000 });
});

test('takes a span that was dragged in either direction', () => {
  expect(toView(TEN_SECONDS, 7000, 3000)).toEqual({ fromMs: 3000, toMs: 7000 });
  expect(toView(TEN_SECONDS, -50, 20_000)).toEqual(TEN_SECONDS);
});

test.each([
  [300, 4],
  [660, 8],
  [1200, 16],
])('puts round times on the axis, with room for each (%i pixels wide)', (widthPx, most) => {
  for (const toMs of [1, 7, 90, 1234, 45_000, 3_600_000, 90_000_000]) {
    const ticks = toTicks({ fromMs: 0, toMs }, widthPx);
    expect(ticks.length).toBeGreaterThanOrEqual(1);
    expect(ticks.length).toBeLessThanOrEqual(most);
    expect(ticks[0]).toBe(0);
    for (const at of ticks) expect(at).toBeLessThanOrEqual(toMs);
  }
});
