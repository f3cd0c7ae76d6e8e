import { type ActivityQuery, type ActivitySum, createActivityBook } from '@model-gateway/core';

import { setImmediate } from '../../node-timers.ts';
import type { SegmentName } from '../log/segment-name.ts';
import { GenerationEntry } from './generation-entry.ts';
import type { GenerationRows } from './generation-rows.ts';

/** Number of records that are read in one turn, which takes a few milliseconds, or skipped by their day. */
const MAX_READ = 500;
const MAX_PASSED_OVER = 50_000;

/** Sums of generations' activity, computed on request: first over all generations, later over new ones only. */
export interface GenerationActivity {
  read(query: ActivityQuery): Promise<readonly ActivitySum[]>;
  /** Must be called before an entry is changed; `changed` must be called after that. */
  changing(entry: GenerationEntry): void;
  changed(entry: GenerationEntry): void;
  /** Must be called after segments were removed: the next request adds up everything again. */
  reset(): void;
}

/** Creates the sums over the segments that `segments` returns at any time. */
export function createGenerationActivity(segments: () => readonly GenerationRows[]): GenerationActivity {
  let book = createActivityBook();
  /** The first day in the book; undefined until the first request. */
  let since: string | undefined;
  /** Number of the first rows of each segment that have been added up, if their day is in the book. */
  const counted = new Map<SegmentName, number>();

  const countedOf = (segment: SegmentName): number => counted.get(segment) ?? 0;
  const reset = (): void => {
    book = createActivityBook();
    since = undefined;
    counted.clear();
  };
  const isCounted = ({ segment, row, origin }: GenerationEntry): boolean =>
    since !== undefined && row < countedOf(segment) && origin.day >= since;
  const beginAt = (day: string): void => {
    if (since === undefined || day < since) reset();
    else if (day > since) book.forgetBefore(day);
    since = day;
  };

  return {
    async read({ since: day, principalIds }) {
      if (principalIds !== undefined) return addUp(segments(), day, principalIds);
      beginAt(day);
      // Found again after every turn, because a `reset` may have emptied the book meanwhile.
      for (;;) {
        const rows = segments().find(({ segment, count }) => countedOf(segment) < count);
        if (rows === undefined) break;
        const end = addTurn(rows, countedOf(rows.segment), (entry) => {
          if (entry.origin.day < (since ?? day)) return false;
          book.add(entry.readRecord());
          return true;
        });
        counted.set(rows.segment, end);
        await nextTurn();
      }
      return book.sums().filter(({ date }) => date >= day);
    },
    changing(entry) {
      if (isCounted(entry)) book.subtract(entry.readRecord());
    },
    changed(entry) {
      if (isCounted(entry)) book.add(entry.readRecord());
    },
    reset,
  };
}

/** The same sums for some principals only; these are not stored. */
async function addUp(
  segments: readonly GenerationRows[],
  since: string,
  principalIds: ReadonlySet<string>,
): Promise<readonly ActivitySum[]> {
  const book = createActivityBook();
  for (const rows of segments) {
    let row = 0;
    while (row < rows.count) {
      row = addTurn(rows, row, (entry) => {
        const { day, principalId } = entry.origin;
        if (day < since || !principalIds.has(principalId)) return false;
        book.add(entry.readRecord());
        return true;
      });
      await nextTurn();
    }
  }
  return book.sums();
}

/** Adds up rows for one turn; returns the first row of the next. `add` returns whether it has read the entry. */
function addTurn(rows: GenerationRows, from: number, add: (entry: GenerationEntry) => boolean): number {
  const end = Math.min(rows.count, from + MAX_PASSED_OVER);
  let read = 0;
  for (let row = from; row < end; row += 1) {
    if (add(new GenerationEntry(rows, row))) read += 1;
    if (read >= MAX_READ) return row + 1;
  }
  return end;
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
