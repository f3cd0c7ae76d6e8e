import { z } from 'zod';

import { GatewayError } from '../foundation/errors.ts';
import { checkWith, refuseIssues } from '../foundation/parse.ts';
import type { Platform } from '../foundation/platform.ts';
import { operation } from '../http/operation.ts';
import type { Preset } from '../providers/provider-preset.ts';
import { PRESETS } from '../providers/provider-presets.ts';
import type { DiscoveredModel, Provider } from '../providers/provider.ts';
import type { ModelSetupState } from '../setup/compose-setup.ts';
import { type LiveSetup, type Outdated, requireLiveSetup, SERVER_FIELDS } from '../setup/live-setup.ts';
import {
  addSavedSecrets,
  changeProviderRow,
  createProviderRow,
  noProvider,
  type ProviderSetupState,
  readOpenSettings,
} from '../setup/provider-rows.ts';
import type { ConfiguredProvider, SetupHost } from '../setup/setup-host.ts';
import type { ModelRecord, ProviderRecord } from '../stores/store.ts';
import { deletedSchema, maskQuery, refuseField } from '../wire/fields.ts';
import { configuredModelSchema } from '../wire/model-definition.ts';
import type { ProviderSettings } from '../wire/provider-settings.ts';
import {
  createProviderRequestSchema,
  localServerListSchema,
  providerPresetListSchema,
  type ProviderSetup,
  providerSetupListSchema,
  providerSetupResponseSchema,
  type ShownSettings,
  testDraftRequestSchema,
  testDraftResponseSchema,
  type UpdateProviderRequest,
  updateProviderRequestSchema,
} from '../wire/provider-setup.ts';
import { findingLineSchema } from '../wire/providers.ts';
import { isWell, TEST_HEADERS, toTestResponse } from './providers.ts';

export interface SetupParts {
  readonly platform: Platform;
  readonly providers: readonly Provider[];
  /** Undefined where nothing can be set up through the API. */
  readonly liveSetup: LiveSetup | undefined;
}

type Draft = Omit<ProviderSettings, 'slug'> & { readonly slug?: string | undefined };

/** The settings with the slug that they have by default, that of their preset; without one throws `invalid_request`. */
function chooseSlug(draft: Draft, within = ''): ProviderSettings {
  const { preset = '' } = draft;
  const known = Object.hasOwn(PRESETS, preset) ? (PRESETS[preset]?.slug ?? preset) : undefined;
  const slug = draft.slug ?? known;
  if (slug === undefined) throw refuseField(`${within}slug`, 'is missing: choose a short name, e.g. "my-provider"');
  return { ...draft, slug };
}

/** Throws `invalid_request` when what was changed could not be put into force. */
export function refuseUnusable(state: ProviderSetupState | ModelSetupState | undefined): void {
  if (state?.status === 'failed') throw refuseField('body', state.problem ?? 'it cannot be used');
}

/** A provider of the configuration, as it is shown. */
function toConfiguredSetup(provider: ConfiguredProvider): ProviderSetup {
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
async function findProviderSetup(slug: string, setup: LiveSetup): Promise<ProviderSetup> {
  const row = (await setup.stored()).providers.find(({ id }) => id === slug);
  if (row === undefined) throw noProvider(slug);
  return toProviderSetup(row, setup);
}

/** The same for a row that is there. */
function toProviderSetup(row: ProviderRecord, { host, composed }: LiveSetup): ProviderSetup {
  const settings = readShown(row);
  const described = settings === null ? undefined : describe(settings, row, host);
  return {
    slug: row.id,
    name: described?.name ?? settings?.name ?? row.id,
    source: 'stored',
    enabled: row.enabled,
    ...(composed()?.providerStates.get(row.id) ?? NOT_LOADED),
    address: described?.address ?? null,
    has_key: row.keyHint !== null,
    key_hint: row.keyHint,
    header_names: [...row.headerNames],
    settings: settings === null ? null : toShownSettings(settings),
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}

const NOT_LOADED: ProviderSetupState = { status: 'failed', problem: 'It was not loaded: start the gateway again' };

function readShown(row: ProviderRecord): ProviderSettings | null {
  try {
    return readOpenSettings(row);
  } catch {
    return null;
  }
}

const describe = (settings: ProviderSettings, { keyHint }: ProviderRecord, host: SetupHost) =>
  host.describe(keyHint === null ? settings : { ...settings, apiKey: null });

function toShownSettings(settings: ProviderSettings): ShownSettings {
  const { slug: _slug, apiKey: _key, headers: _headers, options, ...shown } = settings;
  // They came in through this API, which takes plain ones alone.
  const plain = options as ShownSettings['options'];
  return { ...shown, ...(plain !== undefined && { options: plain }), query: maskQuery(shown.query) };
}

/** `GET /admin/v1/setup/presets`: the well-known providers, of which only the key need be given. */
export const listProviderPresets = operation<SetupParts>()({
  response: providerPresetListSchema,
  run: () => ({
    // What is called by an identity of this machine alone is set up in a config file.
    data: Object.entries(PRESETS)
      .filter(([, { cloud }]) => cloud !== 'google')
      .map(([id, preset]) => ({
        id,
        name: preset.name,
        slug: preset.slug ?? id,
        wire: preset.wire,
        base_url: preset.baseUrl,
        address_example: preset.ownAddress?.example ?? null,
        needs_key: preset.apiKeyEnv !== null,
        key_variable: preset.apiKeyEnv,
        key_page: preset.keyPage ?? null,
        lists_models: preset.listsModels,
        is_gateway: isGateway(preset),
        data_policy: { training: preset.dataPolicy.training, retains_prompts: preset.dataPolicy.retainsPrompts },
      })),
  }),
});

const isGateway = (preset: Preset): boolean => preset.wire === 'openai' && preset.dialect.isGateway === true;

/** `GET /admin/v1/setup/local-servers`: the model servers that run on the gateway's machine, at their usual ports. */
export const findLocalServers = operation<SetupParts>()({
  response: localServerListSchema,
  errors: ['conflict'],
  async run({ parts }) {
    const setup = requireLiveSetup(parts.liveSetup);
    const [servers, { providers }] = await Promise.all([setup.host.findLocalServers(), setup.stored()]);
    const known = [
      ...setup.host.configured.providers.map(toConfiguredSetup),
      ...providers.map((row) => toProviderSetup(row, setup)),
    ];
    return {
      data: servers.map(({ preset, name, baseUrl, models }) => ({
        preset,
        name,
        base_url: baseUrl,
        models: [...models],
        set_up_as: known.find(({ address }) => address !== null && isSameServer(address, baseUrl))?.slug ?? null,
      })),
    };
  },
});

/** Whether both addresses have the same port of this machine. */
function isSameServer(address: string, baseUrl: string): boolean {
  const [one, other] = [URL.parse(address), URL.parse(baseUrl)];
  return one?.port === other?.port && (one?.host === other?.host || LOOPBACK.has(one?.hostname ?? ''));
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** `POST /admin/v1/setup/provider-tests`: tests a provider before it is saved, or changed, and lists its models. */
export const testProviderDraft = operation<SetupParts>()({
  body: testDraftRequestSchema,
  response: {
    mediaTypes: {
      'application/json': testDraftResponseSchema,
      'application/x-ndjson': z.union([findingLineSchema, testDraftResponseSchema]),
    },
  },
  responseHeaders: TEST_HEADERS,
  errors: ['conflict'],
  find: ({ parts }) => requireLiveSetup(parts.liveSetup),
  async run({ request: { signal }, body: { provider, model, stream }, found: { host, stored }, responseHeaders }) {
    const draft = chooseSlug({
      ...provider,
      slug: provider.slug ?? (provider.preset === undefined ? 'new' : undefined),
    });
    const { providers } = await stored();
    const row = providers.find(({ id }) => id === draft.slug);
    const settings = row === undefined ? draft : await addSavedSecrets(draft, row, host);
    const issues = host.findProblems(settings);
    if (issues.length > 0) {
      throw refuseIssues(
        issues.map(({ path, message }) => ({ path: path === '' ? 'provider' : `provider.${path}`, message })),
      );
    }
    return toTestResponse(host.test(settings, { model, signal }), {
      stream,
      toData: (findings, models) => ({ ok: isWell(findings), findings, models: models?.map(toListed) ?? null }),
      headers: responseHeaders,
    });
  },
});

const toListed = ({ id, created, contextLength, inputModalities, outputModalities }: DiscoveredModel) => ({
  id,
  created,
  context_length: contextLength,
  input_modalities: inputModalities,
  output_modalities: outputModalities,
});

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

/** `POST /admin/v1/setup/providers`: in force when this responds. */
export const createProviderSetup = operation<SetupParts>()({
  body: createProviderRequestSchema,
  response: providerSetupResponseSchema,
  status: 201,
  errors: ['conflict'],
  find: ({ parts }) => requireLiveSetup(parts.liveSetup),
  async run({ body: { enabled, ...draft }, parts: { platform }, found: setup }) {
    const settings = chooseSlug(draft);
    const { slug } = settings;
    await setup.change(async (stored) => {
      if (setup.host.configured.providers.some((provider) => provider.slug === slug)) {
        throw refuseField(
          'slug',
          `the configuration has a provider "${slug}", which takes precedence; choose another slug`,
        );
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
        check: ({ providerStates }) => refuseUnusable(providerStates.get(slug)),
        write: () => setup.rows.providers.insert(row, refuseKnown),
        forget: { provider: slug, isMoved: true },
      };
    });
    return { data: await findProviderSetup(slug, setup) };
  },
});

/** `PATCH /admin/v1/setup/providers/{slug}`: calls that have begun end with the provider as it was. */
export const updateProviderSetup = operation<SetupParts>()({
  params: ['slug'],
  body: updateProviderRequestSchema,
  response: providerSetupResponseSchema,
  errors: ['conflict'],
  find: ({ params, parts }) => findStored(params.slug, parts),
  async run({ params: { slug }, body, parts: { platform }, found: setup }) {
    await setup.change(async (stored) => {
      const before = stored.providers.find(({ id }) => id === slug);
      if (before === undefined) throw noProvider(slug);
      const at = new Date(platform.now()).toISOString();
      const row = await changeProviderRow(before, body, { host: setup.host, at });
      return {
        stored: { ...stored, providers: stored.providers.map((one) => (one === before ? row : one)) },
        check: ({ providerStates }) => refuseUnusable(providerStates.get(slug)),
        write: () => setup.rows.providers.update(slug, () => row),
        forget: toOutdated(slug, body),
      };
    });
    return { data: await findProviderSetup(slug, setup) };
  },
});

const ACCESS_FIELDS = [...SERVER_FIELDS, 'apiKey', 'apiKeys', 'headers'] as const;

function toOutdated(provider: string, body: UpdateProviderRequest): Outdated | undefined {
  const isGiven = (field: keyof UpdateProviderRequest): boolean => body[field] !== undefined;
  return ACCESS_FIELDS.some(isGiven) ? { provider, isMoved: SERVER_FIELDS.some(isGiven) } : undefined;
}

async function findStored(slug: string, parts: SetupParts) {
  const setup = requireLiveSetup(parts.liveSetup);
  await findProviderSetup(slug, setup);
  return setup;
}

/** `DELETE /admin/v1/setup/providers/{slug}`: its key is gone with it. Models that name it have to go first. */
export const deleteProviderSetup = operation<SetupParts>()({
  params: ['slug'],
  response: deletedSchema,
  errors: ['conflict'],
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
  const { data } = checkWith(configuredModelSchema, definition);
  return data?.endpoints?.some(({ provider }) => provider === slug) ?? false;
}
