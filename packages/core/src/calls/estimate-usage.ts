import type { Usage } from '../wire/chat-chunk.ts';
import type { ChatCompletionRequest, ChatMessage } from '../wire/chat-request.ts';

/**
 * About how many tokens a text has, not rounded, so that pieces add up to the whole. English text has about four
 * characters a token; other scripts come closer to one token a character.
 */
export function weighText(text: string): number {
  let ascii = 0;
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) < 128) ascii += 1;
  return ascii / 4 + (text.length - ascii) * 0.75;
}

/** Tokens that a chat format adds around each message. */
export const TOKENS_A_MESSAGE = 4;

function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

/**
 * Token counts for a completion whose upstream reported none, marked as estimated. Images and files are not counted.
 * `completion` is its text, or what that weighs.
 */
export function estimateUsage(messages: readonly ChatMessage[], completion: string | number): Usage {
  const prompt = messages.reduce((sum, message) => sum + TOKENS_A_MESSAGE + Math.ceil(weighText(textOf(message))), 0);
  const said = Math.ceil(typeof completion === 'number' ? completion : weighText(completion));
  return { prompt_tokens: prompt, completion_tokens: said, total_tokens: prompt + said, estimated: true };
}

/** About how many tokens a prompt has: everything that a model reads, also the tools and earlier calls; never 0. */
export function estimatePrompt({ messages, tools, response_format: format }: ChatCompletionRequest): number {
  const read = JSON.stringify([messages, tools ?? [], format ?? null], (name, value: unknown) =>
    typeof value === 'string' && value.startsWith('data:') ? '' : value,
  );
  return Math.ceil(weighText(read)) + messages.length * TOKENS_A_MESSAGE;
}
