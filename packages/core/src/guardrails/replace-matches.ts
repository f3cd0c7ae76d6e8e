import { type RequestText, type TextForm, UnredactableError } from '../calls/texts.ts';
import type { Steps } from '../foundation/queues.ts';
import type { Span } from './filters/filter.ts';
import { isJsonDocument, toJsonContent } from './json-text.ts';

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
    const placed = texts[index] as PlacedText;
    const end = placed.start + placed.text.length;
    const first = next;
    while (next < replacements.length && (replacements[next] as Replacement).end <= end) next += 1;
    // The last one may go on in the next text.
    const last = replacements[next];
    const past = last !== undefined && last.start < end ? next + 1 : next;
    results.push(past === first ? text : yield* replaceAll(text, form, placed, replacements.slice(first, past)));
  }
  return results;
}

function* replaceAll(
  text: string,
  form: TextForm,
  { start, text: shown, writtenAt }: PlacedText,
  spans: readonly Replacement[],
): Steps<string> {
  const length = shown.length;
  const written = (offset: number): number => {
    const within = Math.min(Math.max(offset - start, 0), length);
    return writtenAt === null ? within : writtenAt(within);
  };
  if ((form === 'arguments' || form === 'result') && isJsonDocument(text)) {
    const json = yield* replaceInJson(text, spans, written, start);
    if (json !== null) return json;
    if (form === 'arguments') throw new UnredactableError('more than one value in the arguments of a tool');
  }
  let pieces: string[] = [];
  let done = '';
  let at = 0;
  let count = 0;
  for (const span of spans) {
    pieces.push(text.slice(at, written(span.start)));
    // When a match began in the text before, only its rest is removed.
    if (span.start >= start) pieces.push(toForm(span.placeholder, form));
    at = written(span.end);
    count += 1;
    if (count % REPLACEMENTS_A_STEP !== 0) continue;
    done += pieces.join('');
    pieces = [];
    yield;
  }
  return done + pieces.join('') + text.slice(at);
}

function toForm(placeholder: string, form: TextForm): string {
  if (form === 'arguments') return toJsonContent(placeholder);
  return form === 'name' ? placeholder.replace(/[^\w.-]+/g, '') || 'REDACTED' : placeholder;
}

/** A string with its quotes, a number or another word, or a mark between them. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[^\s"{}[\],:]+|[\s{}[\],:]+/gs;

/** Replaces parts of strings, and whole numbers and words by strings; null where more than one of them is matched. */
function* replaceInJson(
  json: string,
  spans: readonly Replacement[],
  written: (offset: number) => number,
  start: number,
): Steps<string | null> {
  let pieces: string[] = [];
  let done = '';
  let at = 0;
  let next = 0;
  let steps = 0;
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    const end = index + token.length;
    const isString = token.startsWith('"');
    const isMark = !isString && /^[\s{}[\],:]/.test(token);
    for (; next < spans.length; next += 1) {
      const span = spans[next] as Replacement;
      const from = written(span.start);
      if (from >= end) break;
      const to = written(span.end);
      // One that began in the text before would leave nothing in its place.
      if (isMark || span.start < start || to > (isString ? end - 1 : end) || (isString && from === index)) return null;
      if (isString) pieces.push(json.slice(at, from), toJsonContent(span.placeholder));
      else if (at < end) pieces.push(json.slice(at, index), JSON.stringify(span.placeholder));
      at = isString ? to : end;
      steps += 1;
      if (steps % REPLACEMENTS_A_STEP === 0) yield;
    }
    if (next === spans.length) break;
    steps += 1;
    if (steps % REPLACEMENTS_A_STEP !== 0) continue;
    done += pieces.join('');
    pieces = [];
    yield;
  }
  return done + pieces.join('') + json.slice(at);
}
