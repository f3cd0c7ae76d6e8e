import process from 'node:process';

/** What Redis knows of the minute of an id. */
export interface Count {
  /** Calls of all processes so far, those beyond the limit included. */
  readonly consumedPoints: number;
  readonly msBeforeNext: number;
}

export interface CountedCall {
  readonly isExceeded: boolean;
  readonly msBeforeNext: number;
}

export interface CountCallsAheadOptions {
  readonly limit: number;
  /** Counts so many calls of an id at Redis. */
  readonly count: (id: string, calls: number) => Promise<Count>;
}

/** What this process knows of the minute of an id, and has of it. Times are those of the monotonic clock. */
interface Minute {
  /** Calls that are counted already and have not come yet. */
  free: number;
  /** Calls that were left at the last count. */
  left: number;
  endsAt: number;
  /** How many were counted ahead the last time, and when. */
  ahead: number;
  aheadAt: number;
  isCountingAhead: boolean;
}

/** The calls of an id in one turn of the event loop. */
interface Turn {
  calls: number;
  readonly counted: Promise<Count>;
}

/**
 * This share of what is left may be counted ahead. Others cannot use it before the minute is over, so it is small: with
 * less than 1,000 calls left, each call is counted as it comes.
 */
const AHEAD_SHARE = 1 / 1000;
/** What is counted ahead is to last this long. */
const AHEAD_MS = 2000;
/** Beyond it, the minute that was noted first is forgotten, and with it what was counted ahead. */
const MAX_MINUTES = 10_000;

/**
 * Counts calls at Redis: those of the same turn of the event loop with one command, and, while much of the limit is
 * left, some that are expected soon, which pass without asking then (docs/decisions/0048-calls-counted-ahead.md).
 */
export function countCallsAhead({ limit, count }: CountCallsAheadOptions): (id: string) => Promise<CountedCall> {
  const minutes = new Map<string, Minute>();
  const turns = new Map<string, Turn>();

  const minuteOf = (id: string): Minute => {
    const present = minutes.get(id);
    if (present !== undefined) return present;
    const minute = { free: 0, left: 0, endsAt: 0, ahead: 0, aheadAt: 0, isCountingAhead: false };
    minutes.set(id, minute);
    const [first] = minutes.size > MAX_MINUTES ? minutes.keys() : [];
    if (first !== undefined) minutes.delete(first);
    return minute;
  };
  /** Counts the calls of a turn, and others ahead. Resolves with what Redis would have said of the turn alone. */
  const countTurn = async (id: string, calls: number): Promise<Count> => {
    const minute = minuteOf(id);
    const askedAt = performance.now();
    const ahead = aheadOf(minute, askedAt);
    if (ahead > 0) Object.assign(minute, { ahead, aheadAt: askedAt, isCountingAhead: true });
    try {
      const { consumedPoints, msBeforeNext } = await count(id, calls + ahead);
      const counted = consumedPoints - ahead;
      minute.left = Math.max(0, limit - counted);
      minute.endsAt = askedAt + msBeforeNext;
      if (ahead > 0) minute.free = Math.min(ahead, minute.left);
      return { consumedPoints: counted, msBeforeNext };
    } finally {
      if (ahead > 0) minute.isCountingAhead = false;
    }
  };
  const beginTurn = (id: string): Turn => {
    const counted = new Promise<Count>((resolve) =>
      process.nextTick(() => {
        turns.delete(id);
        resolve(countTurn(id, turn.calls));
      }),
    );
    const turn: Turn = { calls: 0, counted };
    turns.set(id, turn);
    return turn;
  };

  return async (id) => {
    const minute = minutes.get(id);
    if (minute !== undefined && minute.free > 0) {
      const msBeforeNext = minute.endsAt - performance.now();
      minute.free -= 1;
      if (msBeforeNext > 0) return { isExceeded: false, msBeforeNext };
      minute.free = 0;
    }
    const turn = turns.get(id) ?? beginTurn(id);
    turn.calls += 1;
    const place = turn.calls;
    const { consumedPoints, msBeforeNext } = await turn.counted;
    return { isExceeded: consumedPoints - turn.calls + place > limit, msBeforeNext };
  };
}

/** None before it is known how much is left of the minute, and none while others are being counted ahead. */
function aheadOf({ left, endsAt, ahead, aheadAt, isCountingAhead }: Minute, now: number): number {
  if (isCountingAhead || now >= endsAt) return 0;
  const wanted = now - aheadAt < AHEAD_MS ? 2 * ahead : ahead;
  return Math.min(Math.max(1, wanted), Math.floor(left * AHEAD_SHARE));
}
