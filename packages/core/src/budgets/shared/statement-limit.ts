import type { Platform } from '../../foundation/platform.ts';

/** Rejects where work at the store takes too long. */
export type StatementLimit = <Value>(work: Promise<Value>) => Promise<Value>;

/**
 * The limit is counted in steps, as a timer that is due comes before a response that waits in its socket: a process
 * that was busy, or paused, for longer than the limit has lost one step, and reads before the next.
 */
const STEPS = 16;

/** A store that takes longer than the limit is held to be away. */
export function createStatementLimit({ setTimer }: Pick<Platform, 'setTimer'>, limitMs: number): StatementLimit {
  return (work) =>
    new Promise((resolve, reject) => {
      let cancel = (): void => undefined;
      const wait = (steps: number): void => {
        if (steps === 0) reject(new Error('The store did not respond in time'));
        else cancel = setTimer(() => wait(steps - 1), limitMs / STEPS);
      };
      wait(STEPS);
      work.then(resolve, reject).finally(() => cancel());
    });
}
