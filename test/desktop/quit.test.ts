import { beforeEach, expect, test, vi } from 'vitest';

import { createQuitter } from '../../desktop/src/main/quit.ts';

/** What the user answers, and how often the app was told to quit. */
const user = vi.hoisted(() => ({ answers: [] as number[], quits: 0 }));

vi.mock('electron', () => ({
  app: { on: () => undefined, quit: () => void (user.quits += 1), getPath: () => '/nowhere' },
  dialog: { showMessageBox: () => Promise.resolve({ response: user.answers.shift() }) },
}));

const [WHEN_DONE, CANCEL] = [0, 2];

beforeEach(() => {
  user.answers = [];
  user.quits = 0;
});

/** A quitter over a gateway with calls under way, which end when the test says so. */
function start({ isPaused = false } = {}) {
  const listeners: (() => void)[] = [];
  const pauses: boolean[] = [];
  const figures = { openCalls: 2, today: { requests: 0, costUsd: 0 }, latest: [], failures: [] };
  const gateway = {
    state: isPaused
      ? ({ phase: 'paused', isDemo: false } as const)
      : ({ phase: 'listening', url: 'http://127.0.0.1:1', port: 1, isDemo: false } as const),
    figures,
    readFigures: () => Promise.resolve(figures),
    onChange: (listener: () => void) => void listeners.push(listener),
  };
  const quitter = createQuitter(gateway, (isWanted) => void pauses.push(isWanted));
  const end = (): void => {
    figures.openCalls = 0;
    for (const listener of listeners) listener();
  };
  return { quitter, pauses, end };
}

test('the app that waits for its calls pauses, and quits when they have ended', async () => {
  const { quitter, pauses, end } = start();
  user.answers = [WHEN_DONE];
  await quitter.quit();
  expect([pauses, user.quits]).toEqual([[true], 0]);
  end();
  expect(user.quits).toBe(1);
});

test('to cancel quitting takes back an earlier wish to quit when the calls are done', async () => {
  const { quitter, pauses, end } = start();
  user.answers = [WHEN_DONE, CANCEL];
  await quitter.quit();
  await quitter.quit();
  end();
  expect([pauses, user.quits]).toEqual([[true, false], 0]);
});

test('to cancel quitting leaves a gateway paused that the user had paused', async () => {
  const { quitter, pauses, end } = start({ isPaused: true });
  user.answers = [WHEN_DONE, CANCEL];
  await quitter.quit();
  await quitter.quit();
  end();
  expect([pauses, user.quits]).toEqual([[true], 0]);
});
