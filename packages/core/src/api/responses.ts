import { type ChatParts, completeChat } from '../chat/complete-chat.ts';
import type { CallFormat } from '../chat/format.ts';
import { parseResponses } from '../formats/responses/responses-format.ts';
import { isRecord } from '../foundation/parse.ts';
import { operation } from '../http/operation.ts';
import type { RequestContext } from '../http/request.ts';
import { refuseField } from '../wire/fields.ts';
import { responseEventSchema, responseSchema, responsesRequestSchema } from '../wire/responses.ts';
import { CHAT_HEADERS, CHAT_RESPONSE_HEADERS } from './chat.ts';
import type { StoredResponseParts } from './find-response.ts';

export interface ResponsesParts extends ChatParts, StoredResponseParts {}

/** `POST /responses`: a chat call in the form of OpenAI's newer API. */
export const createResponse = operation<ResponsesParts>()({
  headers: CHAT_HEADERS,
  body: { readByRun: responsesRequestSchema },
  response: { mediaTypes: { 'application/json': responseSchema, 'text/event-stream': responseEventSchema } },
  responseHeaders: CHAT_RESPONSE_HEADERS,
  run: (context) => completeChat(createKeepingFormat(context), context),
});

type Context = RequestContext<ResponsesParts>;

/** The format of one call, whose response is stored. */
function createKeepingFormat(context: Context): CallFormat {
  return {
    name: 'responses',
    parse(body) {
      return parseResponses(body, { previousId: null, isStored: isStored(body, context) });
    },
  };
}

/**
 * Whether a response is stored: where contents are, unless the caller wishes otherwise. Throws `invalid_request` for a
 * wish that cannot be met.
 */
function isStored(body: unknown, { request, parts }: Context): boolean {
  const wish = isRecord(body) ? body['store'] : undefined;
  if (wish === false) return false;
  const isInRegion = parts.regionOf(request) !== null;
  if (parts.logging.inputOutput && !isInRegion) return true;
  if (wish !== true) return false;
  const reason = isInRegion
    ? 'contents of calls within a region are not stored'
    : 'contents are not stored on this gateway (logging.inputOutput is false)';
  throw refuseField('store', `must not be true: ${reason}`);
}
