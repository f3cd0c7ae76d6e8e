import type { ChatParts } from '../../chat/complete-chat.ts';
import type { Route } from '../../http/route.ts';
import { ADMIN } from '../route-groups.ts';
import { createChatCompletion } from './create-chat-completion.ts';
import type { ExplainParts } from './explain-call.ts';

/** Chat completions, and how they would be routed. */
export const CHAT_ROUTES: readonly Route<ChatParts & ExplainParts>[] = [
  {
    method: 'POST',
    path: '/api/v1/chat/completions',
    surface: 'api',
    auth: 'api',
    operationId: 'createChatCompletion',
    summary: 'Create a chat completion, streamed or not',
    // Not late: it is what a gateway is for.
    load: () => createChatCompletion,
  },
  {
    ...ADMIN,
    method: 'POST',
    path: '/admin/v1/explain',
    operationId: 'explainCall',
    summary: 'Explain how a chat request would be routed, without calling anybody',
    load: async () => (await import('./explain-call.ts')).explainCall,
  },
];
