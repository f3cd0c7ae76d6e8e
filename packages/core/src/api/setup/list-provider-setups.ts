import { operation } from '../../http/operation.ts';
import type { Provider } from '../../providers/provider.ts';
import { type ProviderSetup, providerSetupListSchema } from '../../wire/provider-setup.ts';
import type { SetupParts } from './setup-parts.ts';
import { toConfiguredSetup, toProviderSetup } from './to-provider-setup.ts';

/** `GET /admin/v1/setup/providers`: those of the configuration, then those that were set up through the API. */
export const listProviderSetups = operation<SetupParts>()({
  response: providerSetupListSchema,
  async run({ parts: { providers, liveSetup } }) {
    if (liveSetup === undefined) {
      return { data: providers.map(toHostsSetup), editable: false };
    }
    const { providers: rows } = await liveSetup.stored();
    return {
      data: [
        ...liveSetup.host.configured.providers.map(toConfiguredSetup),
        ...rows.map((row) => toProviderSetup(row, liveSetup)),
      ],
      editable: true,
    };
  },
});

/** A provider that an embedder, or the demo, brings: nothing is known of how it is reached. */
function toHostsSetup({ slug, name }: Provider): ProviderSetup {
  return {
    slug,
    name,
    source: 'config',
    enabled: true,
    status: 'ready',
    problem: null,
    address: null,
    has_key: null,
    key_hint: null,
    header_names: [],
    settings: null,
    created_at: null,
    updated_at: null,
  };
}
