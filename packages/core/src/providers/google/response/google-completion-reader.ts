import { GatewayError } from '../../../foundation/errors.ts';
import { isObject, objectsOf, type Unchecked, parseReturned } from '../../../foundation/parse.ts';
import type { ChatChunk, ChatDelta, FinishReason } from '../../../wire/chat-chunk.ts';
import type { CompletionReader, CompletionReaderOptions } from '../../kit/create-chat-wire.ts';
import { toUpstreamError } from '../../kit/upstream-error.ts';
import { findGoogleError, readGoogleError } from '../read-google-error.ts';
import { createPartReader, toAnnotations, toLogprobs } from './parts.ts';
import { createGoogleUsage } from './read-google-usage.ts';

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
  const { providerName } = options;
  const usage = createGoogleUsage();
  const parts = createPartReader(options.makeId);
  let hasUsage = false;
  let isSilent = true;
  let grounding: unknown;
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
    if (hasUsage) setUsage(chunk, usage.read(isSilent));
    return chunk;
  };

  return {
    readEvent(data) {
      const chunk = read(parseCompletion(data, providerName), {});
      if (hasUsage) setUsage(chunk, usage.read(false));
      return chunk.choices.length === 0 && chunk.usage === undefined ? undefined : chunk;
    },
    readEnd: () => finish({ choices: [] }, {}),
    readWhole(body) {
      const delta: ChatDelta = {};
      return finish(read(parseCompletion(body, providerName), delta), delta);
    },
  };
}

function parseCompletion(text: string, providerName: string): Unchecked {
  const completion = parseReturned(text, providerName);
  const isCompletion =
    isObject(completion) && (!Array.isArray(completion) || findGoogleError(completion) !== undefined);
  if (!isCompletion)
    throw new GatewayError('provider_unavailable', `${providerName} returned JSON that is no chat completion`);
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

/** The categories that a prompt was blocked for; where no rating says that it blocked, the probable ones. */
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

function setUsage(chunk: ChatChunk, usage: ChatChunk['usage']): void {
  if (usage !== undefined) chunk.usage = usage;
}

function isEmpty(delta: ChatDelta): boolean {
  for (const _ in delta) return false;
  return true;
}
