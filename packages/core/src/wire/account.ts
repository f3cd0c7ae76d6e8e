import { z } from 'zod';

import { modelEndpointSchema } from './models.ts';

/** The response of `GET /credits`. USD. */
export const creditsSchema = z.object({
  data: z.object({
    total_credits: z.number(),
    total_usage: z.number(),
    /** The gateway's own field: true when the account has no limit, so that `total_credits` is meaningless. */
    unlimited: z.boolean(),
  }),
});

const nullableString = z.string().nullable();

/** The response of `GET /providers`. */
export const providerListSchema = z.object({
  data: z.array(
    z.object({
      name: z.string(),
      slug: z.string(),
      privacy_policy_url: nullableString,
      terms_of_service_url: nullableString,
      status_page_url: nullableString,
      headquarters: nullableString,
      datacenters: z.array(z.string()).nullable(),
    }),
  ),
});

export type ProviderList = z.infer<typeof providerListSchema>;

/** The response of `GET /endpoints/zdr`. */
export const zdrEndpointListSchema = z.object({ data: z.array(modelEndpointSchema) });

/** The response of `POST /generation/feedback`. */
export const feedbackResponseSchema = z.object({ data: z.object({ success: z.literal(true) }) });
