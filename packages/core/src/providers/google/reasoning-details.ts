import type { ChatDelta } from '../../wire/chat-chunk.ts';
import type { ReasoningDetail } from '../../wire/chat-request.ts';

/** The reasoning format that only this wire can read back (wire.md 6.6). */
export const REASONING_FORMAT = 'google-gemini-v1';

/** Numbers the reasoning details of one completion, the same whether it arrives whole or in pieces. */
export interface ReasoningDetails {
  /** Adds a piece of thought; pieces that follow one another share an index, and add up. */
  addText(text: string, signature: string | undefined, delta: ChatDelta): void;
  /** Adds a signature of something else: `id` names the tool call or image that it belongs to, null a text. */
  addSignature(data: string, id: string | null, delta: ChatDelta): void;
}

export function createReasoningDetails(): ReasoningDetails {
  let index = 0;
  let isTextOpen = false;
  return {
    addText(text, signature, delta) {
      const details = (delta.reasoning_details ??= []);
      const last = details.at(-1);
      if (isTextOpen && last?.['index'] === index) last['text'] = `${last['text'] as string}${text}`;
      else details.push({ type: 'reasoning.text', text, format: REASONING_FORMAT, index });
      isTextOpen = signature === undefined;
      if (signature === undefined) return;
      (details.at(-1) as ReasoningDetail)['signature'] = signature;
      index += 1;
    },
    addSignature(data, id, delta) {
      if (isTextOpen) index += 1;
      isTextOpen = false;
      (delta.reasoning_details ??= []).push({ type: 'reasoning.encrypted', data, id, format: REASONING_FORMAT, index });
      index += 1;
    },
  };
}
