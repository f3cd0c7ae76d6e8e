import { runAtOnce, type Steps } from '../../foundation/queues.ts';
import type { Filter, Span } from './filter.ts';
import { findInWindows } from './find-in-windows.ts';

export interface PatternFilterOptions {
  readonly label: string;
  readonly placeholder: string;
  readonly trigger: string;
  readonly beginning?: string | undefined;
  /**
   * A pattern of the gateway itself, so the fast engine of the platform runs it. Every repetition in it has an upper
   * bound: time is linear in the text, and a match and what it looks ahead at have at most 1,024 characters. May look
   * behind by a few characters. Case makes no difference.
   */
  readonly pattern: RegExp;
  /**
   * A check that a pattern cannot express, a checksum for example. Returns the actual end of the match, or null when
   * there is no match after all.
   */
  readonly measure?: ((text: string, start: number, end: number) => number | null) | undefined;
}

const REACH = 1024;

/** Creates a filter from one pattern and a check of what it matched. */
export function createPatternFilter(options: PatternFilterOptions): Filter {
  const { label, placeholder, trigger, beginning, measure } = options;
  const searching = { pattern: new RegExp(options.pattern.source, 'gi'), reach: REACH };
  const sticky = new RegExp(options.pattern.source, 'yi');

  const endOf = (text: string, found: string, start: number): number | null => {
    const end = start + found.length;
    return measure === undefined ? end : measure(text, start, end);
  };
  function* search(text: string, atOnce: number): Steps<readonly Span[]> {
    const spans: Span[] = [];
    yield* findInWindows(text, searching, atOnce, (found, start) => {
      const end = endOf(text, found, start);
      if (end !== null) spans.push({ start, end });
      // A wrong beginning may hide a right one: a short number before a card's.
      return end ?? start + 1;
    });
    return spans;
  }

  return {
    label,
    placeholder,
    trigger,
    beginning,
    findAll: (text) => runAtOnce(search(text, text.length)),
    search: (text) => search(text, 0),
    endAt(text, at) {
      sticky.lastIndex = at;
      const match = sticky.exec(text);
      return match === null ? null : endOf(text, match[0], at);
    },
  };
}
