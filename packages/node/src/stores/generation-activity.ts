import { type ActivityQuery, type ActivitySum, createActivityBook } from '@model-gateway/core';

import { type Entry, recordOfEntry } from './generation-entry.ts';

/** How many records are read in one turn, which takes a few milliseconds, and how many are passed over by their day. */
const MAX_READ = 500;
const MAX_PASSED_OVER = 50_000;

/** Sums of what generations did, added up when somebody asks: what is new since they last did, and all the first time. */
export interface GenerationActivity {
  read(query: ActivityQuery): Promise<readonly ActivitySum[]>;
  /** To be called before an entry is changed, and `changed` after that. */
  changing(entry: Entry): void;
  changed(entry: Entry): void;
  /** Places in the order have changed: all is added up anew when it is asked for next. */
  reset(): void;
}

/** Creates the sums of what `order` returns at any time. */
export function createGenerationActivity(order: () => readonly Entry[]): GenerationActivity {
  let book = createActivityBook();
  /** The first day that is in the book; undefined until somebody asks. */
  let since: string | undefined;
  /** Entries before this place are in the book, if their day is. */
  let counted = 0;

  const reset = (): void => {
    book = createActivityBook();
    since = undefined;
    counted = 0;
  };
  const isCounted = ({ day, position }: Entry): boolean =>
    since !== undefined && position !== -1 && position < counted && day >= since;
  const beginAt = (day: string): void => {
    if (since === undefined || day < since) reset();
    else if (day > since) book.forgetBefore(day);
    since = day;
  };

  return {
    async read({ since: day, principalIds }) {
      if (principalIds !== undefined) return addUp(order(), day, principalIds);
      beginAt(day);
      // Read anew after every turn: what was asked for meanwhile may have begun all over.
      while (counted < order().length) {
        counted = addTurn(order(), counted, (entry) => {
          if (entry.day < (since ?? day)) return false;
          book.add(recordOfEntry(entry));
          return true;
        });
        await nextTurn();
      }
      return book.sums().filter(({ date }) => date >= day);
    },
    changing(entry) {
      if (isCounted(entry)) book.subtract(recordOfEntry(entry));
    },
    changed(entry) {
      if (isCounted(entry)) book.add(recordOfEntry(entry));
    },
    reset,
  };
}

/** The same for some principals alone, which nobody keeps. */
async function addUp(
  order: readonly Entry[],
  since: string,
  principalIds: ReadonlySet<string>,
): Promise<readonly ActivitySum[]> {
  const book = createActivityBook();
  let place = 0;
  while (place < order.length) {
    place = addTurn(order, place, (entry) => {
      if (entry.day < since || !principalIds.has(entry.principalId)) return false;
      book.add(recordOfEntry(entry));
      return true;
    });
    await nextTurn();
  }
  return book.sums();
}

/** Goes on from a place for one turn; returns where the next one begins. `add` tells whether it has read the entry. */
function addTurn(order: readonly Entry[], from: number, add: (entry: Entry) => boolean): number {
  const end = Math.min(order.length, from + MAX_PASSED_OVER);
  let read = 0;
  for (let place = from; place < end; place += 1) {
    const entry = order[place];
    if (entry !== undefined && add(entry)) read += 1;
    if (read >= MAX_READ) return place + 1;
  }
  return end;
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
