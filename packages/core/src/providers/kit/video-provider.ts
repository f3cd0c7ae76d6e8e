import type { Transport } from '../../foundation/transport.ts';
import { type DataPolicy, type Provider, UNKNOWN_DATA_POLICY } from '../provider.ts';
import type { DownloadingVideoSettings } from './video-calls.ts';
import type { VideoProvider } from '../video-contract.ts';

export interface VideoProviderSettings {
  readonly slug: string;
  /** Default: the slug. */
  readonly name?: string | undefined;
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly transport: Transport;
  /** For videos at addresses that upstream names. Must refuse those that nobody has business with. */
  readonly downloads: Transport;
  readonly dataPolicy?: DataPolicy | undefined;
  readonly region?: string | undefined;
  readonly byok?: boolean | undefined;
}

export interface VideoWire {
  /** The word before the key in `authorization`. */
  readonly scheme: 'Bearer' | 'Key';
  readonly createVideos: (settings: DownloadingVideoSettings) => VideoProvider;
}

/** Makes a provider of a wire that has videos and nothing else. */
export function toVideoProvider(settings: VideoProviderSettings, { scheme, createVideos }: VideoWire): Provider {
  const { slug, name = slug, apiKey, transport, downloads } = settings;
  return {
    slug,
    name,
    dataPolicy: settings.dataPolicy ?? UNKNOWN_DATA_POLICY,
    region: settings.region,
    byok: settings.byok,
    video: createVideos({
      name,
      baseUrl: settings.baseUrl.replace(/\/+$/, ''),
      headers: { ...settings.headers, ...(apiKey !== undefined && { authorization: `${scheme} ${apiKey}` }) },
      secrets: [apiKey ?? '', ...Object.values(settings.headers ?? {})].filter((value) => value.length > 3),
      transport,
      downloads,
    }),
  };
}
