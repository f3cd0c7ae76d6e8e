import { type RequestText, type TextForm, UnredactableError } from '../calls/text-map.ts';
import type { Steps } from '../foundation/async/steps.ts';
import type { Span } from './filters/filter.ts';
import { isJsonDocument, toJsonContent } from './unescape-json.ts';

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
 * first text and the rest is removed. Throws `UnredactableError` where arguments of a tool would be no JSON any more.
 */
export function* replaceIn(
  given: readonly RequestText[],
  texts: readonly PlacedText[],
  replacements: readonly Replacement[],
): Steps<readonly string[]> {
  const results: string[] = [];
  let next = 0;
  for (const [index, { text, form }] of given.entries()) {
    const { start, text: shown, writtenAt } = texts[index] as PlacedText;
    const end = start + shown.length;
    const written = (offset: number): number => writtenAt?.(offset - start) ?? offset - start;
    const spans: Replacement[] = [];
    while (next < replacements.length) {
      const replacement = replacements[next] as Replacement;
      if (replacement.start >= end) break;
      spans.push({
        start: written(Math.max(start, replacement.start)),
        end: written(Math.min(end, replacement.end)),
        placeholder: replacement.start < start ? '' : replacement.placeholder,
      });
      if (replacement.end > end) break;
      next += 1;
      if (next % REPLACEMENTS_A_STEP === 0) yield;
    }
    results.push(spans.length === 0 ? text : yield* replaceSpans(text, spans, form));
  }
  return results;
}

function* replaceSpans(text: string, spans: readonly Replacement[], form: TextForm): Steps<string> {
  if ((form === 'arguments' || form === 'result') && isJsonDocument(text)) {
    const json = yield* replaceInJson(text, spans);
    if (json !== null) return json;
    if (form === 'arguments') throw new UnredactableError('more than one value in the arguments of a tool');
  }
  let pieces: string[] = [];
  let done = '';
  let at = 0;
  for (const [index, { start, end, placeholder }] of spans.entries()) {
    pieces.push(text.slice(at, start), toForm(placeholder, form));
    at = end;
    if (index % REPLACEMENTS_A_STEP !== REPLACEMENTS_A_STEP - 1) continue;
    done += pieces.join('');
    pieces = [];
    yield;
  }
  return done + pieces.join('') + text.slice(at);
}

function toForm(placeholder: string, form: TextForm): string {
  if (placeholder === '') return '';
  if (form === 'arguments') return toJsonContent(placeholder);
  return form === 'name' ? placeholder.replace(/[^\w.-]+/g, '') || 'REDACTED' : placeholder;
}

/** A string with its quotes, a number or another word, or a mark between them. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[^\s"{}[\],:]+|[\s{}[\],:]+/gs;

/** Replaces parts of strings, and whole numbers and words by strings; null where more than one of them is matched. */
function* replaceInJson(json: string, spans: readonly Replacement[]): Steps<string | null> {
  let pieces: string[] = [];
  let done = '';
  let at = 0;
  let next = 0;
  let read = 0;
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    const end = index + token.length;
    const isString = token.startsWith('"');
    while (next < spans.length && (spans[next] as Replacement).start < end) {
      const span = spans[next] as Replacement;
      next += 1;
      if (span.end > (isString ? end - 1 : end) || (isString && span.start === index)) return null;
      if (isString) {
        pieces.push(json.slice(at, span.start), toJsonContent(span.placeholder));
        at = span.end;
      } else if (/^[\s{}[\],:]/.test(token)) return null;
      else if (at < end) {
        pieces.push(json.slice(at, index), JSON.stringify(span.placeholder));
        at = end;
      }
    }
    if (next === spans.length) break;
    read += 1;
    if (read % REPLACEMENTS_A_STEP !== 0) continue;
    done += pieces.join('');
    pieces = [];
    yield;
  }
  return done + pieces.join('') + json.slice(at);
}
