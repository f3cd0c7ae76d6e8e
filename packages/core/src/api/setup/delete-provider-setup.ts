import { GatewayError } from '../../foundation/errors.ts';
import { operation } from '../../http/operation.ts';
import { requireLiveSetup } from '../../setup/live-setup.ts';
import { noProvider } from '../../setup/provider-rows.ts';
import type { ModelRecord } from '../../stores/store.ts';
import { deletedSchema } from '../../wire/fields.ts';
import { configuredModelSchema } from '../../wire/model-definition.ts';
import type { SetupParts } from './setup-parts.ts';

/** `DELETE /admin/v1/setup/providers/{slug}`: its key is gone with it. Models that name it have to go first. */
export const deleteProviderSetup = operation<SetupParts>()({
  params: ['slug'],
  response: deletedSchema,
  async run({ params: { slug }, parts }) {
    const setup = requireLiveSetup(parts.liveSetup);
    await setup.change((stored) => {
      if (stored.providers.every(({ id }) => id !== slug)) throw noProvider(slug);
      const isConfigured = setup.host.configured.providers.some((provider) => provider.slug === slug);
      const models = isConfigured ? [] : stored.models.filter((row) => isNamedBy(row, slug)).map(({ id }) => id);
      if (models.length > 0) {
        const named = models.slice(0, 5).join(', ');
        throw new GatewayError('conflict', `Models have endpoints at ${slug}: change or delete them first (${named})`, {
          metadata: { models },
        });
      }
      return {
        stored: { ...stored, providers: stored.providers.filter(({ id }) => id !== slug) },
        write: () => setup.rows.providers.remove(slug),
        forget: { provider: slug, isMoved: true },
      };
    });
    return { deleted: true };
  },
});

function isNamedBy({ definition }: ModelRecord, slug: string): boolean {
  const { data } = configuredModelSchema.safeParse(definition);
  return data?.endpoints?.some(({ provider }) => provider === slug) ?? false;
}
