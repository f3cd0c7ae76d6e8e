import type { Platform } from '../foundation/platform.ts';

interface DueQueueOptions {
  readonly platform: Pick<Platform, 'monotonicNow' | 'setTimer' | 'isPerRequest'>;
  /** Minimum time between two runs. */
  readonly spacingMs: number;
  readonly run: (id: string) => void;
}

/** Many times, one timer; none where timers belong to requests. */
interface DueQueue {
  /** Runs the id once `delayMs` from now, in place of its earlier time. */
  schedule(id: string, delayMs: number): void;
  has(id: string): boolean;
  /** Whether the time of an id is still to come. */
  waits(id: string): boolean;
  stop(): void;
}

interface Due {
  readonly id: string;
  /** Time on the monotonic clock. */
  readonly at: number;
}

const STALE = 100;

/** Creates a queue that runs what is due, the earliest first. Each step costs little however many wait. */
export function createDueQueue({ platform, spacingMs, run }: DueQueueOptions): DueQueue {
  const latest = new Map<string, Due>();
  /** A binary heap, the earliest on top. Rescheduled entries remain until they are due or there are too many. */
  let heap: Due[] = [];
  let lastRunAt = Number.NEGATIVE_INFINITY;
  let armedFor = Number.POSITIVE_INFINITY;
  let cancelTimer: (() => void) | undefined;
  let isStopped = false;

  /** The earliest entry that was not rescheduled; removes the outdated ones before it. */
  const first = (): Due | undefined => {
    for (let due = heap[0]; due !== undefined; due = heap[0]) {
      if (latest.get(due.id) === due) return due;
      removeFirst(heap);
    }
    return undefined;
  };

  const arm = (): void => {
    const due = first();
    if (isStopped || due === undefined || platform.isPerRequest === true) return;
    const at = Math.max(due.at, lastRunAt + spacingMs);
    if (at >= armedFor) return;
    cancelTimer?.();
    armedFor = at;
    cancelTimer = platform.setTimer(runNext, Math.max(at - platform.monotonicNow(), 0));
  };

  const runNext = (): void => {
    armedFor = Number.POSITIVE_INFINITY;
    const now = platform.monotonicNow();
    const due = first();
    if (due !== undefined && due.at <= now) {
      lastRunAt = now;
      removeFirst(heap);
      latest.delete(due.id);
      run(due.id);
    }
    arm();
  };

  return {
    schedule(id, delayMs) {
      const due = { id, at: platform.monotonicNow() + delayMs };
      latest.set(id, due);
      insert(heap, due);
      // Whatever is in order is a heap.
      if (heap.length > 2 * latest.size + STALE)
        heap = [...latest.values()].toSorted((one, other) => one.at - other.at);
      arm();
    },
    has: (id) => latest.has(id),
    waits: (id) => (latest.get(id)?.at ?? Number.NEGATIVE_INFINITY) > platform.monotonicNow(),
    stop() {
      isStopped = true;
      cancelTimer?.();
    },
  };
}

function insert(heap: Due[], due: Due): void {
  let at = heap.length;
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || parent.at <= due.at) break;
    heap[at] = parent;
    at = above;
  }
  heap[at] = due;
}

function removeFirst(heap: Due[]): void {
  const moved = heap.pop();
  if (moved === undefined || heap.length === 0) return;
  let at = 0;
  for (;;) {
    const left = heap[2 * at + 1];
    const right = heap[2 * at + 2];
    const isRight = right !== undefined && left !== undefined && right.at < left.at;
    const child = isRight ? right : left;
    if (child === undefined || child.at >= moved.at) break;
    heap[at] = child;
    at = 2 * at + (isRight ? 2 : 1);
  }
  heap[at] = moved;
}
