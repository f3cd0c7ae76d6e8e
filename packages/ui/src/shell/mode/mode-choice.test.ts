import type { FixtureState } from '@model-gateway/core/wire';
import { expect, test } from 'vitest';

import { toModeChoice } from './mode-choice.ts';

const LIVE: FixtureState = {
  mode: 'live',
  switches_to: ['live', 'replay', 'record-missing', 'record-all'],
  fixed_because: null,
  recording: null,
  record_at: null,
  dir: '/data/recordings',
  saves: false,
  cases: 0,
  unused: 0,
  misses: 0,
  sets: [],
};
const REASON = 'No provider';
const DEMO: FixtureState = { ...LIVE, mode: 'replay', switches_to: [], fixed_because: REASON, dir: '/demo', cases: 9 };
const desktop = { state: { phase: 'listening' } } as const;

/** What is in force as the menu marks it. */
const marked = ({ options, value }: ReturnType<typeof toModeChoice>): string | undefined =>
  options.find((option) => option.value === value)?.label;

test('offers the modes that the gateway can be switched to, with the one in force marked', () => {
  const choice = toModeChoice(LIVE, null);
  expect(choice.options.map(({ label }) => label)).toEqual(['Live', 'Replay', 'Record missing', 'Record all']);
  expect([choice.now.label, marked(choice), choice.canRecord]).toEqual(['Live', 'Live', true]);
  expect(choice.note).toBe('Recordings go to /data/recordings');
});

test('offers no second recording while one goes on', () => {
  const recording = { since: '2026-01-01T00:00:00Z', cases: 1 };
  expect(toModeChoice({ ...LIVE, mode: 'record-all', recording }, null).canRecord).toBe(false);
});

test('says why nothing can be switched', () => {
  expect(toModeChoice(DEMO, null)).toMatchObject({
    now: { label: 'Demo' },
    value: undefined,
    options: [],
    note: REASON,
    canRecord: false,
  });
});

test.each<[string, FixtureState]>([
  ['the demo', DEMO],
  ['live', LIVE],
  ['replay', { ...LIVE, mode: 'replay', saves: true }],
])('marks in the desktop app the very mode that the badge names: %s', (_name, state) => {
  const choice = toModeChoice(state, desktop);
  expect(marked(choice)).toBe(choice.now.label);
});

test('records in the desktop app by its own mode, and never in its demo', () => {
  expect(toModeChoice(LIVE, desktop).options.map(({ label }) => label)).toEqual(['Live', 'Replay', 'Record all']);
  expect(toModeChoice(LIVE, desktop).canRecord).toBe(true);
  expect(toModeChoice(DEMO, desktop).options.map(({ label }) => label)).toEqual(['Demo', 'Replay']);
  expect(toModeChoice(DEMO, desktop).canRecord).toBe(false);
});
