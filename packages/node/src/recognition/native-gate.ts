/** What a thread and the one that started it tell each other: two numbers in shared memory. */
export type NativeGate = Int32Array<SharedArrayBuffer>;

/** 1 while the thread is inside of native code. */
export const IN_NATIVE = 0;
/** 1 from when nobody waits for the thread any more. */
export const GIVEN_UP = 1;

/**
 * Runs native code of a thread that may be given up meanwhile. Throws where it has been: before it begins, or else as
 * soon as it returns.
 */
export async function runNative<Result>(gate: NativeGate, run: () => Promise<Result>): Promise<Result> {
  Atomics.store(gate, IN_NATIVE, 1);
  try {
    throwIfGivenUp(gate);
    return await run();
  } finally {
    Atomics.store(gate, IN_NATIVE, 0);
    throwIfGivenUp(gate);
  }
}

function throwIfGivenUp(gate: NativeGate): void {
  if (Atomics.load(gate, GIVEN_UP) === 1) throw new Error('reading was given up');
}
