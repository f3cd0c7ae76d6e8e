import type { ChatParts } from '../../chat/complete-chat.ts';
import type { Route } from '../../http/route.ts';

/** Chat calls in the older form. */
export const COMPLETION_ROUTES: readonly Route<ChatParts>[] = [
  {
    method: 'POST',
    path: '/api/v1/completions',
    surface: 'api',
    auth: 'api',
    operationId: 'createCompletion',
    summary: 'Complete a text, streamed or not',
    load: async () => (await import('./create-completion.ts')).createCompletion,
  },
];
