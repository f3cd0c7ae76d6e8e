import { toSettings } from '../../auth/settings.ts';
import { describeUnknownName, refuseUnknownNames } from '../../catalog/refuse-unknown-names.ts';
import { operation } from '../../http/operation.ts';
import { isModelName } from '../../routing/models/resolve-models.ts';
import { settingsChangeSchema, settingsResponseSchema } from '../../wire/management/settings.ts';
import { refuseField } from '../../wire/refuse-field.ts';
import type { AccountParts } from './account-parts.ts';

/** `PATCH /admin/v1/settings`: the given settings take precedence over configuration from the next request on. */
export const updateSettings = operation<AccountParts>()({
  body: settingsChangeSchema,
  response: settingsResponseSchema,
  async run({ parts, body }) {
    const before = toSettings(parts.account);
    const { default_model: model } = body;
    if (model != null && model !== before.default_model && !isModelName(model, parts.catalog)) {
      throw refuseField('default_model', describeUnknownName(model, 'models', parts.catalog));
    }
    refuseUnknownNames(
      (['only', 'ignore'] as const).map((list) => ({
        path: `providers.${list}`,
        of: 'providers',
        goesOnward: list === 'ignore',
        names: body.providers?.[list],
        kept: before.providers[list],
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
