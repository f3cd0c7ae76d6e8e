import { expect, test } from 'vitest';

import { panBy, toTicks, toView, zoomAt } from './view.ts';

const WHOLE = { fromMs: 0, toMs: 10_000 };

test('zooms around the moment under the pointer, which stays where it is', () => {
  const view = zoomAt(WHOLE, WHOLE, 0.5, 2500);
  expect(view).toEqual({ fromMs: 1250, toMs: 6250 });
  expect(zoomAt(view, WHOLE, 2, 2500)).toEqual(WHOLE);
});

test('zooms neither beyond the whole nor nearer than can be told', () => {
  expect(zoomAt({ fromMs: 0, toMs: 100 }, WHOLE, 1000, 50)).toEqual(WHOLE);
  const nearest = zoomAt(WHOLE, WHOLE, 0.000001, 10_000);
  expect(nearest).toEqual({ fromMs: 9998, toMs: 10_000 });
});

test('moves sideways until the edge', () => {
  const view = { fromMs: 1000, toMs: 2000 };
  expect(panBy(view, WHOLE, 500)).toEqual({ fromMs: 1500, toMs: 2500 });
  expect(panBy(view, WHOLE, -5000)).toEqual({ fromMs: 0, toMs: 1000 });
  expect(panBy(view, WHOLE, 50_000)).toEqual({ fromMs: 9000, toMs: 10_000 });
});

test('takes a span that was dragged in either direction', () => {
  expect(toView(WHOLE, 7000, 3000)).toEqual({ fromMs: 3000, toMs: 7000 });
  expect(toView(WHOLE, -50, 20_000)).toEqual(WHOLE);
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
