import type { LiveSetup } from '../../setup/live-setup.ts';
import { noProvider, type ProviderStanding, readOpenSettings } from '../../setup/provider-rows.ts';
import type { ConfiguredProvider, SetupHost } from '../../setup/setup-host.ts';
import type { ProviderRecord } from '../../stores/store.ts';
import { maskQuery } from '../../wire/fields.ts';
import type { ProviderSettings, ProviderSetup, ShownSettings } from '../../wire/provider-setup.ts';

/** A provider of the configuration, as it is shown. */
export function toConfiguredSetup(provider: ConfiguredProvider): ProviderSetup {
  const { slug, name, address, keyHint, hasKey, headerNames, settings } = provider;
  return {
    slug,
    name,
    source: 'config',
    enabled: true,
    status: 'ready',
    problem: null,
    address,
    has_key: hasKey,
    key_hint: keyHint,
    header_names: [...headerNames],
    settings,
    created_at: null,
    updated_at: null,
  };
}

/** A stored provider, as it is shown; throws `not_found` when it is gone. */
export async function findProviderSetup(slug: string, setup: LiveSetup): Promise<ProviderSetup> {
  const row = (await setup.stored()).providers.find(({ id }) => id === slug);
  if (row === undefined) throw noProvider(slug);
  return toProviderSetup(row, setup);
}

/** The same for a row that is there. */
export function toProviderSetup(row: ProviderRecord, { host, composed }: LiveSetup): ProviderSetup {
  const settings = readShown(row);
  const described = settings === null ? undefined : describe(settings, row, host);
  return {
    slug: row.id,
    name: described?.name ?? settings?.name ?? row.id,
    source: 'stored',
    enabled: row.enabled,
    ...(composed()?.providerStandings.get(row.id) ?? NOT_LOADED),
    address: described?.address ?? null,
    has_key: row.keyHint !== null,
    key_hint: row.keyHint,
    header_names: [...row.headerNames],
    settings: settings === null ? null : toShownSettings(settings),
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}

const NOT_LOADED: ProviderStanding = { status: 'failed', problem: 'It was not loaded: start the gateway again' };

function readShown(row: ProviderRecord): ProviderSettings | null {
  try {
    return readOpenSettings(row);
  } catch {
    return null;
  }
}

const describe = (settings: ProviderSettings, { keyHint }: ProviderRecord, host: SetupHost) =>
  host.describe(keyHint === null ? settings : { ...settings, apiKey: null });

function toShownSettings({ slug: _slug, apiKey: _key, headers: _headers, ...shown }: ProviderSettings): ShownSettings {
  return { ...shown, query: maskQuery(shown.query) };
}
