import { isObject, type Unchecked } from '../../../foundation/parse.ts';
import type { ChatDelta } from '../../../wire/chat-chunk.ts';
import { createReasoningDetails } from '../reasoning-details.ts';
import { createFunctionCalls } from './function-calls.ts';

/** Reads the parts of one completion. Holds the state between them. */
export interface PartReader {
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
