import type { FixtureMode, FixtureState } from '@model-gateway/core/wire';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { forgetModeBefore, keepModeBefore, noteRecording, toModeAfter } from './mode-before.ts';

const state = (mode: FixtureMode, cases = 3, recording: FixtureState['recording'] = null): FixtureState => ({
  mode,
  switches_to: ['live', 'replay', 'record-missing', 'record-all'],
  fixed_because: null,
  recording,
  record_at: null,
  dir: '/data/recordings',
  saves: true,
  cases,
  unused: 0,
  misses: 0,
  sets: [],
});
const RECORDING = state('record-all', 3, { since: '2026-01-01T00:00:00Z', cases: 1 });

let stored: Map<string, string>;
beforeEach(() => {
  stored = new Map();
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
    removeItem: (name: string) => void stored.delete(name),
  });
});
afterEach(() => vi.unstubAllGlobals());

test.each(['live', 'replay'] as const)(
  'leads back to the mode before recording, in a page loaded since: %s',
  async (mode) => {
    keepModeBefore(state(mode), 'record-all');
    vi.resetModules();
    const { toModeAfter: toModeAfterReload } = await import('./mode-before.ts');
    expect(toModeAfterReload(RECORDING)).toBe(mode);
  },
);

test('keeps that mode while the way of recording changes, and forgets it with the end', () => {
  keepModeBefore(state('live'), 'record-missing');
  keepModeBefore(RECORDING, 'record-all');
  forgetModeBefore('record-all');
  expect(toModeAfter(RECORDING)).toBe('live');
  forgetModeBefore('live');
  expect(stored.size).toBe(0);
});

test('does not take the mode before one recording for that before another', () => {
  keepModeBefore(state('live'), 'record-all');
  noteRecording(null, RECORDING.recording);
  expect(toModeAfter(RECORDING)).toBe('live');
  const later = { ...RECORDING, recording: { since: '2026-01-02T00:00:00Z', cases: 1 } };
  expect(toModeAfter(later)).toBe('replay');
  // The way of the first one is changed.
  noteRecording(RECORDING.recording, later.recording);
  expect(toModeAfter(later)).toBe('live');
});

test('ends a recording that began elsewhere in what costs nothing, where there is anything to replay', () => {
  expect(toModeAfter(RECORDING)).toBe('replay');
  expect(toModeAfter({ ...RECORDING, cases: 0 })).toBe('live');
});

test('a browser that keeps nothing ends in what costs nothing, too', () => {
  const refuse = (): never => {
    throw new Error('Forbidden');
  };
  vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse, removeItem: refuse });
  keepModeBefore(state('live'), 'record-all');
  expect(toModeAfter(RECORDING)).toBe('replay');
});
