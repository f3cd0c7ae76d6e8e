import { createWebPlatform } from '../foundation/platform.ts';
import type { Transport } from '../foundation/transport.ts';
import type { Wire } from '../wire/values.ts';
import type { BedrockProviderSettings } from './bedrock/bedrock-provider.ts';
import type { ProviderOptions } from './kit/to-upstream.ts';
import type { OpenAiProviderSettings } from './openai/openai-provider.ts';
import { PRESETS } from './provider-presets.ts';
import type { Provider, ProviderKey, ProviderKeyLimits } from './provider.ts';

/** One of several keys as configuration describes it. */
export interface ProviderKeyOptions extends ProviderKeyLimits {
  readonly name: string;
  readonly key: string;
  /** Default: 1. */
  readonly weight?: number | undefined;
  /** No new calls are sent with it. Default: false. */
  readonly disabled?: boolean | undefined;
}

/** A provider as configuration describes it, whatever its wire, and what it is called over. */
export interface WireProviderOptions extends ProviderOptions {
  /** Keys that calls are shared among, in place of `apiKey`. Their names must be unique. */
  readonly apiKeys?: readonly ProviderKeyOptions[] | undefined;
  readonly wire: Wire;
  /** The preset whose dialect is used; null without one. */
  readonly preset: string | null;
  /** Transport for addresses that callers and upstreams name. Must refuse internal addresses. */
  readonly downloads: Transport;
  readonly query?: OpenAiProviderSettings['query'];
  readonly responses?: OpenAiProviderSettings['responses'];
  readonly listsModels?: OpenAiProviderSettings['listsModels'];
  readonly credentials?: BedrockProviderSettings['credentials'];
  readonly awsRegion?: BedrockProviderSettings['awsRegion'];
}

/** Settings of all wires together: each uses those it knows. */
interface WireSettings extends OpenAiProviderSettings, Pick<BedrockProviderSettings, 'credentials' | 'awsRegion'> {
  readonly downloads: Transport;
}

/** Makes a provider of one wire. */
type CreateWireProvider = (settings: WireSettings) => Provider;

const LOAD: Readonly<Record<Wire, () => Promise<CreateWireProvider>>> = {
  openai: async () => (await import('./openai/openai-provider.ts')).createOpenAiProvider,
  'openai-responses': async () =>
    (await import('./openai-responses/openai-responses-provider.ts')).createOpenAiResponsesProvider,
  anthropic: async () => (await import('./anthropic/anthropic-provider.ts')).createAnthropicProvider,
  google: async () => (await import('./google/google-provider.ts')).createGoogleProvider,
  fal: async () => (await import('./fal/fal-videos.ts')).createFalProvider,
  replicate: async () => (await import('./replicate/replicate-videos.ts')).createReplicateProvider,
  elevenlabs: async () => (await import('./elevenlabs/elevenlabs-audio.ts')).createElevenLabsProvider,
  bedrock: async () => (await import('./bedrock/bedrock-provider.ts')).createBedrockProvider,
  deepgram: async () => (await import('./deepgram/deepgram-audio.ts')).createDeepgramProvider,
};

/**
 * Creates a provider for its configured wire. Imports that wire and no other, which keeps a start short. With several
 * keys it is made once for each (docs/decisions/0085).
 */
export async function createProvider({ apiKeys = [], ...options }: WireProviderOptions): Promise<Provider> {
  const create = await LOAD[options.wire]();
  const settings = toWireSettings(options);
  const keys = await Promise.all(apiKeys.map((key) => createKey(key, (apiKey) => create({ ...settings, apiKey }))));
  const first = keys.find(({ isOff }) => !isOff) ?? keys[0];
  return first === undefined ? create(settings) : { ...first.provider, keys };
}

/** Characters of a fingerprint: enough to tell keys apart, and too few to find one by. */
const FINGERPRINT_LENGTH = 12;

async function createKey(
  { name, key, weight = 1, disabled = false, requestsPerMinute, tokensPerMinute, callsUnderWay }: ProviderKeyOptions,
  create: (apiKey: string) => Provider,
): Promise<ProviderKey> {
  const hash = await createWebPlatform().sha256(key);
  return {
    name,
    fingerprint: hash.slice(0, FINGERPRINT_LENGTH),
    weight,
    isOff: disabled,
    limits: { requestsPerMinute, tokensPerMinute, callsUnderWay },
    provider: create(key),
  };
}

/** Looks up the dialect of the preset. */
function toWireSettings({ wire: _, preset, ...settings }: Omit<WireProviderOptions, 'apiKeys'>): WireSettings {
  const known = preset !== null && Object.hasOwn(PRESETS, preset) ? PRESETS[preset] : undefined;
  return {
    ...settings,
    preset,
    hasChat: known?.hasChat,
    platform: known?.cloud === 'google' ? 'vertex' : undefined,
    dialect: known?.wire === 'openai' ? known.dialect : undefined,
  };
}
