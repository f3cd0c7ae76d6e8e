import { CALL_HEADERS, CALL_RESPONSE_HEADERS } from '../calls/call-headers.ts';
import { receiveCall } from '../calls/model-call.ts';
import { amendRequest, type HookedRequest } from '../calls/request-hook.ts';
import { embeddingsKind, respondEmbeddings } from '../embeddings/embeddings.ts';
import { parseWith } from '../foundation/parse.ts';
import { operation } from '../http/operation.ts';
import { embeddingsRequestSchema, embeddingsResponseSchema } from '../wire/embeddings.ts';
import type { WholeKindParts } from './whole-call.ts';

/** `POST /embeddings` */
export const createEmbeddings = operation<WholeKindParts>()({
  headers: CALL_HEADERS,
  body: embeddingsRequestSchema,
  response: { mediaTypes: { 'application/json': embeddingsResponseSchema } },
  responseHeaders: { ...CALL_RESPONSE_HEADERS, 'content-length': 'Length in bytes' },
  async run({ body, ...context }) {
    const hooked: HookedRequest = { kind: 'embeddings', request: body };
    const request = await amendRequest(hooked, (value) => parseWith(embeddingsRequestSchema, value), context);
    return respondEmbeddings(receiveCall(embeddingsKind, request, context), context);
  },
});
