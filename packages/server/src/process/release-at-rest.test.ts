import { expect, test } from 'vitest';

import { createRestWatch } from './release-at-rest.ts';

const MIB = 1024 * 1024;

/** A process of 100 MiB that has `openCalls`; a collection leaves it at `afterMib`. */
function watchProcess() {
  const state = { openCalls: 0, mib: 100, afterMib: 110, released: 0 };
  const look = createRestWatch({
    openCalls: () => state.openCalls,
    residentBytes: () => state.mib * MIB,
    release() {
      state.released += 1;
      state.mib = state.afterMib;
    },
  });
  return { state, look };
}

test('memory is released once when nothing has been under way for two looks', () => {
  const { state, look } = watchProcess();
  Object.assign(state, { openCalls: 3, mib: 400 });
  for (let looks = 0; looks < 5; looks += 1) look();
  expect(state.released).toBe(0);
  state.openCalls = 0;
  look();
  expect(state.released).toBe(0);
  for (let looks = 0; looks < 5; looks += 1) look();
  expect(state).toMatchObject({ released: 1, mib: 110 });
});

test('a call between two looks begins the rest anew', () => {
  const { state, look } = watchProcess();
  state.mib = 400;
  for (const openCalls of [0, 1, 0, 1, 0]) {
    state.openCalls = openCalls;
    look();
  }
  expect(state.released).toBe(0);
  look();
  expect(state.released).toBe(1);
});

test('memory that has hardly grown since the last release is left alone', () => {
  const { state, look } = watchProcess();
  Object.assign(state, { mib: 400, afterMib: 390 });
  look();
  look();
  expect(state.released).toBe(1);
  for (const [openCalls, mib] of [
    [1, 420],
    [0, 420],
    [0, 420],
    [1, 460],
    [0, 460],
    [0, 460],
  ] as const) {
    Object.assign(state, { openCalls, mib });
    look();
  }
  expect(state.released).toBe(2);
});
