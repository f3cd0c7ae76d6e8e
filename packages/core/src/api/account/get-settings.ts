import { toShownSettings } from '../../account/account.ts';
import { operation } from '../../http/operation.ts';
import { settingsResponseSchema } from '../../wire/account.ts';
import type { AccountParts } from './account-parts.ts';

/** `GET /admin/v1/settings`: what holds for the account at the moment. */
export const getSettings = operation<AccountParts>()({
  response: settingsResponseSchema,
  run: ({ parts }) => ({ data: toShownSettings(parts.account) }),
});
