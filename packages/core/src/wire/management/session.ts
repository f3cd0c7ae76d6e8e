import { z } from 'zod';

import { textUpTo } from '../text-up-to.ts';

/** The body of `POST /admin/v1/session`: one of the two. Closed. */
export const createSessionRequestSchema = z
  .strictObject({
    /** The token of a one-time link. */
    token: textUpTo(200).min(1).optional(),
    /** A management key. */
    key: textUpTo(512).min(1).optional(),
  })
  .refine(({ token, key }) => (token === undefined) !== (key === undefined), 'must hold either token or key');

export const sessionResponseSchema = z.object({
  data: z.union([
    z.object({ signed_in: z.literal(false) }),
    z.object({
      signed_in: z.literal(true),
      name: z.string(),
      csrf_token: z.string(),
      expires_at: z.string().nullable(),
    }),
  ]),
});
export type SessionResponse = z.infer<typeof sessionResponseSchema>;
export type SessionData = z.infer<typeof sessionResponseSchema>['data'];
