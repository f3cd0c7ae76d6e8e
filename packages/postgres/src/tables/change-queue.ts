import type { Tables } from '@model-gateway/core';

import { isConnectionFailure } from '../connection/errors.ts';

type Change = (tables: Tables) => Tables;

/** Changes that are made together. */
export interface WaitingChanges {
  /**
   * The tables after all of them, one on what the one before has left. One that throws changes nothing, and fails by
   * itself. May be called more than once, on other tables.
   */
  apply(tables: Tables): Tables;
}

/** Work on the tables, one after the other. */
export interface ChangeQueue {
  /** Resolves when the change is durable. */
  change(change: Change): Promise<void>;
  run(work: () => Promise<void>): Promise<void>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

interface Waiting {
  readonly change: Change;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Makes a queue. `commit` makes changes durable; what it rejects with has happened to none of them. */
export function createChangeQueue(commit: (changes: WaitingChanges) => Promise<void>): ChangeQueue {
  let waiting: Waiting[] = [];
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
  const takeWaiting = (): Waiting[] => {
    const taken = waiting;
    waiting = [];
    return taken;
  };
  const commitWaiting = async (): Promise<void> => {
    const taken = takeWaiting();
    if (taken.length === 0) return;
    let failures = new Map<Waiting, unknown>();
    const apply = (tables: Tables): Tables => {
      failures = new Map();
      let present = tables;
      for (const one of taken) {
        try {
          present = one.change(present);
        } catch (error) {
          failures.set(one, error);
        }
      }
      return present;
    };
    try {
      await commit({ apply });
    } catch (error) {
      // Each of those that came meanwhile would wait for as long.
      for (const { reject } of isConnectionFailure(error) ? [...taken, ...takeWaiting()] : taken) reject(error);
      return;
    }
    for (const one of taken) {
      if (failures.has(one)) one.reject(failures.get(one));
      else one.resolve();
    }
  };
  return {
    change: (change) =>
      new Promise((resolve, reject) => {
        waiting.push({ change, resolve, reject });
        if (waiting.length === 1) void inTurn(commitWaiting);
      }),
    run: inTurn,
    settled: async () => void (await last),
  };
}
