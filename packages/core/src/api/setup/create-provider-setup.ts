import { operation } from '../../http/operation.ts';
import { requireLiveSetup } from '../../setup/live-setup.ts';
import { createProviderRow } from '../../setup/provider-rows.ts';
import type { ProviderRecord } from '../../stores/store.ts';
import { refuseField } from '../../wire/fields.ts';
import { createProviderRequestSchema, providerSetupResponseSchema } from '../../wire/provider-setup.ts';
import { chooseSlug } from './choose-slug.ts';
import { refuseUnusable } from './refuse-unusable.ts';
import type { SetupParts } from './setup-parts.ts';
import { findProviderSetup } from './to-provider-setup.ts';

/** `POST /admin/v1/setup/providers`: in force when this responds. */
export const createProviderSetup = operation<SetupParts>()({
  body: createProviderRequestSchema,
  response: providerSetupResponseSchema,
  status: 201,
  find: ({ parts }) => requireLiveSetup(parts.liveSetup),
  async run({ body: { enabled, ...draft }, parts: { platform }, found: setup }) {
    const settings = chooseSlug(draft);
    const { slug } = settings;
    await setup.change(async (stored) => {
      if (setup.host.configured.providers.some((provider) => provider.slug === slug)) {
        throw refuseField('slug', `the configuration has a provider "${slug}", which counts; choose another`);
      }
      const refuseKnown = (providers: readonly ProviderRecord[]): void => {
        if (providers.every(({ id }) => id !== slug)) return;
        throw refuseField('slug', `there is a provider "${slug}" already; change that one, or choose another`);
      };
      refuseKnown(stored.providers);
      const at = new Date(platform.now()).toISOString();
      const row = await createProviderRow(settings, { host: setup.host, enabled, at });
      return {
        stored: { ...stored, providers: [...stored.providers, row] },
        check: ({ providerStandings }) => refuseUnusable(providerStandings.get(slug)),
        write: () => setup.rows.providers.insert(row, refuseKnown),
        forget: { provider: slug, isMoved: true },
      };
    });
    return { data: await findProviderSetup(slug, setup) };
  },
});
