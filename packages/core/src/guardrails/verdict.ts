import { type RequestText, type TextForm, UnredactableError } from '../calls/texts.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Steps } from '../foundation/queues.ts';
import type { GuardrailStage } from '../wire/routing.ts';
import type { CompiledFilter } from './filters/compile-filters.ts';
import type { FilterAction, Span } from './filters/filter.ts';

type Side = 'Request' | 'Response';

/** A filter with a match. */
export interface Finding {
  readonly compiled: CompiledFilter;
  /** Matches in the original text; shortened, and not all of them. */
  readonly samples: readonly string[];
  /** A match that the filter is to redact and that must stay as it is: where, as a noun. The call is refused then. */
  readonly unredactable?: string | undefined;
}

/** What a filter does about its matches. */
export const actionOf = ({ compiled, unredactable }: Finding): FilterAction =>
  unredactable === undefined ? compiled.origin.action : 'block';

const WIRE_ACTIONS: Readonly<Record<FilterAction, GuardrailStage['data']['action']>> = {
  block: 'blocked',
  redact: 'redacted',
  flag: 'flagged',
};
const INJECTION = 'regex-prompt-injection';
const MAX_SAMPLES = 20;
const MAX_SAMPLE_LENGTH = 100;

const isInjection = ({ origin: { check } }: CompiledFilter): boolean =>
  check.type === 'built-in' && check.slug === INJECTION;

/** Only prompt injections are shown to callers: the matches of other filters are the very text that must not spread. */
export function toFinding(compiled: CompiledFilter, spans: readonly Span[], read?: (span: Span) => string): Finding {
  const samples =
    read !== undefined && isInjection(compiled)
      ? spans.slice(0, MAX_SAMPLES).map((span) => read(span).slice(0, MAX_SAMPLE_LENGTH))
      : [];
  return { compiled, samples };
}

/** Findings as stages of the pipeline: one for each filter. */
export function toStages(findings: readonly Finding[]): GuardrailStage[] {
  return findings.map((finding) => {
    const { compiled, samples } = finding;
    const { guardrailId, scope } = compiled.origin;
    const common = { type: 'guardrail' as const, guardrail_id: guardrailId, guardrail_scope: scope };
    const data = { action: WIRE_ACTIONS[actionOf(finding)], engines: ['regex'] };
    return isInjection(compiled)
      ? { ...common, name: 'regex_pi_detection', data: { ...data, detected: true, patterns: samples } }
      : {
          ...common,
          name: 'content-filter',
          data: { ...data, flagged: true, matched_entity_types: [compiled.filter.label] },
        };
  });
}

/** The refusal of a call because of a match in a request or a completion (wire.md 16.6). */
export function toBlockError({ compiled, samples, unredactable }: Finding, side: Side): GatewayError {
  if (unredactable !== undefined) {
    const problem = `it matches ${unredactable}, which cannot be redacted`;
    return new GatewayError(
      'permission_denied',
      `${side} blocked by content filter: ${compiled.filter.label}: ${problem}`,
    );
  }
  if (isInjection(compiled)) {
    return new GatewayError('permission_denied', `${side} blocked: prompt injection patterns detected`, {
      metadata: { patterns: samples },
    });
  }
  return new GatewayError('permission_denied', `${side} blocked by content filter: ${compiled.filter.label}`, {
    metadata: metadataOf(side),
  });
}

/** The refusal of texts that no filter can look into. */
export const toUnreadableError = (texts: string): GatewayError =>
  new GatewayError('permission_denied', `Request blocked: content filters cannot read ${texts}; send the text`);

/** The refusal when a guardrail cannot be evaluated: no text passes a filter that has failed. */
export function toUnavailableError(side: Side, cause: unknown): GatewayError {
  return new GatewayError('permission_denied', `${side} blocked: a guardrail is unavailable`, {
    cause,
    metadata: metadataOf(side),
  });
}

/** Whether a call ended because of a guardrail, which is no failure of the endpoint. */
export function isCompletionBlocked({ metadata }: GatewayError): boolean {
  return metadata?.['blocked'] === 'response';
}

/** The compatible body of a blocked request has none. */
function metadataOf(side: Side): { readonly blocked: 'response' } | undefined {
  return side === 'Response' ? { blocked: 'response' } : undefined;
}

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
    // Of one that began in the text before, only the rest is removed.
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

/** JSON as text with its escapes decoded, as a parser reads it: `\u0061` is an `a`. */
interface UnescapedJson {
  readonly text: string;
  /** The beginning in the JSON of each unit of the text, and the end of the last; null where nothing was escaped. */
  readonly offsets: readonly number[] | null;
  /** Length of the JSON that was consumed: all of it at the end, else up to an incomplete escape. */
  readonly taken: number;
}

const SIMPLE: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '"': '"',
  '/': '/',
  '\\': '\\',
};

const hexadecimal = /^[0-9a-f]{0,4}$/i;

/**
 * Decodes the escapes of JSON, or of a piece of it that does not begin within an escape. Invalid escapes remain
 * unchanged.
 */
export function unescapeJson(json: string, isEnd: boolean): UnescapedJson {
  if (!json.includes('\\')) return { text: json, offsets: null, taken: json.length };
  // Joined at once: a text that has grown by single characters is slow to read.
  const texts: string[] = [];
  const offsets: number[] = [];
  let at = 0;
  while (at < json.length) {
    const escape = json.charAt(at) === '\\' ? readEscape(json, at) : null;
    if (escape !== null && escape.end > json.length && !isEnd) break;
    offsets.push(at);
    const isWhole = escape !== null && escape.end <= json.length;
    texts.push(isWhole ? escape.unit : json.charAt(at));
    at = isWhole ? escape.end : at + 1;
  }
  offsets.push(at);
  return { text: texts.join(''), offsets, taken: at };
}

const STEP_LENGTH = 16_384;

/** JSON as text, and the way back. */
interface ReadJson {
  readonly text: string;
  /** Where a unit of the text begins in the JSON; null where nothing was escaped. */
  readonly writtenAt: ((offset: number) => number) | null;
}

interface JsonPiece {
  /** Where it begins in the text, and in the JSON. */
  readonly at: number;
  readonly start: number;
  /** Within the piece, as `UnescapedJson` has them. */
  readonly offsets: Uint16Array | null;
}

/** Does in steps what `unescapeJson` does at once with a whole text. */
export function* unescapeInSteps(json: string): Steps<ReadJson> {
  if (!json.includes('\\')) return { text: json, writtenAt: null };
  const texts: string[] = [];
  const pieces: JsonPiece[] = [];
  let length = 0;
  for (let at = 0; at < json.length;) {
    const isEnd = at + STEP_LENGTH >= json.length;
    const piece = json.slice(at, at + STEP_LENGTH);
    const { text, offsets: ofPiece, taken } = unescapeJson(piece, isEnd);
    pieces.push({ at: length, start: at, offsets: ofPiece && Uint16Array.from(ofPiece) });
    texts.push(text);
    length += text.length;
    at += taken;
    yield;
  }
  const writtenAt = (offset: number): number => {
    const piece = findPiece(pieces, offset);
    return piece.start + (piece.offsets?.[offset - piece.at] ?? offset - piece.at);
  };
  return { text: texts.join(''), writtenAt };
}

/** The escape that begins there; one that ends behind the JSON is not complete. Null when there is none. */
function readEscape(json: string, at: number): { readonly unit: string; readonly end: number } | null {
  const letter = json.charAt(at + 1);
  if (letter !== 'u') {
    const unit = letter === '' ? '' : SIMPLE[letter];
    return unit === undefined ? null : { unit, end: at + 2 };
  }
  const digits = json.slice(at + 2, at + 6);
  if (!hexadecimal.test(digits)) return null;
  return { unit: String.fromCharCode(Number.parseInt(digits, 16)), end: at + 6 };
}

export function isJsonDocument(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Encodes a text as the content of a JSON string, without the quotes. */
export function toJsonContent(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Returns the piece that this offset is in; `at` is where a piece begins, in ascending order. */
export function findPiece<Piece extends { readonly at: number }>(pieces: readonly Piece[], offset: number): Piece {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((pieces[middle] as Piece).at <= offset) low = middle;
    else high = middle - 1;
  }
  return pieces[low] as Piece;
}
