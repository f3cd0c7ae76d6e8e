import { operation } from '../../http/operation.ts';
import { creditsSchema } from '../../wire/account.ts';
import type { AccountParts } from './account-parts.ts';

/**
 * `GET /credits`: the credits of the account and its spending, USD, without calls that were paid to the provider
 * directly. The wire requires a number: without a limit it is 0, beside the gateway's own field `unlimited`.
 */
export const getCredits = operation<AccountParts>()({
  response: creditsSchema,
  async run({ parts }) {
    const { creditsUsd } = parts.account;
    const { creditsNanoUsd } = await parts.store.generations.spent({});
    return {
      data: { total_credits: creditsUsd ?? 0, total_usage: creditsNanoUsd / 1e9, unlimited: creditsUsd == null },
    };
  },
});
