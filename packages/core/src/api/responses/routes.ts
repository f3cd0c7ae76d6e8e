import type { ChatParts } from '../../chat/complete-chat.ts';
import type { Route } from '../../http/route.ts';

/** Chat calls in the form of OpenAI's newer API. */
export const RESPONSE_ROUTES: readonly Route<ChatParts>[] = [
  {
    method: 'POST',
    path: '/api/v1/responses',
    surface: 'api',
    auth: 'api',
    operationId: 'createResponse',
    summary: 'Create a response in the form of the OpenAI Responses API, streamed or not',
    load: async () => (await import('./create-response.ts')).createResponse,
  },
];
