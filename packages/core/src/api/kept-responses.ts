import type { z } from 'zod';

import type { OpenCalls } from '../dispatch/open-calls.ts';
import { toShownItems } from '../formats/responses/kept-response.ts';
import { toResponse } from '../formats/responses/to-response.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Unchecked } from '../foundation/parse.ts';
import { changeGeneration, type RecordChangeParts } from '../generations/change-generation.ts';
import { findReadableGeneration } from '../generations/list-generations.ts';
import { operation } from '../http/operation.ts';
import type { RequestContext } from '../http/request.ts';
import { refuseField } from '../wire/fields.ts';
import { toItemId } from '../wire/response-items.ts';
import {
  deletedResponseSchema,
  inputItemListSchema,
  inputItemQuerySchema,
  type listedItemSchema,
  responseQuerySchema,
  responseSchema,
  responsesRequestSchema,
  SEALED_REASONING,
} from '../wire/responses.ts';
import { findResponse, inputOf, type StoredResponse, type StoredResponseParts } from './find-response.ts';

/** `GET /responses/{id}` */
export const getResponse = operation<StoredResponseParts>()({
  params: ['id'],
  query: responseQuerySchema,
  response: responseSchema,
  async run(context) {
    if (context.query.stream === 'true')
      throw refuseField('stream', 'must not be true: a stored response is sent whole');
    const found = await findResponse(context.params.id, context);
    const { include, 'include[]': others } = context.query;
    return toWhole(found, [include, others].includes(SEALED_REASONING)) as z.output<typeof responseSchema>;
  },
});

/** The response as its caller received it. `withSeal`: reasoning in a form that can be sent back is asked for. */
function toWhole({ record, body, members, items }: StoredResponse, withSeal: boolean): Unchecked {
  const { id, model, provider_name: provider } = record.generation;
  const request = responsesRequestSchema.safeParse(body).data ?? { input: '' };
  const wantsSeal = withSeal || request.include?.includes(SEALED_REASONING) === true;
  return {
    ...toResponse({ id, created: 0, model, provider: provider ?? '' }, request),
    ...members,
    output: toShownItems(items, wantsSeal || (request.store === true ? false : null)),
  };
}

/**
 * `DELETE /responses/{id}`: from then on it is not found. The record of its generation and what the account's settings
 * store of it stay as they are.
 */
export const deleteResponse = operation<StoredResponseParts & RecordChangeParts>()({
  params: ['id'],
  response: deletedResponseSchema,
  async run(context) {
    const { record } = await findResponse(context.params.id, context);
    await changeGeneration(record, context.parts, (generation) => ({ ...generation, response_deleted: true }));
    return { id: record.generation.id, object: 'response' as const, deleted: true as const };
  },
});

/** `GET /responses/{id}/input_items`: what the model was given, the responses before it included. */
export const listInputItems = operation<StoredResponseParts>()({
  params: ['id'],
  query: inputItemQuerySchema,
  response: inputItemListSchema,
  async run(context) {
    const { limit, order, after } = context.query;
    const found = await findResponse(context.params.id, context);
    const items = inputOf(found).map((item, place) => toListed(item, found.record.generation.id, place));
    const ordered = order === 'asc' ? items : items.toReversed();
    const from = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
    if (after !== undefined && from === 0) throw refuseField('after', 'must be the id of an item of this list');
    const data = ordered.slice(from, from + limit);
    return {
      object: 'list' as const,
      data,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: ordered.length > from + limit,
    };
  },
});

const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
};

/** Places of an input are counted from here, so that no item has the id of one in the output. */
const FIRST_INPUT_PLACE = 0x8000;

/** An item with what clients of lists insist on: a type, an id, and the parts of a message. */
function toListed(item: Unchecked, generationId: string, place: number): z.output<typeof listedItemSchema> {
  const type = typeof item['type'] === 'string' ? item['type'] : 'message';
  const { content, role } = item;
  const kind = role === 'assistant' ? 'output_text' : 'input_text';
  const isText = type === 'message' && typeof content === 'string';
  const made = toItemId(PREFIXES[type] ?? 'item', generationId, FIRST_INPUT_PLACE + place);
  const id = typeof item['id'] === 'string' ? item['id'] : made;
  return { status: 'completed', ...item, type, id, ...(isText && { content: [{ type: kind, text: content }] }) };
}

export interface CancelResponseParts extends StoredResponseParts {
  readonly openCalls: Pick<OpenCalls, 'states'>;
}

/** `POST /responses/{id}/cancel`: only what runs in the background could be cancelled, and nothing does here. */
export const cancelResponse = operation<CancelResponseParts>()({
  params: ['id'],
  response: responseSchema,
  async run(context) {
    const { id } = context.params;
    if (!isUnderWay(id, context)) await findReadableGeneration(id, context, 'response');
    throw new GatewayError(
      'invalid_request',
      'Only a response in the background can be cancelled, and this gateway runs none there; ' +
        'close the connection to end a response',
    );
  },
});

function isUnderWay(id: string, { principal, parts }: RequestContext<CancelResponseParts>): boolean {
  for (const { call } of parts.openCalls.states()) {
    if (call.id === id) return principal.kind === 'management' || call.principal.id === principal.id;
  }
  return false;
}
