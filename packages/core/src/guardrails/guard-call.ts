import { type ModelCall, type Pipeline, withRequest } from '../calls/model-call.ts';
import type { Place } from '../calls/text-places.ts';
import { type RequestText, type TextForm, type TextMap, UnredactableError } from '../calls/texts.ts';
import { type Awaitable, whenKnown } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import { runInSlices, type SlicingPlatform, type Steps } from '../foundation/queues.ts';
import type { GuardrailStage } from '../wire/routing.ts';
import type { CompiledFilter, InputFilters, OutputFilters } from './filters/compile-filters.ts';
import type { Span } from './filters/filter.ts';
import { type NormalisedText, normaliseInSteps, normaliseText } from './filters/normalise-text.ts';
import { EXACT_LENGTH } from './filters/search.ts';
import { isJsonDocument, unescapeInSteps } from './json-text.ts';
import type { Policy } from './policy.ts';
import { mergeOverlaps, type PlacedText, replaceIn, type Replacement } from './replace-matches.ts';
import { createTextGuard, guardInSteps } from './text-guard.ts';
import {
  actionOf,
  type Finding,
  toBlockError,
  toFinding,
  toStages,
  toUnavailableError,
  toUnreadableError,
} from './verdict.ts';

export interface GuardedCall<Request> {
  /** The call in the form that is sent and stored. */
  readonly call: ModelCall<Request>;
  /** Set when the call must go no further. */
  readonly refusal: GatewayError | null;
}

/**
 * Runs the input filters of a policy over a call. Never throws: a filter that fails refuses the call. A promise only
 * where it takes long.
 */
export function guardCall<Request>(call: ModelCall<Request>, options: GuardOptions): Awaitable<GuardedCall<Request>> {
  const { kind } = call;
  const unreadable = kind.unreadableIn?.(call.request) ?? null;
  if (unreadable !== null && actsOnInput(options.policy)) {
    const { requestId } = options.pipeline;
    options.logger.info('a guardrail refused texts that filters cannot read', { requestId, texts: unreadable });
    return { call, refusal: toUnreadableError(unreadable) };
  }
  return whenKnown(guardRequest(call.request, kind.mapTexts, options), ({ request, refusal }) => ({
    call: request === call.request ? call : withRequest(call, request),
    refusal,
  }));
}

/** Whether a filter of a policy changes or blocks requests. */
export const actsOnInput = (policy: Policy | null): boolean =>
  policy?.input?.filters.some(({ origin }) => origin.action !== 'flag') === true;

interface GuardOptions {
  readonly policy: Policy | null;
  /** Receives the effects of the guardrails. */
  readonly pipeline: Pipeline;
  readonly logger: Logger;
  /** Long texts are read in slices. */
  readonly platform: SlicingPlatform;
}

interface GuardedRequest<Request> {
  readonly request: Request;
  readonly refusal: GatewayError | null;
}

/**
 * Runs the input filters over the texts of a request. Never throws: a filter that fails refuses the request. A promise
 * only where it takes long.
 */
export function guardRequest<Request>(
  request: Request,
  mapTexts: TextMap<Request>,
  options: GuardOptions,
): Awaitable<GuardedRequest<Request>> {
  const { policy, platform, logger, pipeline } = options;
  if (policy === null || policy.input === null) return { request, refusal: null };
  const refuse = (cause: unknown): GuardedRequest<Request> => {
    logger.error('a guardrail has failed', { requestId: pipeline.requestId, reason: String(cause) });
    return { request, refusal: toUnavailableError('Request', cause) };
  };
  try {
    const verdict = guardInput(request, policy.input, mapTexts, platform);
    return verdict instanceof Promise
      ? verdict.then((known) => report(known, options), refuse)
      : report(verdict, options);
  } catch (cause) {
    return refuse(cause);
  }
}

/** Reports what was found, and refuses the request where that blocks it. */
function report<Request>(
  { request, findings }: InputVerdict<Request>,
  { pipeline, logger }: GuardOptions,
): GuardedRequest<Request> {
  for (const stage of toStages(findings)) {
    pipeline.add(stage);
    logger.info('a guardrail has acted on a request', { requestId: pipeline.requestId, ...toLogFields(stage) });
  }
  const blocking = findings.find((finding) => actionOf(finding) === 'block');
  return { request, refusal: blocking === undefined ? null : toBlockError(blocking, 'Request') };
}

/** Never includes the matched text. */
function toLogFields({ guardrail_id, guardrail_scope, name, data }: GuardrailStage): Record<string, unknown> {
  return {
    guardrail: guardrail_id,
    scope: guardrail_scope,
    filter: data.matched_entity_types?.[0] ?? name,
    action: data.action,
  };
}

export interface CompletionGuard {
  readonly filters: OutputFilters;
  /** Receives every match, the one that blocks included. */
  readonly onFinding: (finding: Finding) => void;
}

/** Null when the policy does not guard completions. Each filter's finding is added to the pipeline once. */
export function toCompletionGuard({ output }: Policy, pipeline: Pipeline): CompletionGuard | null {
  if (output === null) return null;
  const noted = new Set<Finding['compiled']>();
  return {
    filters: output,
    onFinding(finding) {
      if (noted.has(finding.compiled)) return;
      noted.add(finding.compiled);
      for (const stage of toStages([finding])) pipeline.add(stage);
    },
  };
}

/** The result of the guardrails for a request. */
interface InputVerdict<Request> {
  /** The request with all replacements; the same object when nothing was replaced. */
  readonly request: Request;
  /** Every filter with a match, the strongest action first. A request is refused when one of them blocks. */
  readonly findings: readonly Finding[];
}

/** Above this length, texts are read in steps. */
const LONG_ABOVE = 16_384;

/**
 * A pattern that reads the same text again from match to match, as `a.*b|a` does, takes a hundred times as long as
 * others. A request on which the filters take longer than this is refused.
 */
const LIMIT_MS = 5000;
const LIMIT_MS_A_CHARACTER = 0.05;

/**
 * Runs the filters over all texts of a request, joined, so that a phrase in several parts of a message is found: parts
 * follow each other directly, other texts on new lines. Long texts are read in slices, between which other calls go on
 * (docs/decisions/0055); only when it takes longer than the first one is the result a promise. When it throws or rejects,
 * the request has not passed.
 */
export function guardInput<Request>(
  request: Request,
  filters: InputFilters,
  map: TextMap<Request>,
  platform: SlicingPlatform,
): Awaitable<InputVerdict<Request>> {
  const given: RequestText[] = [];
  map(request, (text) => {
    given.push(text);
    return text.text;
  });
  const length = given.reduce((sum, { text }) => sum + text.length, 0);
  const limitMs = LIMIT_MS + length * LIMIT_MS_A_CHARACTER;
  return runInSlices(guardTexts(request, { given, filters, map }), platform, limitMs);
}

interface GuardedTexts<Request> {
  readonly given: readonly RequestText[];
  readonly filters: InputFilters;
  readonly map: TextMap<Request>;
}

function* guardTexts<Request>(
  request: Request,
  { given, filters: { filters, candidates }, map }: GuardedTexts<Request>,
): Steps<InputVerdict<Request>> {
  const { texts, document } = yield* placeTexts(given);
  const isLong = document.length > LONG_ABOVE;
  const normalised = isLong ? yield* normaliseInSteps(document) : normaliseText(document);
  const known = isLong && candidates.search ? yield* candidates.search(normalised.text) : candidates(normalised.text);
  const isExact = normalised.text.length <= EXACT_LENGTH;
  const findings: Finding[] = [];
  const replacements: (readonly Replacement[])[] = [];
  for (const place of known) {
    const compiled = filters[place] as CompiledFilter;
    const { filter, origin } = compiled;
    if (isExact && filter.isTriggerExact === true && origin.action !== 'redact' && !origin.isUserOnly) {
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

/**
 * Applies the output filters to what the gateway itself adds to a completion, at this place. Returns the same value where
 * nothing is redacted. Rejects with `permission_denied` for blocked text, and when a filter fails.
 */
export async function guardAdded<Value>(
  value: Value,
  place: Place,
  completionGuard: CompletionGuard | null,
  platform: SlicingPlatform,
): Promise<Value> {
  if (completionGuard === null) return value;
  try {
    const texts: AddedText[] = [];
    place(value, (text, form) => {
      texts.push({ text, form: form === 'part' ? 'text' : form });
      return text;
    });
    const passed = await runInSlices(passAll(texts, completionGuard), platform);
    let next = 0;
    return place(value, () => {
      next += 1;
      return passed[next - 1] as string;
    }) as Value;
  } catch (error) {
    throw error instanceof GatewayError ? error : toUnavailableError('Response', error);
  }
}

type AddedText = Pick<RequestText, 'text' | 'form'>;

function* passAll(texts: readonly AddedText[], { filters, onFinding }: CompletionGuard): Steps<readonly string[]> {
  const passed: string[] = [];
  for (const added of texts) {
    let whole = added.text;
    for (const isJson of readingsOf(added)) {
      const { text, blockedBy } = yield* guardInSteps(createTextGuard(filters, onFinding, isJson), whole);
      if (blockedBy !== null) {
        onFinding(blockedBy);
        throw toBlockError(blockedBy, 'Response');
      }
      whole = text;
    }
    passed.push(whole);
  }
  return passed;
}

/** How a text is read: as JSON or as it is, and both ways where it may be JSON that was cut, and is none any more. */
function readingsOf({ text, form }: AddedText): readonly boolean[] {
  if (form === 'arguments') return [true];
  if (form !== 'result') return [false];
  if (isJsonDocument(text)) return [true];
  return text.includes('\\') ? [true, false] : [false];
}

/** The result of guardrails for a text that was added to a request after its caller had sent it. */
export interface GuardedText {
  readonly text: string;
  /** Set when the text must not go to a model. */
  readonly refusal: GatewayError | null;
}

/** A text from outside is treated like one by the user. */
const asSaid =
  (form: TextForm): TextMap<string> =>
  (text, change) =>
    change({ text, role: 'user', isContinued: false, form });

/**
 * Applies the input filters of a policy to a text from a page, a file or a tool, as to the request. `result` is what a
 * tool returns: JSON is read with its escapes decoded, and stays JSON.
 */
export async function guardText(
  text: string,
  options: GuardOptions,
  form: 'text' | 'result' = 'text',
): Promise<GuardedText> {
  const guarded = await guardRequest(text, asSaid(form), options);
  return { text: guarded.request, refusal: guarded.refusal };
}
