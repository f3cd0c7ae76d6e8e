import type { Platform } from '../../foundation/platform.ts';
import type { GenerationRepository } from '../../stores/store.ts';
import type { HoldBook } from '../hold-book.ts';
import type { Hold, WorstCase } from '../hold.ts';
import type { SliceDesk } from './slice-desk.ts';
import type { SliceShelf } from './slice-shelf.ts';

export interface CountedHoldsOptions {
  readonly book: HoldBook;
  readonly shelf: SliceShelf;
  readonly desk: Pick<SliceDesk, 'noteFree'>;
  readonly platform: Pick<Platform, 'setTimer'>;
  readonly generations: Pick<GenerationRepository, 'onCounted'>;
}

/** What of the holds is counted by the store: neither twice for long, nor by nobody for a moment. */
export interface CountedHolds {
  /** Releases what is held for a call; its cost, if it has one, stays until the store has counted it. */
  release(id: string, cost?: WorstCase): void;
  /** Releases what is held for a call, because the store counts it already. */
  leaveToStore(id: string): void;
  /** Resolves after the store has counted a generation, or could not for some seconds. */
  until(id: string): Promise<void> | undefined;
  /** Lets calls in that wait for what has become free. */
  noteFree(spenders: readonly string[]): void;
  /** Waits a moment for what is not counted yet. */
  close(): Promise<void>;
}

const UNTIL_LIMIT_MS = 10_000;
const CLOSE_LIMIT_MS = 1000;

export function createCountedHolds(options: CountedHoldsOptions): CountedHolds {
  const { book, shelf, desk, platform, generations } = options;
  /** Calls that have been recorded, and not counted. */
  const recorded = new Set<string>();
  /** Calls that were counted before the process that appended them noticed it. */
  const early = new Set<string>();
  const waiting = new Map<string, () => void>();
  let onAllCounted: (() => void) | undefined;

  const noteFree = (spenders: readonly string[]): void => {
    for (const spender of spenders) for (const slice of shelf.ofSpender(spender)) desk.noteFree(slice);
  };
  /** The store counts it from now on, so the slices become smaller by it. */
  const moveToStore = (holds: readonly Hold[]): void => {
    for (const { spenders, creditsNanoUsd, anyNanoUsd } of holds) {
      for (const slice of spenders.flatMap(shelf.ofSpender)) {
        const amount = slice.held.includesByok ? anyNanoUsd : (creditsNanoUsd ?? 0);
        slice.leasedNanoUsd = Math.max(0, slice.leasedNanoUsd - amount);
        slice.countedMeanwhileNanoUsd += amount;
      }
    }
  };
  const leaveToStore = (id: string): void => moveToStore(book.release(id));
  const note = (ids: readonly string[]): void => {
    for (const id of ids) {
      waiting.get(id)?.();
      if (recorded.delete(id)) leaveToStore(id);
      else if (book.of(id) !== undefined) early.add(id);
    }
    if (recorded.size === 0) onAllCounted?.();
  };
  const countsLater = generations.onCounted !== undefined;
  const stop = generations.onCounted?.(note);

  return {
    release(id, cost) {
      const holds = book.release(id);
      const [hold] = holds;
      if (hold === undefined) return;
      const isCounted = early.delete(id) || !countsLater;
      if (cost !== undefined) {
        const settled: Hold = { ...hold, creditsNanoUsd: cost.creditsNanoUsd, anyNanoUsd: cost.anyNanoUsd };
        if (isCounted) moveToStore([settled]);
        else if (cost.anyNanoUsd > 0) {
          book.add(settled);
          recorded.add(id);
        }
      }
      noteFree(hold.spenders);
    },
    leaveToStore,
    until(id) {
      if (!countsLater) return undefined;
      return new Promise((resolve) => {
        const end = (): void => {
          cancel();
          waiting.delete(id);
          resolve();
        };
        const cancel = platform.setTimer(end, UNTIL_LIMIT_MS);
        waiting.set(id, end);
      });
    },
    noteFree,
    async close() {
      if (recorded.size > 0) {
        await new Promise<void>((resolve) => {
          onAllCounted = resolve;
          platform.setTimer(resolve, CLOSE_LIMIT_MS);
        });
      }
      stop?.();
    },
  };
}
