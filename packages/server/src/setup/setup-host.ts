import process from 'node:process';

import {
  type ConfiguredProvider,
  type LocalServer,
  maskKeys,
  maskQuery,
  type ModelDefinition,
  type ProviderSettings,
  type SecretBox,
  type SetupHost,
  toKeyHint,
} from '@model-gateway/core';
import { PRESETS } from '@model-gateway/core/providers/presets';
import {
  checkProvider,
  type GatewayConfig,
  isOfPackage,
  type ModuleConfig,
  type PackageConfig,
  type ProviderConfig,
  toPackageConfig,
  toProviderConfig,
} from '@model-gateway/node';
import { z } from 'zod';

import type { Connector } from '../open/connect-providers.ts';
import { secretsOf } from '../open/open-secrets.ts';

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
  const findProblems: SetupHost['findProblems'] = (settings) =>
    checkProvider(settings, { presets: PRESETS, env: null }).map(({ field, message }) => ({ path: field, message }));
  return {
    get configured() {
      const { providers, providerModules, providerPackages, configuredModels } = current();
      const shown = [
        ...providers.map(toConfigured),
        ...providerModules.map(toConfiguredModule),
        ...providerPackages.map(toConfiguredPackage),
      ];
      return { providers: shown, models: configuredModels };
    },
    secrets,
    loadBuiltInModels,
    findProblems,
    describe(settings) {
      if (findProblems(settings).length > 0) return undefined;
      if (isOfPackage(settings)) return { name: settings.name ?? settings.slug, address: settings.package };
      const { name, baseUrl } = toConfig(settings);
      return { name, address: baseUrl };
    },
    async connect(settings) {
      hide(secretsOf(settings));
      if (isOfPackage(settings)) return connector.connectPackage(toSetUpPackage(settings));
      return connector.connect(toConfig(settings));
    },
    async connectWithKey(slug, apiKey) {
      hide([apiKey]);
      const { providers, providerPackages } = current();
      const config = providers.find((provider) => provider.slug === slug);
      if (config !== undefined) {
        return config.cloud === null ? connector.connect({ ...config, apiKey, apiKeys: [], byok: true }) : null;
      }
      const entry = providerPackages.find((one) => one.slug === slug);
      if (entry === undefined) return null;
      const options = { ...entry.options, apiKey, apiToken: apiKey };
      return connector.connectPackage({ ...entry, options, byok: true });
    },
    async *test(settings, { model, signal }) {
      hide(secretsOf(settings));
      const { timeouts } = current();
      // Loaded only when a test is requested.
      const { diagnosePackage, diagnoseProvider } = await import('../checks/diagnose-provider.ts');
      const how = { models: [], timeouts, call: model !== undefined, model, isForm: true, signal };
      const test = isOfPackage(settings)
        ? diagnosePackage(toSetUpPackage(settings), connector.connectPackage, how)
        : diagnoseProvider({
            ...how,
            config: toConfig(settings),
            provider: await connector.connect(toConfig(settings)),
            env: process.env,
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
    findLocalServers: () => findLocalServers(localServers),
  };
}

/** A package without a key would look for one in the environment, which is not for whoever sets it up. */
const toSetUpPackage = (settings: ProviderSettings & { readonly package: string }): PackageConfig =>
  toPackageConfig({ ...settings, apiKey: settings.apiKey ?? 'none' });

/** The models that providers serve by their preset. */
export async function loadBuiltInModels(): Promise<readonly ModelDefinition[]> {
  return (await import('@model-gateway/core/catalog/built-in-models')).BUILT_IN_MODELS;
}

function toConfigured(provider: ProviderConfig): ConfiguredProvider {
  const { slug, name, preset, wire, baseUrl, query, apiKey, headers, dataPolicy, responses, region, byok } = provider;
  const { apiKeys, discoverModels, batches, batchPriceShare } = provider;
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
      ...(apiKeys.length > 0 && { apiKeys: maskKeys(apiKeys) }),
      ...(dataPolicy !== undefined && { dataPolicy }),
      ...(responses && { responses }),
      ...(region !== undefined && { region }),
      byok,
      discoverModels,
      ...(batches !== undefined && { batches }),
      ...(batchPriceShare !== undefined && { batchPriceShare }),
    },
  };
}

/** What its code does is not known here; its options may hold secrets. */
const toConfiguredModule = ({ slug, module }: ModuleConfig): ConfiguredProvider => ({
  slug,
  name: slug,
  address: module,
  hasKey: false,
  keyHint: null,
  headerNames: [],
  settings: { query: {}, byok: false, discoverModels: false },
});

/** Its options may hold secrets under any name. */
function toConfiguredPackage({
  slug,
  name,
  package: specifier,
  options,
  region,
  byok,
}: PackageConfig): ConfiguredProvider {
  const { apiKey, headers } = options;
  return {
    slug,
    name,
    address: specifier,
    hasKey: typeof apiKey === 'string',
    keyHint: typeof apiKey === 'string' ? toKeyHint(apiKey) : null,
    headerNames: typeof headers === 'object' && headers !== null ? Object.keys(headers) : [],
    settings: {
      name,
      package: specifier,
      query: {},
      ...(region !== undefined && { region }),
      byok,
      discoverModels: false,
    },
  };
}

/** A model server that people run on their own machine, by the preset that fits it, with its usual port. */
export interface KnownServer {
  readonly preset: string;
  readonly name: string;
  readonly port: number;
}

const KNOWN_SERVERS: readonly KnownServer[] = [
  { preset: 'ollama', name: 'Ollama', port: 11_434 },
  { preset: 'lmstudio', name: 'LM Studio', port: 1234 },
  { preset: 'llama-cpp', name: 'llama.cpp', port: 8080 },
  { preset: 'vllm', name: 'vLLM', port: 8000 },
];

/** A server of this machine responds at once, or is busy with something else. */
const SERVER_LIMIT_MS = 1000;
const MAX_LIST_BYTES = 1024 * 1024;
const MAX_MODELS = 500;

const modelListSchema = z.object({ data: z.array(z.object({ id: z.string().min(1) })) });

/** Asks the usual ports of this machine, and no other machine, for a list of models. What gives none is left out. */
export async function findLocalServers(
  known: readonly KnownServer[] = KNOWN_SERVERS,
  limitMs = SERVER_LIMIT_MS,
): Promise<readonly LocalServer[]> {
  const found = await Promise.all(known.map((server) => findServer(server, limitMs)));
  return found.filter((server) => server !== null);
}

async function findServer({ preset, name, port }: KnownServer, limitMs: number): Promise<LocalServer | null> {
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  try {
    const response = await fetch(`${baseUrl}/models`, { redirect: 'error', signal: AbortSignal.timeout(limitMs) });
    if (!response.ok || response.body === null) return null;
    const { data } = modelListSchema.parse(JSON.parse(await readLimited(response.body)));
    return { preset, name, baseUrl, models: data.slice(0, MAX_MODELS).map(({ id }) => id) };
  } catch {
    return null;
  }
}

/** Whatever listens there may send without end. */
async function readLimited(body: ReadableStream<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > MAX_LIST_BYTES) throw new RangeError('too long for a list of models');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
