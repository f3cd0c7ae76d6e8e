import { operation } from '../../http/operation.ts';
import { type Outdated, requireLiveSetup, SERVER_FIELDS } from '../../setup/live-setup.ts';
import { changeProviderRow, noProvider } from '../../setup/provider-rows.ts';
import {
  providerSetupResponseSchema,
  type UpdateProviderRequest,
  updateProviderRequestSchema,
} from '../../wire/provider-setup.ts';
import { refuseUnusable } from './refuse-unusable.ts';
import type { SetupParts } from './setup-parts.ts';
import { findProviderSetup } from './to-provider-setup.ts';

/** `PATCH /admin/v1/setup/providers/{slug}`: calls that have begun end with the provider as it was. */
export const updateProviderSetup = operation<SetupParts>()({
  params: ['slug'],
  body: updateProviderRequestSchema,
  response: providerSetupResponseSchema,
  find: ({ params, parts }) => findStored(params.slug, parts),
  async run({ params: { slug }, body, parts: { platform }, found: setup }) {
    await setup.change(async (stored) => {
      const before = stored.providers.find(({ id }) => id === slug);
      if (before === undefined) throw noProvider(slug);
      const at = new Date(platform.now()).toISOString();
      const row = await changeProviderRow(before, body, { host: setup.host, at });
      return {
        stored: { ...stored, providers: stored.providers.map((one) => (one === before ? row : one)) },
        check: ({ providerStandings }) => refuseUnusable(providerStandings.get(slug)),
        write: () => setup.rows.providers.update(slug, () => row),
        forget: toOutdated(slug, body),
      };
    });
    return { data: await findProviderSetup(slug, setup) };
  },
});

const ACCESS_FIELDS = [...SERVER_FIELDS, 'apiKey', 'headers'] as const;

function toOutdated(provider: string, body: UpdateProviderRequest): Outdated | undefined {
  const isGiven = (field: keyof UpdateProviderRequest): boolean => body[field] !== undefined;
  return ACCESS_FIELDS.some(isGiven) ? { provider, isMoved: SERVER_FIELDS.some(isGiven) } : undefined;
}

async function findStored(slug: string, parts: SetupParts) {
  const setup = requireLiveSetup(parts.liveSetup);
  await findProviderSetup(slug, setup);
  return setup;
}
