import { beforeEach, expect, test, vi } from 'vitest';

import { drawTogether } from './draw-together.ts';

let asked: ((now: number) => void)[] = [];
let now = 0;
const passFrame = (ms = 20): void => {
  now += ms;
  for (const callback of asked.splice(0)) callback(now);
};

beforeEach(() => {
  asked = [];
  vi.stubGlobal('requestAnimationFrame', (callback: (now: number) => void) => asked.push(callback));
  return () => vi.unstubAllGlobals();
});

test('calls all that wait back in one frame, after a tenth of a second, and each of them once', () => {
  const drawn: string[] = [];
  drawTogether(() => drawn.push('a'));
  passFrame();
  drawTogether(() => drawn.push('b'));
  expect([drawn, asked.length]).toEqual([[], 1]);
  for (let frames = 0; frames < 5; frames += 1) passFrame();
  expect(drawn).toEqual(['a', 'b']);
  passFrame();
  expect(drawn).toEqual(['a', 'b']);
});

test('draws at most ten times a second, however many frames the screen has', () => {
  let drawn = 0;
  const again = (): void => {
    drawn += 1;
    drawTogether(again);
  };
  drawTogether(again);
  for (let frames = 0; frames < 240; frames += 1) passFrame(1000 / 240);
  expect(drawn).toBeGreaterThanOrEqual(9);
  expect(drawn).toBeLessThanOrEqual(10);
});
