import { type ActivityQuery, type ActivitySum, createActivityBook } from '@model-gateway/core';

import { setImmediate } from '../../node-timers.ts';
import type { SegmentName } from '../log/segment-name.ts';
import type { GenerationEntry } from './generation-entry.ts';
import type { IndexedSegment } from './generation-index.ts';

/** Number of records that are read in one turn, which takes a few milliseconds, or skipped by their day. */
const MAX_READ = 500;
const MAX_PASSED_OVER = 50_000;

/** What the sums are made of. */
type ActivitySegment = Pick<IndexedSegment, 'name' | 'entries'>;

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
export function createGenerationActivity(segments: () => readonly ActivitySegment[]): GenerationActivity {
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
        const segment = segments().find(({ name, entries }) => countedOf(name) < entries.length);
        if (segment === undefined) break;
        const end = addTurn(segment, countedOf(segment.name), (entry) => {
          if (entry.origin.day < (since ?? day)) return false;
          book.add(entry.readRecord());
          return true;
        });
        counted.set(segment.name, end);
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
  segments: readonly ActivitySegment[],
  since: string,
  principalIds: ReadonlySet<string>,
): Promise<readonly ActivitySum[]> {
  const book = createActivityBook();
  for (const segment of segments) {
    let row = 0;
    while (row < segment.entries.length) {
      row = addTurn(segment, row, (entry) => {
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
function addTurn({ entries }: ActivitySegment, from: number, add: (entry: GenerationEntry) => boolean): number {
  const end = Math.min(entries.length, from + MAX_PASSED_OVER);
  let read = 0;
  for (let row = from; row < end; row += 1) {
    if (add(entries[row] as GenerationEntry)) read += 1;
    if (read >= MAX_READ) return row + 1;
  }
  return end;
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
