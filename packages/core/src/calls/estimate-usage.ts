import type { Usage } from '../wire/chat/chat-chunk.ts';
import type { ChatMessage } from '../wire/chat/chat-message.ts';

/**
 * About how many tokens a text has, not rounded, so that pieces add up to the whole. English text has about four
 * characters a token; other scripts come closer to one token a character.
 */
export function weighText(text: string): number {
  let ascii = 0;
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) < 128) ascii += 1;
  return ascii / 4 + (text.length - ascii) * 0.75;
}

/** What a chat format adds around each message. */
const TOKENS_A_MESSAGE = 4;

function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

/**
 * Token counts for an answer whose upstream reported none, marked as estimated. Images and files are not counted.
 * `weighed` is the weight of what else there is of the answer.
 */
export function estimateUsage(messages: readonly ChatMessage[], answer: string, weighed = 0): Usage {
  const prompt = messages.reduce((sum, message) => sum + TOKENS_A_MESSAGE + Math.ceil(weighText(textOf(message))), 0);
  const completion = Math.ceil(weighed + weighText(answer));
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion, estimated: true };
}
