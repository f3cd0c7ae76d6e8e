import type { Awaitable } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import { createFetchTransport } from '../foundation/fetch-transport.ts';
import type { Transport } from '../foundation/transport.ts';
import { createProvider } from '../providers/create-provider.ts';
import type { ApiKey } from '../providers/kit/asked-key.ts';
import {
  addressOfPreset,
  describeMissingAddress,
  type Environment,
  keyOfPreset,
} from '../providers/preset-environment.ts';
import type { Preset } from '../providers/provider-preset.ts';
import { PRESETS } from '../providers/provider-presets.ts';
import type { Provider } from '../providers/provider.ts';
import type { ModelDefinition } from '../wire/model-definition.ts';
import { pickServedModels } from './override-models.ts';

export interface CreateProvidersOptions {
  /** Names of presets. Default: every one whose key is in the environment, `apiKeys` or `accessTokens`. */
  readonly only?: readonly string[] | undefined;
  /** Keys by the names of presets, in place of the environment: strings, or functions asked before each request. */
  readonly apiKeys?: Readonly<Record<string, ApiKey>> | undefined;
  /**
   * By the names of presets, functions asked before each request for a token of a cloud's identity (Entra ID for `azure`).
   * It is sent as `Authorization: Bearer` in place of a key, which has a header of its own at some providers.
   */
  readonly accessTokens?: Readonly<Record<string, () => Awaitable<string>>> | undefined;
  /** Calls the providers. Default: the runtime's own `fetch`. On Node.js, `createUndiciTransport()` costs less. */
  readonly transport?: Transport | undefined;
  /**
   * Fetches finished films from the addresses that providers name, and must refuse internal ones:
   * `createGuardedTransport()` of `@model-gateway/node/guarded`. Default: no film is fetched.
   */
  readonly downloads?: Transport | undefined;
}

/** Members of the options of `createGateway`. */
export interface CreatedProviders {
  readonly providers: readonly Provider[];
  /** Those of the built-in catalog that these providers serve, with their prices. */
  readonly models: readonly ModelDefinition[];
}

/**
 * Creates the providers whose keys are in the environment, under their customary names (`OPENAI_API_KEY`,
 * `ANTHROPIC_API_KEY`…), and names the models that they serve. After `gateway.start()` models that they list beside
 * those are served as well. Throws `TypeError` where no key is set, an address is missing, or a preset is unknown.
 */
export async function createProviders(
  env: Environment,
  {
    only,
    apiKeys = {},
    accessTokens = {},
    transport = createFetchTransport(),
    downloads = REFUSING,
  }: CreateProvidersOptions = {},
): Promise<CreatedProviders> {
  const given = { apiKeys, accessTokens };
  const named = Object.values(given).flatMap(Object.keys);
  for (const name of named) presetOf(name);
  const hasKey = (name: string): boolean => named.includes(name) || keyOfPreset(presetOf(name), env) !== undefined;
  const names = only ?? Object.keys(PRESETS).filter(hasKey);
  if (names.length === 0) {
    throw new TypeError('No key of a provider is set. Set OPENAI_API_KEY, ANTHROPIC_API_KEY or that of another one');
  }
  const providers = names.map((name) => ({ ...toSettings(name, env, given), transport, downloads }));
  const { BUILT_IN_MODELS } = await import('./built-in-models.ts');
  return {
    providers: await Promise.all(providers.map(createProvider)),
    models: pickServedModels(BUILT_IN_MODELS, providers),
  };
}

function presetOf(name: string): Preset {
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  if (preset !== undefined) return preset;
  throw new TypeError(`There is no preset "${name}". There are: ${Object.keys(PRESETS).join(', ')}`);
}

function toSettings(
  name: string,
  env: Environment,
  { apiKeys, accessTokens }: Required<Pick<CreateProvidersOptions, 'apiKeys' | 'accessTokens'>>,
) {
  const preset = presetOf(name);
  const { wire, slug = name, dataPolicy, listsModels, apiKeyEnv } = preset;
  const accessToken = ownOf(accessTokens, name);
  const apiKey = accessToken === undefined ? (ownOf(apiKeys, name) ?? keyOfPreset(preset, env)) : undefined;
  if (apiKey === undefined && accessToken === undefined && apiKeyEnv !== null)
    throw new TypeError(`The preset "${name}" needs ${apiKeyEnv}`);
  const baseUrl = addressOfPreset(preset, env);
  if (baseUrl === undefined) {
    throw new TypeError(`The preset "${name}" needs ${describeMissingAddress(preset, { hasConfig: false })}`);
  }
  const responses = preset.wire === 'openai' && preset.dialect.hasResponses === true;
  const about = { slug, preset: name, name: preset.name, wire, baseUrl, apiKey, accessToken, dataPolicy };
  return { ...about, responses, listsModels, discoverModels: listsModels };
}

const ownOf = <Value>(all: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined =>
  all !== undefined && Object.hasOwn(all, name) ? all[name] : undefined;

/** Here nobody knows which addresses are internal. */
const REFUSING: Transport = {
  send: () => {
    const message = 'No film is fetched here: pass `downloads` to `createProviders`';
    return Promise.reject(new GatewayError('conflict', message));
  },
};
