import {
  amendRequest,
  CALL_HEADERS,
  CALL_RESPONSE_HEADERS,
  type HookParts,
  receiveCall,
  type RegionOf,
} from '../calls/model-call.ts';
import type { WholeCallParts } from '../dispatch/run-whole-call.ts';
import { embeddingsKind, runEmbeddings } from '../embeddings/embeddings.ts';
import { parseWith } from '../foundation/parse.ts';
import { operation } from '../http/operation.ts';
import { embeddingsRequestSchema, embeddingsResponseSchema } from '../wire/embeddings.ts';

/** What embeddings use of a gateway. */
export interface EmbeddingsParts extends WholeCallParts, HookParts {
  readonly regionOf: RegionOf;
}

/** `POST /embeddings` */
export const createEmbeddings = operation<EmbeddingsParts>()({
  headers: CALL_HEADERS,
  body: embeddingsRequestSchema,
  response: embeddingsResponseSchema,
  responseHeaders: CALL_RESPONSE_HEADERS,
  async run({ body, ...context }) {
    const request = await amendRequest(
      { kind: 'embeddings', request: body },
      (value) => parseWith(embeddingsRequestSchema, value),
      context,
    );
    return runEmbeddings(receiveCall(embeddingsKind, request, context), context);
  },
});
