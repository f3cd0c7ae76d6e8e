import { expect, test } from 'vitest';

import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import { createCoreGateway } from '../../../../test/support/gateways/core-gateway.ts';
import { createRecordingStore } from '../../../../test/support/stores/recording-store.ts';
import { createSharedMemoryStore } from '../../../../test/support/stores/shared-memory-store.ts';
import { createScriptedVideos } from '../../../../test/support/videos/scripted-videos.ts';
import { createVideoGateway, FILM, readResponse } from '../../../../test/support/videos/video-gateway.ts';
import { GatewayError } from '../foundation/errors.ts';
import { TransportError } from '../foundation/transport.ts';
import type { GatewayResponse } from '../http/response.ts';
import type { ModelDefinition } from '../wire/model-definition.ts';

const HOUR_MS = 3_600_000;

test('198: fifty calls with one idempotency key at once make one job, another body is refused', async () => {
  const gateway = createVideoGateway();
  const key = { 'idempotency-key': 'once' };
  const responses = await Promise.all(Array.from({ length: 50 }, () => gateway.submit({}, key)));
  expect(new Set(responses.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
  expect(gateway.starts).toHaveLength(1);
  expect((await gateway.submit({ prompt: 'a hare' }, key)).status).toBe(409);
  await gateway.platform.advance(24 * HOUR_MS + 1000);
  expect((await gateway.submit({ prompt: 'a hare' }, key)).status).toBe(202);
  expect((await gateway.submit({}, { 'idempotency-key': 'k'.repeat(256) })).status).toBe(400);
});

test('198: an order whose turn another process has taken is not submitted, and gives the job of that one', async () => {
  const recordingStore = createRecordingStore();
  const { entries } = createSharedMemoryStore(() => 0);
  entries.renew = async (id) => {
    const [late] = await recordingStore.videoJobs.list();
    if (late !== undefined) await recordingStore.videoJobs.insert({ ...late, id: 'other' });
    await entries.take(id);
    return false;
  };
  const gateway = createVideoGateway({}, { recordingStore: Object.assign(recordingStore, { entries }) });
  const { status, body } = await gateway.submit({}, { 'idempotency-key': 'once' });
  expect([status, body.id]).toEqual([202, 'other']);
  expect(gateway.starts).toEqual([]);
  expect((await recordingStore.videoJobs.list()).map(({ id }) => id)).toEqual(['other']);
});

test('198: a call that failed leaves its idempotency key free', async () => {
  const failStart = (number: number): Error | undefined =>
    number === 0 ? new GatewayError('provider_overloaded', 'Film is overloaded', { retryAfterSeconds: 7 }) : undefined;
  const gateway = createVideoGateway({ failStart });
  const failed = await gateway.submit({}, { 'idempotency-key': 'once' });
  expect([failed.status, failed.headers['retry-after']]).toEqual([500, '7']);
  expect(await gateway.store.videoJobs.list()).toEqual([]);
  expect((await gateway.submit({}, { 'idempotency-key': 'once' })).status).toBe(202);
});

test('passes on that upstream limits the rate, with its wait, and with another where it names none', async () => {
  for (const [retryAfterSeconds, told] of [
    [7, '7'],
    [undefined, '30'],
  ] as const) {
    const failure = new GatewayError('rate_limit_exceeded', 'Film: slow down', {
      retryAfterSeconds,
      metadata: { provider_name: 'Film', raw: 'slow down' },
    });
    const { submit, store } = createVideoGateway({ failStart: () => failure });
    const { status, headers, body } = await submit();
    expect([status, headers['retry-after']]).toEqual([429, told]);
    expect(body).toMatchObject({
      error: { code: 429, metadata: { error_type: 'rate_limit_exceeded', raw: 'slow down' } },
    });
    expect(await store.videoJobs.list()).toEqual([]);
  }
});

test('passes on what upstream’s moderation objects to', async () => {
  const failure = new GatewayError('moderation_flagged', 'Film: flagged', {
    metadata: { provider_name: 'Film', reasons: ['violence'] },
  });
  const { submit } = createVideoGateway({ failStart: () => failure });
  const { status, body } = await submit({ prompt: 'a fox that bites' });
  expect([status, body]).toMatchObject([
    403,
    { error: { metadata: { reasons: ['violence'], flagged_input: 'a fox that bites', model_slug: 'acme/film' } } },
  ]);
});

test('suggests a retry only where it may help', async () => {
  const unpaid = new GatewayError('provider_unavailable', 'Film refused', { upstreamStatus: 402 });
  for (const [failure, retryAfter] of [
    [new TransportError('reset', { phase: 'headers', requestSent: true }), '30'],
    [new GatewayError('not_found', 'Film has no such model'), undefined],
    [unpaid, undefined],
  ] as const) {
    const { submit } = createVideoGateway({ failStart: () => failure });
    const { status, headers } = await submit();
    expect([status, headers['retry-after']]).toEqual([500, retryAfter]);
  }
});

test('goes on to the next endpoint when one fails, and to none when the caller is wrong', async () => {
  const down = new GatewayError('provider_unavailable', 'Film is down');
  const wrong = new GatewayError('content_policy_violation', 'not this one');
  for (const [failure, status, starts] of [
    [down, 202, 1],
    [wrong, 400, 0],
  ] as const) {
    const film = createScriptedVideos({ failStart: () => failure });
    const other = createScriptedVideos({ slug: 'other' });
    const dearer = { provider: 'other', providerModel: 'o', pricing: { video_second: '9' } };
    const models = [{ ...FILM, endpoints: [...FILM.endpoints, dearer] }];
    const { post } = createCoreGateway([film.provider, other.provider], { models });
    const request = { model: 'acme/film', prompt: 'x', provider: { order: ['film', 'other'] } };
    expect((await post('/api/v1/videos', request)).status).toBe(status);
    expect([film.starts.length, other.starts.length]).toEqual([1, starts]);
  }
});

const ABLE: ModelDefinition = {
  ...FILM,
  video: {
    supported_durations: [4, 8],
    supported_resolutions: ['720p'],
    supported_aspect_ratios: ['16:9'],
    supported_frame_images: ['first_frame'],
    generate_audio: false,
    seed: false,
    continuation: false,
    prompt_optional: true,
    upscale_factor: { min: 1, max: 4 },
    allowed_passthrough_parameters: ['style'],
  },
};
const PICTURE = { type: 'image_url', image_url: { url: 'https://pictures.example/a.png' } };

test.each([
  [{ duration: 5 }, 'duration: must be one of 4, 8'],
  [{ resolution: '1080p' }, 'resolution: must be one of 720p'],
  [{ size: '720x1280' }, 'aspect_ratio: must be one of 16:9'],
  [
    { frame_images: [{ ...PICTURE, frame_type: 'last_frame' }] },
    'frame_images.0.frame_type: must be one of first_frame',
  ],
  [{ generate_audio: true }, 'generate_audio: is not supported by this model'],
  [{ seed: 1 }, 'seed: is not supported by this model'],
  [{ upscale_factor: 5 }, 'upscale_factor: must be between 1 and 4 for this model'],
  [{ prompt: undefined }, 'prompt: is required'],
])('refuses %o of a model that cannot, with what it can', async (fields, message) => {
  const { submit, starts } = createVideoGateway({}, { models: [ABLE] });
  const { status, body } = await submit(fields);
  expect([status, body.error?.message]).toEqual([400, message]);
  expect(starts).toHaveLength(0);
});

test('hands on what the model can do, and of the provider options only those for it and known', async () => {
  const { submit, starts } = createVideoGateway({}, { models: [ABLE] });
  await submit({
    prompt: undefined,
    frame_images: [{ ...PICTURE, frame_type: 'first_frame' }],
    input_references: [PICTURE],
    size: '1280x720',
    session_id: 's',
    provider: { options: { film: { style: 'noir', secret: 1 }, other: { style: 'x' } } },
  });
  expect(starts[0]?.order).toMatchObject({
    durationSeconds: 4,
    size: '1280x720',
    generateAudio: false,
    options: { style: 'noir' },
    inputReferences: [],
    frameImages: [{ frame_type: 'first_frame' }],
  });
});

test('refuses pictures for a model that takes text alone, and leaves sounds and films out that a model has no use for', async () => {
  const sound = { type: 'audio_url', audio_url: { url: 'https://sounds.example/a.mp3' } };
  const blind = { ...FILM, architecture: { input_modalities: ['text'], output_modalities: ['video'] } };
  const { submit, starts } = createVideoGateway({}, { models: [blind] });
  const message = 'images are not supported by this model, which accepts text';
  for (const [field, value] of [
    ['frame_images', [{ ...PICTURE, frame_type: 'first_frame' }]],
    ['input_references', [PICTURE]],
  ] as const) {
    const { status, body } = await submit({ [field]: value });
    expect([status, body.error?.message]).toEqual([400, `${field}: ${message}`]);
  }
  expect((await submit({ input_references: [sound] })).status).toBe(202);
  expect(starts[0]?.order.inputReferences).toEqual([]);
  const hearing = { ...FILM, architecture: { input_modalities: ['text', 'audio'], output_modalities: ['video'] } };
  const other = createVideoGateway({}, { models: [hearing] });
  await other.submit({ input_references: [sound] });
  expect(other.starts[0]?.order.inputReferences).toEqual([sound]);
});

test('the address of a job begins with the path where the gateway is mounted', async () => {
  const { post, platform, gateway } = createVideoGateway();
  const baseUrl = 'https://host.example/ai';
  const submitted = readResponse(
    await post('/api/v1/videos', { model: 'acme/film', prompt: 'x', duration: 4 }, { baseUrl }),
  );
  expect(submitted.body.polling_url).toBe(`/ai/api/v1/videos/${submitted.body.id}`);
  await platform.advance(20_000);
  expect((await gateway.waitForVideo(submitted.body.id)).unsigned_urls).toEqual([
    `https://host.example/ai/api/v1/videos/${submitted.body.id}/content?index=0`,
  ]);
});

test('has no endpoint for a caller who requires zero retention, nor for a chat model', async () => {
  const { submit, post, starts } = createVideoGateway();
  expect((await submit({ provider: { zdr: true } })).status).toBe(404);
  expect((await post('/api/v1/videos', { model: 'acme/none', prompt: 'x' })).status).toBe(400);
  expect(starts).toHaveLength(0);
});

test('a job above the limit of its key is refused with 402, whether earlier jobs have finished or not', async () => {
  const { store, starts, platform, post } = createVideoGateway();
  const principal = { kind: 'api', id: 'poor', name: 'poor', limitUsd: 0.65 } as const;
  const submit = (duration: number): Promise<GatewayResponse> =>
    post('/api/v1/videos', { model: 'acme/film', prompt: 'x', duration }, { principal });
  expect((await submit(8)).status).toBe(402);
  expect((await submit(4)).status).toBe(202);
  expect((await submit(4)).status).toBe(402);
  await platform.advance(20_000);
  expect((await submit(4)).status).toBe(402);
  expect((await submit(2)).status).toBe(202);
  expect(starts).toHaveLength(2);
  expect(await store.generations.spentNanoUsd('poor')).toBe(400_000_000);
});

test('goes on from a job of the caller only, once it is completed, at the endpoint that made it', async () => {
  const gateway = createVideoGateway({}, { models: [FILM, { ...FILM, id: 'acme/other' }] });
  const { body } = await gateway.submit();
  expect((await gateway.submit({ previous_job_id: body.id })).status).toBe(400);
  await gateway.platform.advance(20_000);
  expect((await gateway.submit({ previous_job_id: 'nonsense' })).status).toBe(404);
  const other = await gateway.submit({ model: 'acme/other', previous_job_id: body.id });
  expect([other.status, other.body.error?.message]).toEqual([
    400,
    'previous_job_id: is a job of acme/film, and can only be continued with that model',
  ]);
  expect((await gateway.submit({ previous_job_id: body.id })).status).toBe(202);
  expect(gateway.starts[1]?.order.previousUpstreamId).toBe('film-1');
});

test('shows a job only to its caller and to management', async () => {
  const { gateway, submit } = createVideoGateway();
  const { body } = await submit();
  for (const [id, status] of [
    ['stranger', 404],
    ['boss', 200],
  ] as const) {
    const principal = { kind: id === 'boss' ? 'management' : 'api', id, name: id } as const;
    const response = await gateway.handle({
      method: 'GET',
      path: `/api/v1/videos/${body.id}`,
      query: '',
      headers: {},
      ...bodyOf(),
      signal: new AbortController().signal,
      baseUrl: '',
      principal,
    });
    expect(response.status).toBe(status);
  }
});

test('lists what makes videos, every field the client insists on included', async () => {
  const { get } = createVideoGateway({}, { models: [ABLE, { id: 'acme/chat', endpoints: FILM.endpoints }] });
  const { data } = JSON.parse((await get('/api/v1/videos/models')).body as string) as { data: object[] };
  expect(data).toMatchObject([
    {
      id: 'acme/film',
      supported_durations: [4, 8],
      generate_audio: false,
      pricing_skus: { video_second: '0.1' },
      supported_sizes: null,
    },
  ]);
  expect(data).toHaveLength(1);
});

test.each([
  [true, null, 202],
  [false, [], 400],
  [[1, 2], [1, 2], 400],
  [[3], [3], 202],
])('lists the levels of creativity %j as %j, and holds a request to them', async (creativity, listed, status) => {
  const { get, submit } = createVideoGateway({}, { models: [{ ...FILM, video: { creativity } }] });
  const { data } = JSON.parse((await get('/api/v1/videos/models')).body as string) as { data: object[] };
  expect(data).toMatchObject([{ creativity: listed }]);
  expect((await submit({ creativity: 3 })).status).toBe(status);
});
