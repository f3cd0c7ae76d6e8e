import { operation } from '../../http/operation.ts';
import { rateLimitListSchema } from '../../wire/account.ts';
import type { AccountParts } from './account-parts.ts';

/** `GET /admin/v1/rate-limits`: the rules of the configuration, which are changed there alone. */
export const listRateLimits = operation<AccountParts>()({
  response: rateLimitListSchema,
  run: ({ parts: { setup } }) => ({
    data: (setup.rateLimits?.rules ?? []).map(({ key, model, requestsPerMinute, tokensPerMinute }) => ({
      key,
      model,
      requests_per_minute: requestsPerMinute,
      tokens_per_minute: tokensPerMinute,
    })),
  }),
});
