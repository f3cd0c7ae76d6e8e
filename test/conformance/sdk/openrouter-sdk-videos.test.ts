import { OpenRouter } from '@openrouter/sdk';
import { expect, type onTestFinished, test, vi } from 'vitest';

import { startComposed } from '../../support/gateways/start-composed.ts';
import { script as fal } from '../../support/video-wires/fal.ts';
import { script as gateway } from '../../support/video-wires/gateway.ts';
import { script as google } from '../../support/video-wires/google.ts';
import { script as openai } from '../../support/video-wires/openai.ts';
import { script as replicate } from '../../support/video-wires/replicate.ts';
import {
  FILM,
  startVideoUpstream,
  UPSTREAM_KEY,
  type VideoWireScript,
} from '../../support/video-wires/video-wire-script.ts';

// A video takes a second where nothing else runs.
vi.setConfig({ testTimeout: 30_000 });

const KEY = 'sk-gw-v1-videos';
const CAPABILITIES = { supported_durations: [4, 8], supported_resolutions: ['720p'], generate_audio: false };

/** The official client over a gateway whose provider speaks this wire. */
async function connect(script: VideoWireScript, onFinished: typeof onTestFinished) {
  const upstream = await startVideoUpstream(script);
  onFinished(() => upstream.close());
  const config = {
    webhooks: { allowPrivateNetwork: true },
    auth: { bootstrapKeys: [{ key: KEY }] },
    providers: [{ slug: 'up', apiKey: UPSTREAM_KEY, ...script.provider(upstream.origin) }],
    models: [
      {
        id: 'test/film',
        name: 'Test: Film',
        created: 1_735_689_600,
        description: 'Makes films.',
        architecture: { input_modalities: ['text'], output_modalities: ['video'] },
        video: CAPABILITIES,
        endpoints: [{ provider: 'up', providerModel: script.model, pricing: { video_second: '0.1' } }],
      },
    ],
  };
  const composed = await startComposed(config, {}, onFinished);
  const serverURL = composed.apiUrl;
  const { videoGeneration } = new OpenRouter({ apiKey: KEY, serverURL, retryConfig: { strategy: 'none' } });
  const generate = (prompt: string) =>
    videoGeneration.generate({
      videoGenerationRequest: { model: 'test/film', prompt, duration: 4, resolution: '720p', aspectRatio: '16:9' },
    });
  return { ...composed, upstream, videoGeneration, generate };
}

const WIRES: readonly [string, VideoWireScript][] = Object.entries({ openai, google, fal, replicate, gateway });

// Side by side: most of the time they wait for the next look at a job.
test.concurrent.for(WIRES)('the SDK generates, polls and downloads a video of the wire %s', async (wire, context) => {
  const [name, script] = wire;
  const { gateway: own, generate, videoGeneration, store, upstream } = await connect(script, context.onTestFinished);
  const submitted = await generate('a fox');
  expect(submitted.status).toBe('pending');
  expect(submitted.pollingUrl).toBe(`/api/v1/videos/${submitted.id}`);
  await own.waitForVideo(submitted.id);

  const done = await videoGeneration.getGeneration({ jobId: submitted.id });
  // The cost that upstream itself reports takes precedence over the price list.
  const cost = name === 'gateway' ? 0.25 : 0.4;
  expect(done).toMatchObject({ status: 'completed', usage: { cost, isByok: false } });
  expect(done.unsignedUrls).toHaveLength(1);
  expect(await store.generations.get(done.generationId ?? '')).toMatchObject({ costNanoUsd: cost * 1e9 });

  const film = await new Response(await videoGeneration.getVideoContent({ jobId: submitted.id })).bytes();
  expect(FILM.equals(film)).toBe(true);
  expect(upstream.jobs.all).toHaveLength(1);
});

test.concurrent.for(WIRES)(
  'the SDK is told how a video of the wire %s failed, and what upstream refused',
  async (wire, context) => {
    const [, script] = wire;
    const { gateway: own, generate, videoGeneration } = await connect(script, context.onTestFinished);
    const submitted = await generate('please fail');
    await own.waitForVideo(submitted.id);
    const done = await videoGeneration.getGeneration({ jobId: submitted.id });
    expect(done.status).toBe('failed');
    expect(done.error).toContain('not this one');
    await expect(videoGeneration.getVideoContent({ jobId: submitted.id })).rejects.toMatchObject({ statusCode: 400 });
    await expect(generate('please refuse')).rejects.toMatchObject({ statusCode: 400 });
    await expect(generate('please busy')).rejects.toMatchObject({ statusCode: 500 });
  },
);

test('the SDK lists the models that make videos', async (context) => {
  const { videoGeneration } = await connect(openai, context.onTestFinished);
  const { data } = await videoGeneration.listVideosModels();
  expect(data).toHaveLength(1);
  expect(data[0]).toMatchObject({
    id: 'test/film',
    name: 'Test: Film',
    supportedDurations: [4, 8],
    supportedResolutions: ['720p'],
    generateAudio: false,
    pricingSkus: { video_second: '0.1' },
  });
});
