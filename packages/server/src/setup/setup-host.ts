import process from 'node:process';

import {
  type ConfiguredProvider,
  maskQuery,
  type ModelDefinition,
  type ProviderSettings,
  type SecretBox,
  secretsOfQuery,
  type SetupHost,
  toKeyHint,
} from '@model-gateway/core';
import { PRESETS } from '@model-gateway/core/providers/presets';
import { checkProvider, type GatewayConfig, type ProviderConfig, toProviderConfig } from '@model-gateway/node';

import type { Connector } from './connector.ts';
import type { KnownServer } from './find-local-servers.ts';

export interface SetupHostOptions {
  /** The configuration in force. */
  readonly current: () => GatewayConfig;
  readonly connector: Connector;
  readonly secrets: SecretBox;
  /** Keeps texts out of logs and findings from then on. */
  readonly hide: (secrets: readonly string[]) => void;
  /** Takes out of a text what was hidden so far. */
  readonly redact: (text: string) => string;
  /** The model servers that are looked for on this machine. Default: those that are usual, at their usual ports. */
  readonly localServers?: readonly KnownServer[] | undefined;
}

/** Nothing is taken from the environment for a provider that is set up through the API: its keys are not the caller's. */
const NO_ENVIRONMENT = {};

/** Creates what the server contributes when providers and models are set up through the API. */
export function createSetupHost(options: SetupHostOptions): SetupHost {
  const { current, connector, secrets, hide, redact, localServers } = options;
  const toConfig = (settings: ProviderSettings): ProviderConfig => toProviderConfig(settings, PRESETS, NO_ENVIRONMENT);
  const objectTo: SetupHost['objectTo'] = (settings) =>
    checkProvider(settings, { presets: PRESETS, env: null }).map(({ field, message }) => ({ path: field, message }));
  return {
    get configured() {
      const { providers, configuredModels } = current();
      return { providers: providers.map(toConfigured), models: configuredModels };
    },
    secrets,
    loadBuiltInModels,
    objectTo,
    describe(settings) {
      if (objectTo(settings).length > 0) return undefined;
      const { name, baseUrl } = toConfig(settings);
      return { name, address: baseUrl };
    },
    async connect(settings) {
      hide(secretsOf(settings));
      return connector.connect(toConfig(settings));
    },
    async *test(settings, { model, signal }) {
      hide(secretsOf(settings));
      const made = toConfig(settings);
      // Loaded only when a test is requested.
      const { diagnoseProvider } = await import('../doctor/diagnose-provider.ts');
      const test = diagnoseProvider({
        config: made,
        provider: await connector.connect(made),
        models: [],
        timeouts: current().timeouts,
        call: model !== undefined,
        model,
        isForm: true,
        env: process.env,
        signal,
        now: Date.now(),
      });
      // Texts of servers may repeat a key.
      const clean = <Found>(found: Found): Found => JSON.parse(redact(JSON.stringify(found))) as Found;
      for (;;) {
        const { done, value } = await test.next();
        if (done === true) return clean(value);
        yield clean(value);
      }
    },
    findLocalServers: async () => (await import('./find-local-servers.ts')).findLocalServers(localServers),
  };
}

/** The models that providers serve by their preset. */
export async function loadBuiltInModels(): Promise<readonly ModelDefinition[]> {
  return (await import('@model-gateway/core/catalog/built-in-models')).BUILT_IN_MODELS;
}

const secretsOf = ({ apiKey, headers, query }: ProviderSettings): string[] => [
  apiKey ?? '',
  ...Object.values(headers),
  ...secretsOfQuery(query),
];

function toConfigured(provider: ProviderConfig): ConfiguredProvider {
  const { slug, name, preset, wire, baseUrl, query, apiKey, headers, dataPolicy, responses, region, byok } = provider;
  const { discoverModels } = provider;
  return {
    slug,
    name,
    address: baseUrl,
    hasKey: apiKey !== undefined,
    keyHint: apiKey === undefined ? null : toKeyHint(apiKey),
    headerNames: Object.keys(headers),
    settings: {
      name,
      ...(preset === null ? { wire } : { preset }),
      baseUrl,
      query: maskQuery(query),
      ...(dataPolicy !== undefined && { dataPolicy }),
      ...(responses && { responses }),
      ...(region !== undefined && { region }),
      byok,
      discoverModels,
    },
  };
}
