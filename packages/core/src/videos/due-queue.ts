import type { Platform } from '../platform.ts';

export interface DueQueueOptions {
  readonly platform: Pick<Platform, 'monotonicNow' | 'setTimer'>;
  /** At least this long between two runs. */
  readonly spacingMs: number;
  readonly run: (id: string) => void;
}

/** Many times, one timer. */
export interface DueQueue {
  /** Runs the id once `delayMs` from now, in place of when it was due before. */
  schedule(id: string, delayMs: number): void;
  has(id: string): boolean;
  stop(): void;
}

/** Creates a queue that runs what is due, the earliest first. */
export function createDueQueue({ platform, spacingMs, run }: DueQueueOptions): DueQueue {
  /** On the monotonic clock. */
  const dueAt = new Map<string, number>();
  let lastRunAt = Number.NEGATIVE_INFINITY;
  let cancelTimer: (() => void) | undefined;
  let isStopped = false;

  const earliest = (): readonly [string, number] =>
    [...dueAt].reduce((first, each) => (each[1] < first[1] ? each : first), ['', Number.POSITIVE_INFINITY]);

  const arm = (): void => {
    cancelTimer?.();
    cancelTimer = undefined;
    if (isStopped || dueAt.size === 0) return;
    const at = Math.max(earliest()[1], lastRunAt + spacingMs);
    cancelTimer = platform.setTimer(runNext, Math.max(at - platform.monotonicNow(), 0));
  };

  const runNext = (): void => {
    const now = platform.monotonicNow();
    const [id, at] = earliest();
    if (at <= now) {
      lastRunAt = now;
      dueAt.delete(id);
      run(id);
    }
    arm();
  };

  return {
    schedule(id, delayMs) {
      dueAt.set(id, platform.monotonicNow() + delayMs);
      arm();
    },
    has: (id) => dueAt.has(id),
    stop() {
      isStopped = true;
      cancelTimer?.();
    },
  };
}
