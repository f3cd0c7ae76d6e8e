import type { ChatContext } from '../../chat/chat-context.ts';

/** What the operations on chats use of a gateway. */
export type ChatParts = ChatContext['parts'];
