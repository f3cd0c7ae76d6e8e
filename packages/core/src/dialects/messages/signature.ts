import { isRecord } from '../../foundation/unchecked.ts';
import { type ReasoningDetail, reasoningDetailSchema } from '../../wire/chat/chat-message.ts';

/** No signature of Anthropic's begins so: theirs are base64. */
const PREFIX = 'reasoning-details:';

/**
 * What another provider needs to read its reasoning back, as a signature: clients of this form send signatures back
 * unchanged, and nothing else of a thinking block that they do not know.
 */
export const toSignature = (details: readonly ReasoningDetail[]): string =>
  details.length === 0 ? '' : PREFIX + JSON.stringify(details);

/** The details in a signature that `toSignature` made; null for any other. What is damaged holds none. */
export function readSignature(signature: string): ReasoningDetail[] | null {
  if (!signature.startsWith(PREFIX)) return null;
  try {
    const value: unknown = JSON.parse(signature.slice(PREFIX.length));
    if (!Array.isArray(value)) return [];
    return value.filter(isRecord).flatMap((one) => {
      const read = reasoningDetailSchema.safeParse(one);
      return read.success ? [read.data] : [];
    });
  } catch {
    return [];
  }
}

/** Whether a thinking block is of a model of Anthropic's: others are refused there. */
export const isOfAnthropic = (signature: unknown): boolean =>
  typeof signature === 'string' && signature !== '' && !signature.startsWith(PREFIX);
