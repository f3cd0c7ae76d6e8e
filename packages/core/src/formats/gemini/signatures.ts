import { openReasoning, sealReasoning } from '../../wire/chat-chunk.ts';
import type { ReasoningDetail } from '../../wire/chat-request.ts';

/** The format of reasoning that Google's models can read back (wire.md 6.6). */
export const GEMINI_FORMAT = 'google-gemini-v1';

/** What clients send in place of a signature that they do not have, by Google's guide to thought signatures. */
const NO_SIGNATURE = 'skip_thought_signature_validator';

/** How the base64 of reasoning begins that the gateway has sealed: eighteen bytes are exactly these characters. */
const SEALED = 'cmVhc29uaW5nLWRldGFpbHM6';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Reasoning of other providers as a thought signature, which is base64 here: several clients decode it. */
export function sealSignature(details: readonly ReasoningDetail[]): string {
  let binary = '';
  for (const byte of encoder.encode(sealReasoning(details))) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Whether a signature is the gateway's own, which no provider can read. */
export const isSealed = (signature: string): boolean => signature.startsWith(SEALED);

/** The details in a signature that `sealSignature` made; null for one of Google's, none for what is damaged. */
export function openSignature(signature: string): readonly ReasoningDetail[] | null {
  if (signature === NO_SIGNATURE) return [];
  if (!isSealed(signature)) return null;
  try {
    const binary = atob(signature.replaceAll('-', '+').replaceAll('_', '/'));
    return openReasoning(decoder.decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)))) ?? [];
  } catch {
    return [];
  }
}
