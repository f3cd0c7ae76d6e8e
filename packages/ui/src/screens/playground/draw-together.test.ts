import { beforeEach, expect, test, vi } from 'vitest';

import { drawTogether } from './workbench.tsx';

let asked: (() => void)[] = [];
const passFrame = (): void => asked.splice(0).forEach((callback) => callback());

beforeEach(() => {
  asked = [];
  vi.stubGlobal('requestAnimationFrame', (callback: () => void) => asked.push(callback));
  return () => vi.unstubAllGlobals();
});

test('calls all that wait back in one frame, the fourth, and each of them once', () => {
  const drawn: string[] = [];
  drawTogether(() => drawn.push('a'));
  passFrame();
  drawTogether(() => drawn.push('b'));
  expect([drawn, asked.length]).toEqual([[], 1]);
  for (let frames = 0; frames < 3; frames += 1) passFrame();
  expect(drawn).toEqual(['a', 'b']);
  passFrame();
  expect(drawn).toEqual(['a', 'b']);
});

test('restarts with callbacks that are added while the others are called', () => {
  const drawn: string[] = [];
  drawTogether(() => {
    drawn.push('a');
    drawTogether(() => drawn.push('b'));
  });
  for (let frames = 0; frames < 7; frames += 1) passFrame();
  expect(drawn).toEqual(['a']);
  passFrame();
  expect(drawn).toEqual(['a', 'b']);
});
