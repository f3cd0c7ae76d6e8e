import type { RequestText, TextMap } from '../calls/text-map.ts';
import type { CompiledFilter, InputFilters } from './filters/compile-filters.ts';
import type { Span } from './filters/filter.ts';
import { type NormalisedText, normaliseText } from './filters/normalise-text.ts';
import { toJsonContent, unescapeJson } from './unescape-json.ts';
import { type Finding, toFinding } from './verdict.ts';

/** The result of the guardrails for a request. */
export interface InputVerdict<Request> {
  /** The request with all replacements; the same object when nothing was replaced. */
  readonly request: Request;
  /** Every filter with a match, the strongest action first. A request is refused when that one blocks. */
  readonly findings: readonly Finding[];
}

/** A text, and its offset in the concatenation of all texts. */
interface PlacedText extends Pick<RequestText, 'text' | 'role'> {
  readonly start: number;
  /** The beginning in the original text of each unit, and the end of the last; null where the offsets are equal. */
  readonly offsets: readonly number[] | null;
}

/**
 * Runs the filters over all texts of a request, joined, so that a phrase in several parts of a message is found: parts
 * follow each other directly, other texts on new lines. When it throws, the request has not passed.
 */
export function guardInput<Request>(
  request: Request,
  { filters, candidates }: InputFilters,
  map: TextMap<Request>,
): InputVerdict<Request> {
  const texts: PlacedText[] = [];
  let document = '';
  map(request, ({ text, role, isContinued, isJson }) => {
    if (!isContinued && document !== '') document += '\n';
    const shown = isJson ? unescapeJson(text, true) : { text, offsets: null };
    texts.push({ text: shown.text, role, start: document.length, offsets: shown.offsets });
    document += shown.text;
    return text;
  });
  const normalised = normaliseText(document);
  const findings: Finding[] = [];
  const replacements: Replacement[] = [];
  for (const place of candidates(normalised.text)) {
    const compiled = filters[place] as CompiledFilter;
    const spans = findSpans(compiled, normalised, texts);
    if (spans.length === 0) continue;
    findings.push(
      toFinding(
        compiled,
        spans.map(({ start, end }) => document.slice(start, end)),
      ),
    );
    if (compiled.origin.action === 'redact') {
      replacements.push(...spans.map((span) => ({ ...span, placeholder: compiled.filter.placeholder })));
    }
  }
  if (replacements.length === 0) return { request, findings };
  return { request: replaceIn(request, map, texts, withoutOverlaps(replacements)), findings };
}

/** Matches as offsets in the original. */
function findSpans(
  { filter, origin }: CompiledFilter,
  { text, originalStart, originalEnd }: NormalisedText,
  texts: readonly PlacedText[],
): readonly Span[] {
  const spans = filter.findAll(text).map(({ start, end }) => ({ start: originalStart(start), end: originalEnd(end) }));
  if (!origin.isUserOnly) return spans;
  return spans.filter(({ start, end }) =>
    texts.some((placed) => placed.role === 'user' && placed.start < end && placed.start + placed.text.length > start),
  );
}

interface Replacement extends Span {
  readonly placeholder: string;
}

/** In order. Of overlapping ones, the first replaces all that they cover. */
function withoutOverlaps(replacements: readonly Replacement[]): Replacement[] {
  const sorted = replacements.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const merged: Replacement[] = [];
  for (const replacement of sorted) {
    const last = merged.at(-1);
    if (last === undefined || replacement.start >= last.end) merged.push(replacement);
    else if (replacement.end > last.end) merged[merged.length - 1] = { ...last, end: replacement.end };
  }
  return merged;
}

/** When a match crosses the end of a text, the placeholder is put into the first text and the rest is removed. */
function replaceIn<Request>(
  request: Request,
  map: TextMap<Request>,
  texts: readonly PlacedText[],
  replacements: readonly Replacement[],
): Request {
  let index = 0;
  let next = 0;
  return map(request, ({ text, isJson }) => {
    const { start, text: shown, offsets } = texts[index] as PlacedText;
    index += 1;
    const end = start + shown.length;
    const written = (offset: number): number => offsets?.[offset - start] ?? offset - start;
    let replaced = '';
    let at = start;
    while (next < replacements.length) {
      const replacement = replacements[next] as Replacement;
      if (replacement.start >= end) break;
      replaced += text.slice(written(at), written(Math.max(at, replacement.start)));
      if (replacement.start >= start) {
        replaced += isJson ? toJsonContent(replacement.placeholder) : replacement.placeholder;
      }
      at = Math.max(at, Math.min(replacement.end, end));
      if (replacement.end > end) break;
      next += 1;
    }
    return at === start ? text : replaced + text.slice(written(at));
  });
}
