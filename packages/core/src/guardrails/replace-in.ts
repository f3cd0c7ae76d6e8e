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

const REPLACEMENTS_A_STEP = 4096;

/** All of several filters, in order; those of each are in order. Of overlapping ones, the first replaces all that they cover. */
export function* mergeOverlaps(lists: readonly (readonly Replacement[])[]): Steps<readonly Replacement[]> {
  const merged: Replacement[] = [];
  const places = lists.map(() => 0);
  for (let taken = 1; ; taken += 1) {
    const from = findFirst(lists, places);
    const replacement = lists[from]?.[places[from] ?? 0];
    if (replacement === undefined) return merged;
    places[from] = (places[from] ?? 0) + 1;
    const last = merged.at(-1);
    if (last === undefined || replacement.start >= last.end) merged.push(replacement);
    else if (replacement.end > last.end) merged[merged.length - 1] = { ...last, end: replacement.end };
    if (taken % REPLACEMENTS_A_STEP === 0) yield;
  }
}

/** The list whose next replacement comes first; of those that begin together, the longest. */
function findFirst(lists: readonly (readonly Replacement[])[], places: readonly number[]): number {
  let found = 0;
  let first: Replacement | undefined;
  for (let index = 0; index < lists.length; index += 1) {
    const next = lists[index]?.[places[index] ?? 0];
    if (next === undefined) continue;
    const isFirst =
      first === undefined || next.start < first.start || (next.start === first.start && next.end > first.end);
    if (isFirst) [found, first] = [index, next];
  }
  return found;
}

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
    let pieces: string[] = [];
    let done = '';
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
      if (next % REPLACEMENTS_A_STEP === 0) {
        done += pieces.join('');
        pieces = [];
        yield;
      }
    }
    results.push(at === start ? text : done + pieces.join('') + text.slice(written(at)));
  }
  return results;
}
