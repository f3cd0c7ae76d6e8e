import { expect, test } from 'vitest';

import { createReplay, type ReplaySpeed } from './create-replay.ts';

/** A replay of a second whose frames come when the test says so. */
function setUp({ speed = 1, stepMs = 0 }: { readonly speed?: ReplaySpeed; readonly stepMs?: number } = {}) {
  let now = 0;
  const callbacks: (() => void)[] = [];
  const replay = createReplay({
    schedule: (callback) => void callbacks.push(callback),
    now: () => now,
    durationMs: 1000,
    speed,
    stepMs,
  });
  const seen: number[] = [];
  replay.subscribe(() => seen.push(replay.getState().atMs));
  const paint = (afterMs: number): void => {
    now += afterMs;
    for (const callback of callbacks.splice(0)) callback();
  };
  return { replay, seen, paint, frames: () => callbacks.length };
}

test('stands at the end, plays from the beginning in its own time, and stops there', () => {
  const { replay, paint, frames } = setUp();
  expect(replay.getState()).toEqual({ atMs: 1000, isPlaying: false, speed: 1 });
  expect(frames()).toBe(0);
  replay.play();
  expect(replay.getState()).toMatchObject({ atMs: 0, isPlaying: true });
  for (const expected of [200, 400, 600, 800]) {
    paint(200);
    expect(replay.getState()).toMatchObject({ atMs: expected, isPlaying: true });
  }
  paint(240);
  expect(replay.getState()).toMatchObject({ atMs: 1000, isPlaying: false });
  expect(frames()).toBe(0);
});

test('goes four times as fast, and to the end at once', () => {
  const { replay, paint } = setUp({ speed: 4 });
  replay.play();
  paint(100);
  expect(replay.getState().atMs).toBe(400);
  replay.setSpeed('instant');
  expect(replay.getState()).toEqual({ atMs: 1000, isPlaying: false, speed: 'instant' });
  replay.seek(10);
  replay.play();
  expect(replay.getState()).toMatchObject({ atMs: 1000, isPlaying: false });
});

test('goes on where it was paused, and stays where it was put', () => {
  const { replay, paint, frames } = setUp();
  replay.play();
  paint(100);
  replay.pause();
  paint(100);
  expect(replay.getState()).toMatchObject({ atMs: 100, isPlaying: false });
  replay.play();
  paint(50);
  expect(replay.getState().atMs).toBe(150);
  replay.seek(700);
  paint(50);
  expect(replay.getState()).toMatchObject({ atMs: 700, isPlaying: false });
  replay.seek(-5);
  expect(replay.getState().atMs).toBe(0);
  replay.seek(5000);
  expect(replay.getState().atMs).toBe(1000);
  expect(frames()).toBe(0);
});

test('is not twice as fast when it is paused and played before the next frame', () => {
  const { replay, paint } = setUp();
  replay.play();
  replay.pause();
  replay.play();
  paint(100);
  paint(100);
  expect(replay.getState().atMs).toBe(200);
});

test('rests while no frame comes, as in a page that is hidden', () => {
  const { replay, paint } = setUp();
  replay.play();
  paint(100);
  paint(60_000);
  expect(replay.getState()).toMatchObject({ atMs: 350, isPlaying: true });
});

test('changes only so often where less motion is wanted', () => {
  const { replay, paint, seen } = setUp({ stepMs: 300 });
  replay.play();
  for (let frame = 0; frame < 10; frame += 1) paint(100);
  expect(seen).toEqual([0, 300, 600, 900, 1000]);
});
