import type { Transport } from '../foundation/transport.ts';
import type { Wire } from '../wire/provider-setup.ts';
import type { ProviderOptions } from './kit/to-upstream.ts';
import type { OpenAiProviderSettings } from './openai/openai-provider.ts';
import { PRESETS } from './provider-presets.ts';
import type { Provider } from './provider.ts';

/** A provider as configuration describes it, whatever its wire, and what it is called over. */
export interface WireProviderOptions extends ProviderOptions {
  readonly wire: Wire;
  /** The preset whose dialect is used; null without one. */
  readonly preset: string | null;
  /** Transport for addresses that callers and upstreams name. Must refuse internal addresses. */
  readonly downloads: Transport;
  readonly query?: OpenAiProviderSettings['query'];
  readonly responses?: OpenAiProviderSettings['responses'];
  readonly listsModels?: OpenAiProviderSettings['listsModels'];
}

/** Settings of all wires together: each uses those it knows. */
interface WireSettings extends OpenAiProviderSettings {
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
  deepgram: async () => (await import('./deepgram/deepgram-audio.ts')).createDeepgramProvider,
};

/** Creates a provider for its configured wire. Imports that wire and no other, which keeps a start short. */
export async function createProvider(options: WireProviderOptions): Promise<Provider> {
  const create = await LOAD[options.wire]();
  return create(toWireSettings(options));
}

/** Looks up the dialect of the preset. */
function toWireSettings({ wire: _, preset, ...settings }: WireProviderOptions): WireSettings {
  const known = preset !== null && Object.hasOwn(PRESETS, preset) ? PRESETS[preset] : undefined;
  return {
    ...settings,
    preset,
    hasChat: known?.hasChat,
    dialect: known?.wire === 'openai' ? known.dialect : undefined,
  };
}
