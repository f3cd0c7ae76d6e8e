import { amendRequest, CALL_HEADERS, CALL_RESPONSE_HEADERS, receiveCall } from '../../calls/model-call.ts';
import { embeddingsKind, runEmbeddings } from '../../embeddings/embeddings.ts';
import { parseWith } from '../../foundation/parse.ts';
import { operation } from '../../http/operation.ts';
import { embeddingsRequestSchema, embeddingsResponseSchema } from '../../wire/embeddings.ts';
import type { EmbeddingsParts } from './embeddings-parts.ts';

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
