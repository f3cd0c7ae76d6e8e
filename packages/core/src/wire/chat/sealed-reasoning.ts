import { isRecord } from '../../foundation/unchecked.ts';
import { type ReasoningDetail, reasoningDetailSchema } from './chat-message.ts';

/** No provider's own text begins so: theirs are base64. */
const PREFIX = 'reasoning-details:';

/**
 * What a provider needs to read its reasoning back, as the one text that clients of another form send back unchanged: a
 * signature, or encrypted content.
 */
export const sealReasoning = (details: readonly ReasoningDetail[]): string => PREFIX + JSON.stringify(details);

/** The details in a text that `sealReasoning` made; null for any other. What is damaged holds none. */
export function openReasoning(text: string): ReasoningDetail[] | null {
  if (!text.startsWith(PREFIX)) return null;
  try {
    const value: unknown = JSON.parse(text.slice(PREFIX.length));
    if (!Array.isArray(value)) return [];
    return value.filter(isRecord).flatMap((one) => {
      const read = reasoningDetailSchema.safeParse(one);
      return read.success ? [read.data] : [];
    });
  } catch {
    return [];
  }
}
