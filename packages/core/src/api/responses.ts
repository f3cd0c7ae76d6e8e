import { type ChatParts, completeChat } from '../chat/complete-chat.ts';
import type { CallFormat, ParsedChat } from '../chat/format.ts';
import { toHistoryItems } from '../formats/responses/kept-response.ts';
import { parseResponses } from '../formats/responses/responses-format.ts';
import { GatewayError } from '../foundation/errors.ts';
import { isRecord, type Unchecked } from '../foundation/parse.ts';
import { operation } from '../http/operation.ts';
import type { RequestContext } from '../http/request.ts';
import { refuseField } from '../wire/fields.ts';
import { itemsOf } from '../wire/response-items.ts';
import { documentedResponsesRequestSchema, responseEventSchema, responseSchema } from '../wire/responses.ts';
import { CHAT_HEADERS, CHAT_RESPONSE_HEADERS } from './chat.ts';
import { findResponse, inputOf, type StoredResponse, type StoredResponseParts } from './find-response.ts';

export interface ResponsesParts extends ChatParts, StoredResponseParts {
  readonly store: ChatParts['store'] & StoredResponseParts['store'];
  readonly logging: ChatParts['logging'] & { readonly acceptStore: boolean };
}

/** `POST /responses`: a chat call in the form of OpenAI's newer API. */
export const createResponse = operation<ResponsesParts>()({
  headers: CHAT_HEADERS,
  body: { readByRun: documentedResponsesRequestSchema },
  response: { mediaTypes: { 'application/json': responseSchema, 'text/event-stream': responseEventSchema } },
  responseHeaders: CHAT_RESPONSE_HEADERS,
  run: (context) => completeChat(toKeepingFormat(context), context),
});

const ENDS = { failed: 'has failed', cancelled: 'was cancelled' } as const;

type Context = RequestContext<ResponsesParts>;

/** The format of one call, whose response is stored, and may continue one that was. */
export function toKeepingFormat(context: Context): CallFormat {
  return {
    name: 'responses',
    parse(body) {
      const { previous_response_id: previousId, ...own } = isRecord(body) ? body : {};
      if (typeof previousId === 'string' && previousId !== '') return continueResponse(own, previousId, context);
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
  if (wish === true && !parts.logging.acceptStore) {
    throw refuseField(
      'store',
      'must be false or left out, as in the public API: responses are stored where contents are. ' +
        'With logging.acceptStore in the config, true is accepted',
    );
  }
  const isInRegion = parts.regionOf(request) !== null;
  if (parts.logging.inputOutput && !isInRegion) return true;
  if (wish !== true) return false;
  const reason = isInRegion
    ? 'contents of calls within a region are not stored'
    : 'contents are not stored on this gateway (logging.inputOutput is false)';
  throw refuseField('store', `must not be true: ${reason}`);
}

/** As `findResponse`; a body that names what is not there is wrong, as it is at OpenAI (`previous_response_not_found`). */
async function findPrevious(id: string, context: Context): Promise<StoredResponse> {
  try {
    return await findResponse(id, context);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'not_found') throw error;
    throw refuseField('previous_response_id', `names no response that can be continued: ${error.message}`);
  }
}

/**
 * Reads a request with the conversation before it: the input of the response that it continues, and its items. The
 * instructions of that one are not among them. What is stored is the whole request, which needs no other to be read.
 */
async function continueResponse(own: Unchecked, previousId: string, context: Context): Promise<ParsedChat> {
  // First by itself, so that what is wrong in it is named by its own place.
  parseResponses(own, null);
  const keeping = { previousId, isStored: isStored(own, context) };
  const found = await findPrevious(previousId, context);
  const status = found.members['status'];
  if (status === 'failed' || status === 'cancelled') {
    throw refuseField(
      'previous_response_id',
      `must be that of a response that has ended well; ${previousId} ${ENDS[status]}`,
    );
  }
  const input = [...inputOf(found), ...toHistoryItems(found.items), ...itemsOf(own['input'])];
  const whole = { ...own, input, ...(keeping.isStored && { store: true }) };
  return { ...parseResponses(whole, keeping), received: whole };
}
