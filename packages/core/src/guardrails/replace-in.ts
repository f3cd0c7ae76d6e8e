import type { RequestText } from '../calls/text-map.ts';
import type { Steps } from '../foundation/async/steps.ts';
import type { Span } from './filters/filter.ts';
import { toJsonContent } from './unescape-json.ts';

/** A text, and its offset in the concatenation of all texts. */
export interface PlacedText extends Pick<RequestText, 'text' | 'role'> {
  readonly start: number;
  /** Where a unit begins in the original text; null where the offsets are equal. */
  readonly writtenAt: ((offset: number) => number) | null;
}

export interface Replacement extends Span {
  readonly placeholder: string;
}

/** Puts replacements in order. Of overlapping ones, the first replaces all that they cover. */
export function mergeOverlaps(replacements: readonly Replacement[]): readonly Replacement[] {
  const sorted = replacements.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const merged: Replacement[] = [];
  for (const replacement of sorted) {
    const last = merged.at(-1);
    if (last === undefined || replacement.start >= last.end) merged.push(replacement);
    else if (replacement.end > last.end) merged[merged.length - 1] = { ...last, end: replacement.end };
  }
  return merged;
}

const REPLACEMENTS_A_STEP = 4096;

/**
 * Returns the texts with everything replaced. When a match crosses the end of a text, the placeholder is put into the
 * first text and the rest is removed.
 */
export function* replaceIn(
  given: readonly RequestText[],
  texts: readonly PlacedText[],
  replacements: readonly Replacement[],
): Steps<readonly string[]> {
  const results: string[] = [];
  let next = 0;
  for (const [index, { text, isJson }] of given.entries()) {
    const { start, text: shown, writtenAt } = texts[index] as PlacedText;
    const end = start + shown.length;
    const written = (offset: number): number => writtenAt?.(offset - start) ?? offset - start;
    const pieces: string[] = [];
    let at = start;
    while (next < replacements.length) {
      const replacement = replacements[next] as Replacement;
      if (replacement.start >= end) break;
      pieces.push(text.slice(written(at), written(Math.max(at, replacement.start))));
      if (replacement.start >= start) {
        pieces.push(isJson ? toJsonContent(replacement.placeholder) : replacement.placeholder);
      }
      at = Math.max(at, Math.min(replacement.end, end));
      if (replacement.end > end) break;
      next += 1;
      if (next % REPLACEMENTS_A_STEP === 0) yield;
    }
    results.push(at === start ? text : pieces.join('') + text.slice(written(at)));
  }
  return results;
}
