import type { ChatCompletionRequest } from '../wire/chat-request.ts';

/** The last words of the user. */
export function lastWordsOf({ messages }: ChatCompletionRequest): string {
  return textsOf(messages.findLast(({ role }) => role === 'user')?.content).join('\n');
}

/** The texts of a message's content. */
export function textsOf(content: ChatCompletionRequest['messages'][number]['content']): readonly string[] {
  if (typeof content === 'string') return [content];
  return (content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : []));
}
