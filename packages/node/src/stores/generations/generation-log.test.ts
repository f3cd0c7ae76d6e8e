import { expect, test } from 'vitest';

import { createManualTimers } from '../../../../../test/support/async/manual-timers.ts';
import { toRecord } from '../../../../../test/support/stores/generation-records.ts';
import { createGenerationIndex, type GenerationIndex } from './generation-index.ts';
import { toGenerationText } from './generation-lines.ts';
import { startWarming } from './generation-log.ts';

function addGeneration(index: GenerationIndex, id: string): void {
  const { generation, principalId, costNanoUsd } = toRecord(id);
  const common = { principalId, userId: undefined, workspaceId: undefined, isByok: false };
  const version = { ...common, costNanoUsd, day: '2026-03-01', text: toGenerationText(generation) };
  index.add({ id, segment: '2026-03-01', version, content: null });
}

function startWith(generations: number) {
  const index = createGenerationIndex();
  for (let at = 0; at < generations; at += 1) addGeneration(index, `g${at}`);
  const timers = createManualTimers();
  let nowMs = 0;
  let askedMs = 0;
  let isLookedAt = true;
  const stop = startWarming({
    entries: index.newestFirst,
    wereAsked: () => isLookedAt,
    monotonicNow: () => nowMs,
    setTimer(callback, delayMs) {
      askedMs = delayMs;
      return timers.setTimer(callback, delayMs);
    },
  });
  /** Lets the time that was asked for go by, and so much more. */
  const turn = (lateMs = 0): number => {
    nowMs += askedMs + lateMs;
    timers.fire(Number.MAX_VALUE);
    return askedMs;
  };
  const warm = (): string[] => [...index.entries()].filter((entry) => entry.hasFacts).map(({ id }) => id);
  const look = (isNow: boolean): void => void (isLookedAt = isNow);
  return { index, turn, warm, look, stop };
}

test('facts are read newest first, some in each turn, and then there is a long pause', () => {
  const { turn, warm } = startWith(450);
  expect(warm()).toEqual([]);
  turn();
  expect(warm().length).toBe(200);
  expect(warm()[0]).toBe('g250');
  turn();
  expect(turn()).toBeGreaterThan(60_000);
  expect(warm().length).toBe(450);
});

test('nothing is read while other work makes timers late, and it goes on after that', () => {
  const { turn, warm } = startWith(10);
  expect(turn(30)).toBeGreaterThan(100);
  expect(turn(8)).toBeGreaterThan(100);
  expect(warm()).toEqual([]);
  turn();
  expect(warm().length).toBe(10);
});

test('what is recorded later is read in a later round', () => {
  const { index, turn, warm } = startWith(3);
  turn();
  addGeneration(index, 'new');
  expect(warm()).not.toContain('new');
  turn();
  expect(warm()).toContain('new');
});

test('what is recorded later is left unread while nobody looks at charts', () => {
  const { index, turn, warm, look } = startWith(3);
  turn();
  addGeneration(index, 'new');
  look(false);
  turn();
  turn();
  expect(warm()).not.toContain('new');
  look(true);
  turn();
  expect(warm()).toContain('new');
});

test('nothing is read once it is ended', () => {
  const { turn, warm, stop } = startWith(3);
  stop();
  turn();
  expect(warm()).toEqual([]);
});
