import type { Filter, Span } from './filter.ts';

export interface PatternFilterOptions {
  readonly label: string;
  readonly placeholder: string;
  readonly trigger: string;
  /**
   * A pattern of the gateway itself, so the fast engine of the platform runs it. Every repetition in it has an upper
   * bound: time is linear in the text. May look behind by a few characters. Case makes no difference.
   */
  readonly pattern: RegExp;
  /**
   * A check that a pattern cannot express, a checksum for example. Returns the actual end of the match, or null when
   * there is no match after all.
   */
  readonly measure?: ((text: string, start: number, end: number) => number | null) | undefined;
}

/** Creates a filter from one pattern and a check of what it matched. */
export function createPatternFilter(options: PatternFilterOptions): Filter {
  const { label, placeholder, trigger, measure } = options;
  const searching = new RegExp(options.pattern.source, 'gi');
  const sticky = new RegExp(options.pattern.source, 'yi');

  const endOf = (text: string, { 0: found, index }: RegExpExecArray): number | null => {
    const end = index + found.length;
    return measure === undefined ? end : measure(text, index, end);
  };

  return {
    label,
    placeholder,
    trigger,
    findAll(text) {
      const spans: Span[] = [];
      searching.lastIndex = 0;
      for (let match = searching.exec(text); match !== null; match = searching.exec(text)) {
        const end = endOf(text, match);
        if (end !== null) spans.push({ start: match.index, end });
        // A wrong beginning may hide a right one: a short number before a card's.
        searching.lastIndex = end ?? match.index + 1;
      }
      return spans;
    },
    endAt(text, at) {
      sticky.lastIndex = at;
      const match = sticky.exec(text);
      return match === null ? null : endOf(text, match);
    },
  };
}
