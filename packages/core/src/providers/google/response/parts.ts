import { isObject, objectsOf, type Unchecked } from '../../../foundation/parse.ts';
import type { ChatDelta } from '../../../wire/chat-chunk.ts';
import { createReasoningDetails } from '../reasoning-details.ts';
import { createFunctionCalls } from './function-calls.ts';

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

export function createPartReader(makeId: (number: number) => string): PartReader {
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
export function toAnnotations(grounding: unknown, text: string): unknown[] {
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
export function toLogprobs(result: unknown): { content: unknown[]; refusal: null } | undefined {
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
