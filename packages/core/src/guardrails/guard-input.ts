import { type RequestText, type TextMap, UnredactableError } from '../calls/texts.ts';
import type { Awaitable } from '../foundation/awaitable.ts';
import { runInSlices, type SlicingPlatform, type Steps } from '../foundation/queues.ts';
import type { CompiledFilter, InputFilters } from './filters/compile-filters.ts';
import type { Span } from './filters/filter.ts';
import { normaliseInSteps, type NormalisedText, normaliseText } from './filters/normalise-text.ts';
import { mergeOverlaps, type PlacedText, replaceIn, type Replacement } from './replace-in.ts';
import { isJsonDocument, unescapeInSteps } from './unescape-json.ts';
import { actionOf, type Finding, toFinding } from './verdict.ts';

/** The result of the guardrails for a request. */
export interface InputVerdict<Request> {
  /** The request with all replacements; the same object when nothing was replaced. */
  readonly request: Request;
  /** Every filter with a match, the strongest action first. A request is refused when one of them blocks. */
  readonly findings: readonly Finding[];
}

/** Above this length, texts are read in steps. */
const LONG_ABOVE = 16_384;

/**
 * Runs the filters over all texts of a request, joined, so that a phrase in several parts of a message is found: parts
 * follow each other directly, other texts on new lines. Long texts are read in slices, between which other calls go on
 * (docs/decisions/0029); only when it takes longer than the first one is the result a promise. When it throws or rejects,
 * the request has not passed.
 */
export function guardInput<Request>(
  request: Request,
  filters: InputFilters,
  map: TextMap<Request>,
  platform: SlicingPlatform,
): Awaitable<InputVerdict<Request>> {
  return runInSlices(guardTexts(request, filters, map), platform);
}

function* guardTexts<Request>(
  request: Request,
  { filters, candidates }: InputFilters,
  map: TextMap<Request>,
): Steps<InputVerdict<Request>> {
  const given: RequestText[] = [];
  map(request, (text) => {
    given.push(text);
    return text.text;
  });
  const { texts, document } = yield* placeTexts(given);
  const isLong = document.length > LONG_ABOVE;
  const normalised = isLong ? yield* normaliseInSteps(document) : normaliseText(document);
  const known = isLong && candidates.search ? yield* candidates.search(normalised.text) : candidates(normalised.text);
  const findings: Finding[] = [];
  const replacements: (readonly Replacement[])[] = [];
  for (const place of known ?? filters.keys()) {
    const compiled = filters[place] as CompiledFilter;
    const { filter, origin } = compiled;
    if (known !== null && filter.isTriggerExact === true && origin.action !== 'redact' && !origin.isUserOnly) {
      findings.push(toFinding(compiled, []));
      continue;
    }
    const spans = yield* findSpans(compiled, normalised, texts);
    if (spans.length === 0) continue;
    const finding = toFinding(compiled, spans, ({ start, end }) => document.slice(start, end));
    const unredactable = origin.action === 'redact' ? findFixed(spans, given, texts) : undefined;
    findings.push(unredactable === undefined ? finding : { ...finding, unredactable });
    if (origin.action !== 'redact') continue;
    replacements.push(spans);
    yield;
  }
  if (replacements.length === 0) return { request, findings };
  const merged = yield* mergeOverlaps(replacements);
  try {
    const replaced = yield* replaceIn(given, texts, merged);
    let next = 0;
    return { request: map(request, () => replaced[next++] as string), findings };
  } catch (error) {
    if (!(error instanceof UnredactableError)) throw error;
    const refused = findings.map((finding) =>
      actionOf(finding) === 'redact' ? { ...finding, unredactable: error.place } : finding,
    );
    return { request, findings: refused };
  }
}

/** The place of the first match in a text that must stay as it is. */
function findFixed(
  spans: readonly Span[],
  given: readonly RequestText[],
  texts: readonly PlacedText[],
): string | undefined {
  let next = 0;
  for (const [index, { form, place }] of given.entries()) {
    const placed = texts[index] as PlacedText;
    while (next < spans.length && (spans[next] as Span).end <= placed.start) next += 1;
    const span = spans[next];
    if (span === undefined) return undefined;
    if (form === 'fixed' && span.start < endOf(placed)) return place;
  }
  return undefined;
}

interface PlacedTexts {
  readonly texts: readonly PlacedText[];
  readonly document: string;
}

function* placeTexts(given: readonly RequestText[]): Steps<PlacedTexts> {
  const texts: PlacedText[] = [];
  let document = '';
  for (const { text, role, isContinued, form } of given) {
    if (!isContinued && document !== '') document += '\n';
    const isJson = form === 'arguments' || (form === 'result' && text.includes('\\') && isJsonDocument(text));
    const shown = isJson ? yield* unescapeInSteps(text) : { text, writtenAt: null };
    texts.push({ text: shown.text, role, start: document.length, writtenAt: shown.writtenAt });
    document += shown.text;
  }
  return { texts, document };
}

/** Matches as offsets in the original, in order, and what replaces them. */
function* findSpans(
  { filter, origin }: CompiledFilter,
  { text, originalStart, originalEnd }: NormalisedText,
  texts: readonly PlacedText[],
): Steps<readonly Replacement[]> {
  const isLong = text.length > (filter.longAbove ?? LONG_ABOVE);
  const found = isLong && filter.search ? yield* filter.search(text) : filter.findAll(text);
  const spans: Replacement[] = [];
  const { placeholder } = filter;
  // Matches and texts are both in order.
  let first = 0;
  for (const [index, span] of found.entries()) {
    const start = originalStart(span.start);
    const end = originalEnd(span.end);
    while (first < texts.length - 1 && endOf(texts[first] as PlacedText) <= start) first += 1;
    if (!origin.isUserOnly || isSaidByUser(texts, first, { start, end })) spans.push({ start, end, placeholder });
    if (index % SPANS_A_STEP === SPANS_A_STEP - 1) yield;
  }
  return spans;
}

const SPANS_A_STEP = 4096;

const endOf = ({ start, text }: PlacedText): number => start + text.length;

/** Whether a part of a match is in a text of the user; `first` is the first text that it may be in. */
function isSaidByUser(texts: readonly PlacedText[], first: number, { start, end }: Span): boolean {
  for (let i = first; i < texts.length; i += 1) {
    const placed = texts[i] as PlacedText;
    if (placed.start >= end) return false;
    if (placed.role === 'user' && endOf(placed) > start) return true;
  }
  return false;
}
