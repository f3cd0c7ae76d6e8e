import type { Endpoint } from '../catalog/catalog.ts';
import type { ChatCompletionRequest } from '../wire/chat/chat-completion.ts';
import type { ChatMessage } from '../wire/chat/chat-message.ts';
import { hasCheaperCachedReads } from '../catalog/endpoint-price.ts';

export interface StickyQuery {
  readonly request: ChatCompletionRequest;
  /** Keys of different callers have nothing to do with each other. */
  readonly principalId: string;
  /** Of the body, else of the header. */
  readonly sessionId: string | null;
}

/** As much of a message as is looked at: conversations that differ later may share an endpoint. */
const OPENING_LENGTH = 1000;

/**
 * What keeps requests together on one endpoint: the session, else `prompt_cache_key`, else the opening of the
 * conversation, the last only among endpoints of which one reads from its cache for less. Null when nothing does.
 */
export function stickyKeyOf(
  { request, principalId, sessionId }: StickyQuery,
  among: readonly Endpoint[],
): string | null {
  if (sessionId !== null) return `${principalId}\nsession\n${sessionId}`;
  if (request.prompt_cache_key) return `${principalId}\ncache\n${request.prompt_cache_key}`;
  if (!among.some(hasCheaperCachedReads)) return null;
  const { messages } = request;
  const isInstruction = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer';
  const instruction = messages.find(isInstruction);
  const first = messages.find((message) => !isInstruction(message));
  return `${principalId}\nopening\n${openingOf(instruction)}\n${openingOf(first)}`;
}

function openingOf(message: ChatMessage | undefined): string {
  const { content } = message ?? {};
  if (typeof content === 'string') return content.slice(0, OPENING_LENGTH);
  const text = (content ?? []).find((part) => part.type === 'text');
  return text?.type === 'text' ? text.text.slice(0, OPENING_LENGTH) : '';
}
