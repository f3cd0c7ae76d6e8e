import { toSettings } from '../../auth/settings.ts';
import { refuseUnknownNames } from '../../catalog/refuse-unknown-names.ts';
import { operation } from '../../http/operation.ts';
import { settingsChangeSchema, settingsResponseSchema } from '../../wire/management/settings.ts';
import type { AccountParts } from './account-parts.ts';

/** `PATCH /admin/v1/settings`: the given settings take precedence over configuration from the next request on. */
export const updateSettings = operation<AccountParts>()({
  body: settingsChangeSchema,
  response: settingsResponseSchema,
  async run({ parts, body }) {
    const { providers: before } = toSettings(parts.account);
    refuseUnknownNames(
      (['only', 'ignore'] as const).map((list) => ({
        path: `providers.${list}`,
        of: 'providers',
        goesOnward: list === 'ignore',
        names: body.providers?.[list],
        kept: before[list],
      })),
      parts.catalog,
    );
    await parts.store.settings.update((settings) => ({
      ...settings,
      ...body,
      ...(body.providers && { providers: { ...settings.providers, ...body.providers } }),
      ...(body.privacy && { privacy: { ...settings.privacy, ...body.privacy } }),
    }));
    return { data: toSettings(parts.account) };
  },
});
