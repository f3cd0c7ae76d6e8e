import fc from 'fast-check';

/** Something that takes input from outside, and what holds whatever comes. */
export interface FuzzTarget {
  readonly name: string;
  /** What holds, as a sentence. */
  readonly promise: string;
  /** Runs of an ordinary test run, in which all targets together take a few seconds. */
  readonly runs: number;
  /** Prepares what all runs share; what it opens ends with the test. The property throws where the promise is broken. */
  prepare(): Promise<fc.IAsyncProperty<unknown[]> | fc.IProperty<unknown[]>>;
}

/** How long a target is tried, and the seed of what it is tried with. */
export interface FuzzEffort {
  /** Undefined: as many runs as the target says. */
  readonly seconds: number | undefined;
  readonly seed: number;
}

/** What came of it. */
export interface FuzzOutcome {
  readonly name: string;
  readonly promise: string;
  readonly seed: number;
  readonly runs: number;
  readonly seconds: number;
  /** The smallest input that broke the promise, and how; null where none did. */
  readonly finding: { readonly input: string; readonly error: string } | null;
}

/** Tries a target with made-up input until its time or its runs are over, or its promise is broken. */
export async function tryTarget(target: FuzzTarget, { seconds, seed }: FuzzEffort): Promise<FuzzOutcome> {
  const { name, promise, runs } = target;
  const property = await target.prepare();
  const startedAt = performance.now();
  const details = await fc.check(property as fc.IAsyncProperty<unknown[]>, {
    seed,
    // A time without an end of runs: the runner draws them one by one.
    ...(seconds === undefined
      ? { numRuns: runs }
      : { numRuns: 2 ** 40, interruptAfterTimeLimit: seconds * 1000, markInterruptAsFailure: false }),
  });
  const { failed, counterexample, errorInstance } = details;
  const error = errorInstance instanceof Error ? (errorInstance.stack ?? errorInstance.message) : String(errorInstance);
  return {
    name,
    promise,
    seed,
    runs: details.numRuns,
    seconds: (performance.now() - startedAt) / 1000,
    finding: failed ? { input: fc.stringify(counterexample), error } : null,
  };
}
