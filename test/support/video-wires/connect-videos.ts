import type { VideoProvider } from '@model-gateway/core';
import { PRESETS } from '@model-gateway/core/providers/presets';
import { loadConfig } from '@model-gateway/node';
import { onTestFinished } from 'vitest';

import type { VideoOrder, VideoStart } from '../../../packages/core/src/providers/video-contract.ts';
import { connectProviders } from '../../../packages/server/src/open/connect-providers.ts';
import { writeTestConfig } from '../gateways/write-test-config.ts';
import { startVideoUpstream, UPSTREAM_KEY, type VideoUpstream, type VideoWireScript } from './video-wire-script.ts';

export interface ConnectedVideos {
  readonly upstream: VideoUpstream;
  readonly video: VideoProvider;
}

/** Makes the provider as the server does, from an entry of a config file. */
export async function connectVideos(script: VideoWireScript): Promise<ConnectedVideos> {
  const upstream = await startVideoUpstream(script);
  const file = writeTestConfig({
    webhooks: { allowPrivateNetwork: true },
    providers: [{ slug: 'up', name: 'Up', apiKey: UPSTREAM_KEY, ...script.provider(upstream.origin) }],
  });
  const { providers, closeAfterwards } = await connectProviders(loadConfig({ file, env: {}, presets: PRESETS }), {
    logger: console,
  });
  onTestFinished(async () => {
    for (const part of closeAfterwards) await part.close();
    await upstream.close();
  });
  const video = providers[0]?.video;
  if (video === undefined) throw new Error('the provider makes no videos');
  return { upstream, video };
}

/** Order of the tests by default. */
export const ORDER: VideoOrder = {
  prompt: 'a fox',
  durationSeconds: 4,
  size: '1280x720',
  resolution: '720p',
  aspectRatio: '16:9',
  generateAudio: false,
  seed: undefined,
  creativity: undefined,
  upscaleFactor: undefined,
  frameImages: [],
  inputReferences: [],
  previousUpstreamId: undefined,
  options: {},
};

export const LIMITS = { signal: new AbortController().signal, timeoutMs: 5000 };
export const toStart = (script: VideoWireScript, prompt = 'a fox', idempotencyKey = 'job-of-ours'): VideoStart => ({
  providerModel: script.model,
  order: { ...ORDER, prompt },
  idempotencyKey,
  ...LIMITS,
});
