import { createModelCall } from '../../calls/model-call.ts';
import { createGenerationId } from '../../foundation/random-id.ts';
import { operation } from '../../http/operation.ts';
import { firstValue } from '../../http/request.ts';
import { embeddingsKind } from '../../kinds/embeddings/embeddings-kind.ts';
import { runEmbeddings } from '../../kinds/embeddings/run-embeddings.ts';
import { embeddingsRequestSchema, embeddingsResponseSchema } from '../../wire/embeddings/embeddings.ts';
import type { EmbeddingsParts } from './embeddings-parts.ts';

const MAX_SESSION_ID_LENGTH = 256;

/** `POST /embeddings` */
export const createEmbeddings = operation<EmbeddingsParts>()({
  body: embeddingsRequestSchema,
  response: embeddingsResponseSchema,
  run({ body, request, principal, parts, responseHeaders }) {
    const { headers } = request;
    const call = createModelCall({
      id: createGenerationId(parts.platform),
      kind: embeddingsKind,
      request: body,
      principal,
      region: parts.regionOf(request),
      headers,
      headerSession: firstValue(headers['x-session-id'])?.slice(0, MAX_SESSION_ID_LENGTH) ?? null,
    });
    return runEmbeddings(call, { request, responseHeaders }, parts);
  },
});
