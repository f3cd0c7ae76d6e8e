import type { Transport } from '../../foundation/transport.ts';
import type { Provider } from '../provider.ts';
import type { VideoProvider } from '../video-contract.ts';
import { checkTransport, describeProvider, type ProviderOptions, toUpstream } from './to-upstream.ts';
import type { DownloadingVideoSettings } from './video-calls.ts';

export interface VideoProviderSettings extends Omit<ProviderOptions, 'discoverModels'> {
  /** Transport for videos at addresses that upstream names. Must refuse internal addresses. */
  readonly downloads: Transport;
}

export interface VideoWire {
  /** The word before the key in `authorization`. */
  readonly scheme: 'Bearer' | 'Key';
  readonly createVideos: (settings: DownloadingVideoSettings) => VideoProvider;
}

/** Creates a provider for a wire that has only videos. */
export function toVideoProvider(settings: VideoProviderSettings, { scheme, createVideos }: VideoWire): Provider {
  checkTransport(settings, 'downloads');
  const upstream = toUpstream(settings, { keyHeader: 'authorization', keyScheme: scheme });
  return { ...describeProvider(settings), video: createVideos({ ...upstream, downloads: settings.downloads }) };
}
