import { operation } from '../../http/operation.ts';
import { creditsSchema } from '../../wire/management/account.ts';
import type { AccountParts } from './account-parts.ts';

/**
 * `GET /credits`: what the account may spend and has spent, USD, calls that were paid to the provider left out. The
 * wire insists on a number: without a limit it is 0, with `unlimited` beside it, which is ours.
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
