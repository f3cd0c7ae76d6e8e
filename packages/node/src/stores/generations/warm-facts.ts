import type { GenerationEntry } from './generation-entry.ts';

export interface WarmingOptions {
  /** All generations, newest first. */
  readonly entries: () => Iterable<GenerationEntry>;
  /** How many there are. */
  readonly count: () => number;
  readonly setTimer: (callback: () => void, delayMs: number) => () => void;
  readonly monotonicNow: () => number;
}

/** The process listens by then, and whoever waited for that has been served. */
const FIRST_MS = 500;
/** Read in one turn: a millisecond. */
const READ_IN_A_TURN = 200;
const PASSED_IN_A_TURN = 10_000;
const BETWEEN_MS = 4;
/** A timer that is later than this has waited for other work. */
const LATE_MS = 5;
const BUSY_MS = 250;
/** From the end of a round to the next, which reads what has been recorded since. */
const REST_MS = 5 * 60 * 1000;

/**
 * Reads the facts of all generations, newest first, while the process has nothing else to do: the first chart after a
 * start would have to read them at once, which takes half a second for 100,000. Returns what ends it.
 */
export function startWarming({ entries, count, setTimer, monotonicNow }: WarmingOptions): () => void {
  let left: Iterator<GenerationEntry> | undefined;
  let counted = -1;
  let cancelTimer = (): void => undefined;

  const wait = (delayMs: number): void => {
    const dueAt = monotonicNow() + delayMs;
    cancelTimer = setTimer(() => wait(monotonicNow() - dueAt > LATE_MS ? BUSY_MS : readSome()), delayMs);
  };
  /** Returns how long to wait before the next turn. */
  const readSome = (): number => {
    if (left === undefined) {
      const present = count();
      if (present === counted) return REST_MS;
      counted = present;
      left = entries()[Symbol.iterator]();
    }
    for (let passed = 0, read = 0; passed < PASSED_IN_A_TURN && read < READ_IN_A_TURN; passed += 1) {
      const next = left.next();
      if (next.done === true) {
        left = undefined;
        return REST_MS;
      }
      if (next.value.hasFacts) continue;
      next.value.readFacts();
      read += 1;
    }
    return BETWEEN_MS;
  };

  wait(FIRST_MS);
  return () => cancelTimer();
}
