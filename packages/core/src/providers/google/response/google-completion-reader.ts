import { GatewayError } from '../../../foundation/errors.ts';
import { isObject, objectsOf, parseReturned, readCount, type Unchecked } from '../../../foundation/parse.ts';
import type { ChatChunk, ChatDelta, FinishReason, Usage } from '../../../wire/chat-chunk.ts';
import type { CompletionReader, CompletionReaderOptions } from '../../kit/create-chat-wire.ts';
import { toUpstreamError } from '../../kit/upstream-error.ts';
import { findGoogleError, readGoogleError } from '../read-google-error.ts';
import { createReasoningDetails } from '../reasoning-details.ts';
import { createFunctionCalls } from './function-calls.ts';

/**
 * Finish reasons of a completion. `OTHER` means that upstream withheld the rest for some other reason. Unlisted values
 * mean that the completion failed, or are too new to know; neither may count as a success.
 */
const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['STOP', 'stop'],
  ['NO_IMAGE', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content_filter'],
  ['RECITATION', 'content_filter'],
  ['LANGUAGE', 'content_filter'],
  ['BLOCKLIST', 'content_filter'],
  ['PROHIBITED_CONTENT', 'content_filter'],
  ['SPII', 'content_filter'],
  ['MODEL_ARMOR', 'content_filter'],
  ['IMAGE_SAFETY', 'content_filter'],
  ['IMAGE_PROHIBITED_CONTENT', 'content_filter'],
  ['IMAGE_RECITATION', 'content_filter'],
  ['IMAGE_OTHER', 'content_filter'],
  ['OTHER', 'content_filter'],
]);

interface GoogleCompletionReader extends Required<CompletionReader> {
  readEvent(data: string): ChatChunk | undefined;
}

/** Creates the reader of one completion on the Gemini wire. Candidates beyond the first are not read. */
export function createGoogleCompletionReader(options: CompletionReaderOptions): GoogleCompletionReader {
  const { providerName, keepsNative } = options;
  const usage = createGoogleUsage();
  const parts = createPartReader(options.makeId);
  let hasUsage = false;
  let isSilent = true;
  let grounding: unknown;
  let model: unknown;
  /** The last one counts: older models send STOP with every event. */
  let native: string | undefined;

  const read = (completion: Unchecked, delta: ChatDelta): ChatChunk => {
    const chunk: ChatChunk = { choices: [] };
    const error = findGoogleError(completion);
    if (error !== undefined) throw toUpstreamError({ ...options, ...readGoogleError(error), body: { error } });
    throwIfBlocked(completion['promptFeedback'], options);
    const [candidate] = objectsOf(completion['candidates']);
    if (isObject(completion['usageMetadata'])) {
      hasUsage = true;
      usage.add(completion['usageMetadata']);
    }
    if (typeof completion['responseId'] === 'string') chunk.upstreamId = completion['responseId'];
    if (candidate === undefined) return chunk;
    const { content, finishReason, groundingMetadata, logprobsResult } = candidate;
    if (isObject(content)) for (const part of objectsOf(content['parts'])) parts.read(part, delta);
    if (typeof finishReason === 'string' && finishReason !== 'FINISH_REASON_UNSPECIFIED') native = finishReason;
    grounding = groundingMetadata ?? grounding;
    model = completion['modelVersion'] ?? model;
    const logprobs = toLogprobs(logprobsResult);
    if (isEmpty(delta) && logprobs === undefined) return chunk;
    isSilent = false;
    chunk.choices.push({
      index: 0,
      delta,
      finish_reason: null,
      native_finish_reason: null,
      ...(logprobs !== undefined && { logprobs }),
    });
    return chunk;
  };

  /** Adds the facts that are known only at the end to the chunk, which becomes the completion's last. */
  const finish = (chunk: ChatChunk, delta: ChatDelta): ChatChunk => {
    if (native === undefined) {
      throw new GatewayError('provider_unavailable', `${providerName} ended its completion without a finish reason`);
    }
    parts.flush(native === 'STOP', delta);
    const annotations = toAnnotations(grounding, parts.text());
    if (annotations.length > 0) delta.annotations = annotations;
    chunk.choices = [
      {
        ...chunk.choices[0],
        index: 0,
        delta,
        finish_reason: toFinishReason(native, parts.callCount()),
        native_finish_reason: native,
      },
    ];
    if (hasUsage) setUsage(chunk, withSearches(usage.read(isSilent), countSearches(grounding, model)));
    return chunk;
  };

  return {
    readEvent(data) {
      const chunk = read(parseCompletion(data, providerName), {});
      if (hasUsage) setUsage(chunk, usage.read(false));
      if (keepsNative === true) return { ...chunk, native: [{ type: 'event', data }] };
      return chunk.choices.length === 0 && chunk.usage === undefined ? undefined : chunk;
    },
    readEnd: () => finish({ choices: [] }, {}),
    readWhole(body) {
      const delta: ChatDelta = {};
      const chunk = finish(read(parseCompletion(body, providerName), delta), delta);
      return keepsNative === true ? { ...chunk, native: [{ type: 'whole', data: body }] } : chunk;
    },
  };
}

function parseCompletion(text: string, providerName: string): Unchecked {
  const completion = parseReturned(text, providerName);
  const isCompletion =
    isObject(completion) && (!Array.isArray(completion) || findGoogleError(completion) !== undefined);
  if (!isCompletion)
    throw new GatewayError('provider_unavailable', `${providerName} returned JSON that is not a chat completion`);
  return completion;
}

/** A prompt that is blocked gets no candidates, only the reason. */
function throwIfBlocked(feedback: unknown, options: CompletionReaderOptions): void {
  const reason = isObject(feedback) ? feedback['blockReason'] : undefined;
  if (!isObject(feedback) || typeof reason !== 'string' || reason === 'BLOCK_REASON_UNSPECIFIED') return;
  const shown = /^[A-Z_]{1,64}$/.test(reason) ? reason : 'OTHER';
  throw toUpstreamError({
    ...options,
    status: 200,
    message: `${options.providerName} blocked the prompt: ${shown}`,
    providerCode: shown,
    reasons: [shown, ...blockedCategories(feedback['safetyRatings'])],
    body: { promptFeedback: feedback },
  });
}

const BLOCKING_PROBABILITIES: ReadonlySet<unknown> = new Set(['MEDIUM', 'HIGH']);

/** The categories that a prompt was blocked for; if no rating is marked as blocking, the probable ones. */
function blockedCategories(ratings: unknown): readonly string[] {
  const all = objectsOf(ratings);
  const blocking = all.filter(({ blocked }) => blocked === true);
  const found =
    blocking.length > 0 ? blocking : all.filter(({ probability }) => BLOCKING_PROBABILITIES.has(probability));
  return found.flatMap(({ category }) => (typeof category === 'string' ? [category] : []));
}

/** This wire has no finish reason of its own for a completion that calls functions. */
function toFinishReason(native: string, callCount: number): FinishReason {
  const reason = FINISH_REASONS.get(native) ?? 'error';
  return reason === 'stop' && callCount > 0 ? 'tool_calls' : reason;
}

/** What Google charges for searches: from Gemini 3 on each query, before that each prompt that led to some. */
function countSearches(grounding: unknown, model: unknown): number {
  const queries = isObject(grounding) ? grounding['webSearchQueries'] : undefined;
  if (!Array.isArray(queries)) return 0;
  const count = queries.filter((query) => query !== '').length;
  return typeof model === 'string' && /gemini-[12]\b/.test(model) ? Math.min(count, 1) : count;
}

const withSearches = (usage: Usage | undefined, count: number): Usage | undefined =>
  usage === undefined || count === 0 ? usage : { ...usage, server_tool_use_details: { web_search_requests: count } };

function setUsage(chunk: ChatChunk, usage: ChatChunk['usage']): void {
  if (usage !== undefined) chunk.usage = usage;
}

function isEmpty(delta: ChatDelta): boolean {
  for (const _ in delta) return false;
  return true;
}

/** Reads the parts of one completion. Holds the state between them. */
interface PartReader {
  /** Adds the part to the delta. Parts of Google's own tools (code, its results) are ignored. */
  read(part: Unchecked, delta: ChatDelta): void;
  /** Call once at the end of the completion. `isWhole` is false when it broke off. */
  flush(isWhole: boolean, delta: ChatDelta): void;
  callCount(): number;
  /** The completion's text so far. */
  text(): string;
}

function createPartReader(makeId: (number: number) => string): PartReader {
  const calls = createFunctionCalls(makeId);
  const details = createReasoningDetails();
  let text = '';
  let imageCount = 0;

  const readCall = (call: Unchecked, delta: ChatDelta): string | null => {
    const deltas = delta.tool_calls ?? [];
    const id = calls.push(call, deltas) ?? null;
    if (deltas.length > 0) delta.tool_calls = deltas;
    return id;
  };

  const readMedia = ({ mimeType, data }: Unchecked, delta: ChatDelta): string | null => {
    if (typeof mimeType !== 'string' || typeof data !== 'string') return null;
    if (mimeType.startsWith('audio/')) delta.audio = { data };
    if (!mimeType.startsWith('image/')) return null;
    (delta.images ??= []).push({ type: 'image_url', image_url: { url: `data:${mimeType};base64,${data}` } });
    imageCount += 1;
    return `image_${imageCount - 1}`;
  };

  return {
    read(part, delta) {
      const { functionCall, inlineData, text: partText, thought, thoughtSignature } = part;
      const signature = typeof thoughtSignature === 'string' && thoughtSignature !== '' ? thoughtSignature : undefined;
      let signedId: string | null = null;
      if (isObject(functionCall)) signedId = readCall(functionCall, delta);
      else if (isObject(inlineData)) {
        // A picture that was only thought of is a draft.
        if (thought !== true) signedId = readMedia(inlineData, delta);
      } else if (typeof partText === 'string' && partText !== '') {
        if (thought === true) {
          delta.reasoning = (delta.reasoning ?? '') + partText;
          details.addText(partText, signature, delta);
          return;
        }
        text += partText;
        delta.content = (delta.content ?? '') + partText;
      }
      if (signature !== undefined) details.addSignature(signature, signedId, delta);
    },
    flush(isWhole, delta) {
      const deltas = delta.tool_calls ?? [];
      calls.flush(isWhole, deltas);
      if (deltas.length > 0) delta.tool_calls = deltas;
    },
    callCount: calls.count,
    text: () => text,
  };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Converts grounding metadata to the citations of the gateway's wire (wire.md 6.5): one for each pair of a text passage
 * and a source that supports it, or for each source where passages are missing. Indexes count UTF-16 units of the text.
 */
function toAnnotations(grounding: unknown, text: string): unknown[] {
  if (!isObject(grounding)) return [];
  const sources = objectsOf(grounding['groundingChunks']).map(({ web }) => (isObject(web) ? web : undefined));
  const supports = objectsOf(grounding['groundingSupports']);
  if (supports.length === 0) return sources.flatMap((source) => toCitation(source, 0, 0));
  // Upstream counts bytes of UTF-8.
  const bytes = encoder.encode(text);
  const toIndex = (at: unknown): number =>
    typeof at === 'number' && at > 0 ? decoder.decode(bytes.subarray(0, at)).length : 0;
  return supports.flatMap(({ segment, groundingChunkIndices: indices }) => {
    const { startIndex, endIndex } = isObject(segment) ? segment : {};
    const [start, end] = [toIndex(startIndex), toIndex(endIndex)];
    return (Array.isArray(indices) ? indices : []).flatMap((index: unknown) =>
      toCitation(typeof index === 'number' ? sources[index] : undefined, start, end),
    );
  });
}

function toCitation(source: Unchecked | undefined, start: number, end: number): unknown[] {
  const { uri: url, title } = source ?? {};
  if (typeof url !== 'string') return [];
  const citation = { url, title: typeof title === 'string' ? title : url, start_index: start, end_index: end };
  return [{ type: 'url_citation', url_citation: citation }];
}

/** Turns a `logprobsResult` into the form of our wire; undefined when it holds no token. */
function toLogprobs(result: unknown): { content: unknown[]; refusal: null } | undefined {
  if (!isObject(result)) return undefined;
  const chosen = objectsOf(result['chosenCandidates']);
  const top = objectsOf(result['topCandidates']);
  if (chosen.length === 0) return undefined;
  const content = chosen.map((candidate, index) => ({
    ...toTokenLogprob(candidate),
    top_logprobs: objectsOf(top[index]?.['candidates']).map(toTokenLogprob),
  }));
  return { content, refusal: null };
}

function toTokenLogprob({ token, logProbability }: Unchecked): object {
  const text = typeof token === 'string' ? token : '';
  // A probability of 1 is left out on this wire, as every number is that is 0.
  const logprob = typeof logProbability === 'number' ? logProbability : 0;
  return { token: text, logprob, bytes: [...encoder.encode(text)] };
}

const COUNTS = [
  'promptTokenCount',
  'cachedContentTokenCount',
  'toolUsePromptTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'totalTokenCount',
] as const;
const DETAILS = ['promptTokensDetails', 'cacheTokensDetails', 'candidatesTokensDetails'] as const;

/** Collects the token counts of one completion. */
interface GoogleUsage {
  /** Adds one `usageMetadata`. Events repeat and revise counts, and may omit a count that an earlier one had. */
  add(metadata: unknown): void;
  /** Undefined while unknown. `isSilent`: the completion is empty, so that a missing output count means zero. */
  read(isSilent: boolean): Usage | undefined;
}

/**
 * The wire's prompt count includes cached tokens; thoughts are counted beside the candidates, but on the gateway's wire
 * within the completion. What Google's own tools gave the model, in calls in Google's form, is a part of the prompt.
 */
export function createGoogleUsage(): GoogleUsage {
  const counts: { [name in (typeof COUNTS)[number]]?: number } = {};
  const details: { [name in (typeof DETAILS)[number]]?: unknown[] } = {};
  return {
    add(metadata) {
      if (!isObject(metadata)) return;
      for (const name of COUNTS) {
        const count = readCount(metadata[name]);
        if (count !== undefined) counts[name] = count;
      }
      for (const name of DETAILS) {
        const list = metadata[name];
        if (Array.isArray(list)) details[name] = list;
      }
    },
    read(isSilent) {
      const said = counts.promptTokenCount;
      if (said === undefined) return undefined;
      const prompt = said + (counts.toolUsePromptTokenCount ?? 0);
      const completion = readCompletion(prompt, counts, isSilent);
      if (completion === undefined) return undefined;
      const promptDetails = withoutUnknown({
        cached_tokens: counts.cachedContentTokenCount,
        audio_tokens: countModality(details.promptTokensDetails, 'AUDIO'),
        video_tokens: countModality(details.promptTokensDetails, 'VIDEO'),
        image_tokens: countModality(details.promptTokensDetails, 'IMAGE'),
        cached_audio_tokens: countModality(details.cacheTokensDetails, 'AUDIO'),
      });
      const completionDetails = withoutUnknown({
        reasoning_tokens: counts.thoughtsTokenCount,
        audio_tokens: countModality(details.candidatesTokensDetails, 'AUDIO'),
        image_tokens: countModality(details.candidatesTokensDetails, 'IMAGE'),
      });
      return {
        prompt_tokens: prompt,
        completion_tokens: completion,
        total_tokens: prompt + completion,
        ...(promptDetails && { prompt_tokens_details: promptDetails }),
        ...(completionDetails && { completion_tokens_details: completionDetails }),
      };
    },
  };
}

/** Some models report no count of candidates; then it is derived from the total, if there is one. */
function readCompletion(
  prompt: number,
  counts: { readonly [name in (typeof COUNTS)[number]]?: number },
  isSilent: boolean,
): number | undefined {
  const thoughts = counts.thoughtsTokenCount ?? 0;
  if (counts.candidatesTokenCount !== undefined) return counts.candidatesTokenCount + thoughts;
  const rest = (counts.totalTokenCount ?? 0) - prompt;
  const completion = Math.max(rest, thoughts);
  return completion > 0 || isSilent ? completion : undefined;
}

function countModality(details: readonly unknown[] | undefined, modality: string): number | undefined {
  let sum: number | undefined;
  for (const entry of details ?? []) {
    if (!isObject(entry) || entry['modality'] !== modality) continue;
    const count = readCount(entry['tokenCount']);
    if (count !== undefined) sum = (sum ?? 0) + count;
  }
  return sum;
}

function withoutUnknown<Name extends string>(details: {
  readonly [name in Name]: number | undefined;
}): { [name in Name]?: number } | undefined {
  const known: { [name in Name]?: number } = {};
  let isEmpty = true;
  for (const name in details) {
    const count = details[name];
    if (count === undefined) continue;
    known[name] = count;
    isEmpty = false;
  }
  return isEmpty ? undefined : known;
}
