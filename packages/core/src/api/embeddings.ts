import { embeddingsKind, runEmbeddings } from '../embeddings/embeddings.ts';
import { embeddingsRequestSchema, embeddingsResponseSchema } from '../wire/embeddings.ts';
import { wholeCall } from './whole-call.ts';

/** `POST /embeddings` */
export const createEmbeddings = wholeCall({
  kind: embeddingsKind,
  body: embeddingsRequestSchema,
  response: embeddingsResponseSchema,
  run: runEmbeddings,
});
