import { z } from 'zod';

/** The body of `POST /admin/v1/session`: one of the two. Closed. */
export const createSessionRequestSchema = z
  .strictObject({
    /** The token of a one-time link. */
    token: z.string().min(1).max(200).optional(),
    /** A management key. */
    key: z.string().min(1).max(512).optional(),
  })
  .refine(({ token, key }) => (token === undefined) !== (key === undefined), 'must hold either token or key');

export const sessionResponseSchema = z.object({
  data: z.union([
    z.object({
      signed_in: z.literal(false),
      /** The gateway takes the keys of the demo. */
      demo: z.literal(true).optional(),
    }),
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
