import { rerankKind, runRerank } from '../rerank/rerank.ts';
import { rerankRequestSchema, rerankResponseSchema } from '../wire/rerank.ts';
import { wholeCall } from './whole-call.ts';

/** `POST /rerank` */
export const createRerank = wholeCall({
  kind: rerankKind,
  body: rerankRequestSchema,
  response: rerankResponseSchema,
  run: runRerank,
});
