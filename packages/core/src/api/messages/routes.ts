import type { ChatParts } from '../../chat/complete-chat.ts';
import { messagesErrors } from '../../dialects/messages/to-error.ts';
import type { Route } from '../../http/route.ts';

/** Chat calls in Anthropic's form. */
export const MESSAGE_ROUTES: readonly Route<ChatParts>[] = [
  {
    method: 'POST',
    path: '/api/v1/messages',
    surface: 'api',
    auth: 'api',
    operationId: 'createMessage',
    summary: 'Create a message in the form of the Anthropic API, streamed or not',
    errors: messagesErrors,
    load: async () => (await import('./create-message.ts')).createMessage,
  },
  {
    method: 'POST',
    path: '/api/v1/messages/count_tokens',
    surface: 'api',
    auth: 'api',
    operationId: 'countTokens',
    summary: 'Count the tokens of a message without sending it to a model',
    errors: messagesErrors,
    load: async () => (await import('./count-tokens.ts')).countTokens,
  },
];
