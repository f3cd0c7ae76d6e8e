import { z } from 'zod';

import { modelEndpointSchema } from '../models/model.ts';

/** What `GET /credits` answers. USD. */
export const creditsSchema = z.object({
  data: z.object({
    total_credits: z.number(),
    total_usage: z.number(),
    /** Ours: true when nothing limits the account, so that `total_credits` says nothing. */
    unlimited: z.boolean(),
  }),
});

const nullableString = z.string().nullable();

/** What `GET /providers` answers. */
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

/** What `GET /endpoints/zdr` answers. */
export const zdrEndpointListSchema = z.object({ data: z.array(modelEndpointSchema) });

/** What `POST /generation/feedback` answers. */
export const feedbackResponseSchema = z.object({ data: z.object({ success: z.literal(true) }) });
