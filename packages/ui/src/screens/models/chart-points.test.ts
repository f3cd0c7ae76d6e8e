import { expect, test } from 'vitest';

import { type ChartPoint, placePoints, toScales } from './chart-points.ts';

const point = (id: string, price: number, speed: number, requests = 1): ChartPoint => ({
  id,
  name: id,
  price,
  speed,
  requests,
  usd: 0,
});
const AREA = { left: 40, top: 10, width: 800, height: 400 };

test('prices go by factors, speeds evenly, and free models stand before the cheapest', () => {
  const points = [point('free', 0, 0), point('cheap', 0.1, 50), point('dear', 10, 200)];
  const { x, y, prices, speeds } = toScales(points, AREA);
  expect(x(1) - x(0.1)).toBeCloseTo(x(10) - x(1));
  expect(x(0)).toBeLessThan(x(0.1) - 20);
  expect([y(0), speeds[0]]).toEqual([410, 0]);
  expect(y(50) - y(100)).toBeCloseTo(y(100) - y(150));
  expect(prices).toEqual([0.1, 0.2, 0.5, 1, 2, 5, 10]);
});

test('the area of a point is in proportion to its requests, and the most used lies below the others', () => {
  const points = [point('rare', 1, 50, 1), point('usual', 2, 100, 400), point('half', 3, 150, 100)];
  const placed = placePoints(points, toScales(points, AREA), AREA);
  expect(placed.map(({ point: { id } }) => id)).toEqual(['usual', 'half', 'rare']);
  const [usual, half] = placed.map(({ radius }) => radius - 11);
  expect((half ?? 0) / (usual ?? 1)).toBeCloseTo(0.5);
});

test('a name is left out where it would cover another', () => {
  const points = [point('first-model', 1, 100, 9), point('second-model', 1.1, 100, 5), point('third-model', 1.2, 100)];
  const labels = placePoints(points, toScales(points, AREA), AREA).map(({ label }) => label);
  expect(labels.filter((label) => label === null)).toHaveLength(1);
});
