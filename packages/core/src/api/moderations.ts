import { moderationKind, runModeration } from '../moderations/moderations.ts';
import { moderationRequestSchema, moderationResponseSchema } from '../wire/moderations.ts';
import { wholeCall } from './whole-call.ts';

/** `POST /moderations` */
export const createModeration = wholeCall({
  kind: moderationKind,
  body: moderationRequestSchema,
  response: moderationResponseSchema,
  run: runModeration,
});
