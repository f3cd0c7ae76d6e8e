import { expect, test } from 'vitest';

import { createRestWatch } from './tune-process.ts';

const MIB = 1024 * 1024;

/** A process of 100 MiB that has `openCalls`; a collection leaves it at `afterMib`. */
function watchProcess() {
  const state = { openCalls: 0, cpuMicroseconds: 0, mib: 100, afterMib: 110, released: 0 };
  const look = createRestWatch({
    openCalls: () => state.openCalls,
    cpuMicroseconds: () => state.cpuMicroseconds,
    residentBytes: () => state.mib * MIB,
    release() {
      state.released += 1;
      state.mib = state.afterMib;
    },
  });
  const lookOften = (times: number): void => {
    for (let looks = 0; looks < times; looks += 1) look();
  };
  return { state, lookOften };
}

test('memory is released once when nothing has been done for ten looks', () => {
  const { state, lookOften } = watchProcess();
  Object.assign(state, { openCalls: 3, mib: 400 });
  lookOften(20);
  expect(state.released).toBe(0);
  state.openCalls = 0;
  lookOften(9);
  expect(state.released).toBe(0);
  lookOften(20);
  expect(state).toMatchObject({ released: 1, mib: 110 });
});

test('a call at the time of a look begins the rest again', () => {
  const { state, lookOften } = watchProcess();
  state.mib = 400;
  for (const openCalls of [0, 1, 0]) {
    state.openCalls = openCalls;
    lookOften(9);
  }
  expect(state.released).toBe(0);
  lookOften(1);
  expect(state.released).toBe(1);
});

test('a call that begins and ends between two looks begins the rest again by the CPU time it took', () => {
  const { state, lookOften } = watchProcess();
  state.mib = 400;
  lookOften(9);
  state.cpuMicroseconds += 150_000;
  lookOften(10);
  expect(state.released).toBe(0);
  lookOften(1);
  expect(state.released).toBe(1);
});

test('the CPU time of timers does not end a rest', () => {
  const { state, lookOften } = watchProcess();
  state.mib = 400;
  for (let looks = 0; looks < 10; looks += 1) {
    state.cpuMicroseconds += 20_000;
    lookOften(1);
  }
  expect(state.released).toBe(1);
});

test('memory that has hardly grown since the last release is left alone', () => {
  const { state, lookOften } = watchProcess();
  Object.assign(state, { mib: 400, afterMib: 390 });
  lookOften(10);
  expect(state.released).toBe(1);
  for (const mib of [420, 460]) {
    Object.assign(state, { openCalls: 1, mib });
    lookOften(1);
    state.openCalls = 0;
    lookOften(10);
  }
  expect(state.released).toBe(2);
});
