import { expect, test } from 'vitest';

import { GIVEN_UP, IN_NATIVE, type NativeGate, runNative } from './native-gate.ts';

const createGate = (): NativeGate => new Int32Array(new SharedArrayBuffer(8));

test('says that a thread is inside of native code for as long as it is', async () => {
  const gate = createGate();
  expect(await runNative(gate, () => Promise.resolve(Atomics.load(gate, IN_NATIVE)))).toBe(1);
  expect(Atomics.load(gate, IN_NATIVE)).toBe(0);
  await expect(runNative(gate, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(Atomics.load(gate, IN_NATIVE)).toBe(0);
});

test('begins nothing once it was given up, and hands on nothing that ends after that', async () => {
  const gate = createGate();
  const late = runNative(gate, () => {
    Atomics.store(gate, GIVEN_UP, 1);
    return Promise.resolve('late');
  });
  await expect(late).rejects.toThrow('given up');
  let hasBegun = false;
  const next = runNative(gate, () => Promise.resolve((hasBegun = true)));
  await expect(next).rejects.toThrow('given up');
  expect([hasBegun, Atomics.load(gate, IN_NATIVE)]).toEqual([false, 0]);
});
