import { expect, test } from 'vitest';

import { createCoreGateway, type CoreGateway } from '../../../../test/support/core-gateway.ts';
import {
  createScriptedVideos,
  type ScriptedVideos,
  toBody,
  type VideoScript,
} from '../../../../test/support/scripted-videos.ts';
import type { ModelDefinition } from '../catalog/model-definition.ts';
import { GatewayError } from '../errors.ts';
import type { GatewayOptions } from '../options.ts';
import type { VideoProgress } from '../providers/video-contract.ts';
import type { GatewayResponse } from '../response.ts';
import { type TransportRequest, TransportError } from '../transport.ts';
import type { WebhookOptions } from '../webhooks/webhook-options.ts';
import type { VideoJob } from './video-job.ts';

const FILM: ModelDefinition = {
  id: 'acme/film',
  architecture: { input_modalities: ['text', 'image'], output_modalities: ['video'] },
  endpoints: [{ provider: 'film', providerModel: 'film-1', pricing: { video_second: '0.1' } }],
};

interface VideoGateway extends CoreGateway, ScriptedVideos {
  submit(
    body?: object,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: Answer; headers: Record<string, string> }>;
  look(id: string): Promise<Answer>;
  job(id: string): Promise<VideoJob>;
}

interface Answer {
  readonly id: string;
  readonly status: string;
  readonly polling_url: string;
  readonly generation_id?: string;
  readonly error?: string & { message: string };
  readonly unsigned_urls?: readonly string[];
  readonly usage?: { readonly cost: number | null };
}

const read = ({
  status,
  headers,
  body,
}: GatewayResponse): { status: number; body: Answer; headers: Record<string, string> } => ({
  status,
  headers,
  body: JSON.parse(typeof body === 'string' ? body : '{}') as Answer,
});

function createVideoGateway(script: VideoScript = {}, options: Partial<GatewayOptions> = {}): VideoGateway {
  const film = createScriptedVideos(script);
  const core = createCoreGateway([film.provider], { models: [FILM], ...options });
  return {
    ...core,
    ...film,
    async submit(body = {}, headers = {}) {
      const request = { model: 'acme/film', prompt: 'a fox', duration: 4, ...body };
      const types = { 'content-type': 'application/json', ...headers };
      return read(
        await core.post(
          '/api/v1/videos',
          request,
          headers === undefined ? {} : { headers: { authorization: 'Bearer sk-test-api', ...types } },
        ),
      );
    },
    look: async (id) => read(await core.get(`/api/v1/videos/${id}`)).body,
    async job(id) {
      const job = await core.store.videoJobs.get(id);
      if (job === undefined) throw new Error(`no job ${id}`);
      return job;
    },
  };
}

const HOUR_MS = 3_600_000;

test('answers a submission with where to look, and the end with the cost of what was made', async () => {
  const gateway = createVideoGateway({
    progress: (_, number) => (number < 2 ? { status: 'in_progress' } : { status: 'completed', outputs: [{}] }),
  });
  const { status, body } = await gateway.submit();
  expect([status, body.status, body.polling_url]).toEqual([202, 'pending', `/api/v1/videos/${body.id}`]);
  expect(body).not.toHaveProperty('generation_id');
  await gateway.platform.advance(15_000);
  expect((await gateway.look(body.id)).status).toBe('in_progress');
  await gateway.platform.advance(60_000);
  const done = await gateway.look(body.id);
  expect(done).toMatchObject({ status: 'completed', usage: { cost: 0.4, is_byok: false } });
  expect(done.unsigned_urls?.[0]).toMatch(new RegExp(`/api/v1/videos/${body.id}/content\\?index=0$`));
  const generation = await gateway.get(`/api/v1/generation?id=${done.generation_id}`);
  expect(JSON.parse(generation.body as string)).toMatchObject({
    data: { api_type: 'video', model: 'acme/film', total_cost: 0.4, finish_reason: 'stop', upstream_id: 'film-1' },
  });
  const content = await gateway.get(`/api/v1/generation/content?id=${done.generation_id}`);
  expect(JSON.parse(content.body as string)).toMatchObject({ data: { input: { prompt: 'a fox' } } });
});

test('191: a job ends once, though the process died between its generation and its end', async () => {
  const gateway = createVideoGateway();
  const { body } = await gateway.submit();
  const { update } = gateway.store.videoJobs;
  Object.assign(gateway.store.videoJobs, { update: () => Promise.reject(new Error('the disk is gone')) });
  await gateway.platform.advance(20_000);
  expect((await gateway.job(body.id)).status).toBe('pending');
  Object.assign(gateway.store.videoJobs, { update });
  await gateway.platform.advance(20_000);
  expect((await gateway.look(body.id)).status).toBe('completed');
  expect(gateway.store.appended.filter(({ record }) => record.generation.api_type === 'video')).toHaveLength(1);
});

test('191: a job whose submission a crash has cut short is not submitted again, and fails', async () => {
  const gateway = createVideoGateway();
  const { body } = await gateway.submit();
  await gateway.store.videoJobs.update(body.id, (job) => ({ ...job, submission: 'sending', upstream: null }));
  await gateway.platform.advance(20_000);
  expect(await gateway.look(body.id)).toMatchObject({
    status: 'failed',
    error: 'submission_unknown: the gateway stopped while it submitted the job to Film',
  });
  expect(gateway.starts).toHaveLength(1);
});

test('192: after a restart with a thousand open jobs at most fifty looks are made a second', async () => {
  const gateway = createVideoGateway({ progress: () => ({ status: 'in_progress' }) });
  const { body } = await gateway.submit();
  const job = await gateway.job(body.id);
  for (let number = 0; number < 999; number += 1) {
    await gateway.store.videoJobs.insert({
      ...job,
      id: `job-${number}`,
      upstream: { upstreamId: `up-${number}`, providerModel: 'x' },
    });
  }
  await gateway.gateway.start();
  const counts: number[] = [];
  for (let second = 0; second < 22; second += 1) {
    const before = gateway.polls.length;
    await gateway.platform.advance(1000);
    counts.push(gateway.polls.length - before);
  }
  expect(Math.max(...counts)).toBeLessThanOrEqual(51);
  expect(new Set(gateway.polls).size).toBe(1000);
}, 60_000);

const ODD_LOOKS: readonly (() => VideoProgress)[] = [
  () => ({ status: 'in_progress' }),
  () => ({ status: 'pending' }),
  () => ({ status: 'unknown' }),
  () => {
    throw new GatewayError('not_found', 'gone for a moment');
  },
  ...Array.from({ length: 10 }, () => () => {
    throw new TransportError('reset', { phase: 'headers', requestSent: true });
  }),
  () => ({ status: 'in_progress' }),
  () => ({ status: 'completed', outputs: [{}] }),
  () => ({ status: 'in_progress' }),
];

test('193: neither failed looks nor unknown words nor steps back end a job or take it back', async () => {
  const gateway = createVideoGateway({ progress: (_, number) => ODD_LOOKS[number]?.() ?? { status: 'unknown' } });
  const { body } = await gateway.submit();
  const seen: string[] = [];
  for (let minute = 0; minute < 30; minute += 1) {
    await gateway.platform.advance(30_000);
    const { status } = await gateway.look(body.id);
    if (seen.at(-1) !== status) seen.push(status);
  }
  expect(seen).toEqual(['in_progress', 'completed']);
  expect(gateway.polls).toHaveLength(ODD_LOOKS.length - 1);
});

test('194: a job that never ends expires at its deadline, costs nothing and is announced', async () => {
  const sent: TransportRequest[] = [];
  const gateway = createVideoGateway({ progress: () => ({ status: 'in_progress' }) }, { webhooks: receiver(sent) });
  const { body } = await gateway.submit({ callback_url: 'https://hooks.example/a' });
  await gateway.platform.advance(6 * HOUR_MS + 1000);
  expect(await gateway.look(body.id)).toMatchObject({ status: 'expired', error: 'The video was not made in time' });
  expect(await gateway.job(body.id)).toMatchObject({ reservedNanoUsd: 0, costNanoUsd: 0 });
  expect(JSON.parse(sent[0]?.body as string)).toMatchObject({ type: 'video.generation.expired' });
  const polls = gateway.polls.length;
  await gateway.platform.advance(HOUR_MS);
  expect(gateway.polls).toHaveLength(polls);
});

test('looks again as soon as upstream asks for it', async () => {
  const looks: number[] = [];
  const gateway = createVideoGateway({
    progress(_, number) {
      looks.push(gateway.platform.monotonicNow());
      return number < 5 ? { status: 'in_progress', retryAfterMs: 600 } : { status: 'completed', outputs: [{}] };
    },
  });
  const { body } = await gateway.submit();
  await gateway.platform.advance(20_000);
  expect((await gateway.look(body.id)).status).toBe('completed');
  const waits = looks.slice(1).map((at, index) => at - (looks[index] ?? 0));
  expect(waits).toHaveLength(5);
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(600);
  expect(Math.max(...waits)).toBeLessThanOrEqual(720);
});

/** A receiver that answers with these statuses, and 200 when they are used up; null keeps silent for ever. */
function receiver(sent: TransportRequest[], statuses: (number | Error | null)[] = [], headers = {}): WebhookOptions {
  return {
    signingSecrets: ['a secret of 24 letters or more'],
    objectToUrl: () => undefined,
    transport: {
      async send(request) {
        sent.push(request);
        const status = statuses.length === 0 ? 200 : statuses.shift();
        if (status == null) return new Promise(() => undefined);
        if (status instanceof Error) throw status;
        return { status, headers, body: toBody('') };
      },
    },
  };
}

test('166: a webhook that fails is sent again with the same id and body, signed anew', async () => {
  const sent: TransportRequest[] = [];
  const broken = new TransportError('no connection could be made', { phase: 'connect', requestSent: false });
  const gateway = createVideoGateway({}, { webhooks: receiver(sent, [500, 302, broken]) });
  const { body } = await gateway.submit({ callback_url: 'https://hooks.example/a' });
  await gateway.platform.advance(HOUR_MS * 4);
  expect(sent).toHaveLength(4);
  expect(new Set(sent.map((request) => request.body)).size).toBe(1);
  expect(new Set(sent.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([`${body.id}-completed`]));
  expect(new Set(sent.map(({ headers }) => headers['x-service-signature'])).size).toBe(4);
  expect((await gateway.job(body.id)).delivery).toMatchObject({ state: 'delivered', attempts: 4 });
});

test('167: 410 stops a webhook, and after ten failures nobody is bothered any more', async () => {
  const gone: TransportRequest[] = [];
  const first = createVideoGateway({}, { webhooks: receiver(gone, [410]) });
  const { body } = await first.submit({ callback_url: 'https://hooks.example/a' });
  await first.platform.advance(100 * HOUR_MS);
  expect(gone).toHaveLength(1);
  expect((await first.job(body.id)).delivery).toMatchObject({ state: 'failed', lastResult: 'HTTP 410' });

  const failing: TransportRequest[] = [];
  const second = createVideoGateway(
    {},
    {
      webhooks: receiver(
        failing,
        Array.from({ length: 20 }, () => 500),
      ),
    },
  );
  await second.submit({ callback_url: 'https://hooks.example/a' });
  await second.platform.advance(100 * HOUR_MS);
  expect(failing).toHaveLength(10);
});

test('168: a webhook that a crash has held back is sent after the restart', async () => {
  const sent: TransportRequest[] = [];
  const gateway = createVideoGateway({}, { webhooks: receiver(sent, [null]) });
  const { body } = await gateway.submit({ callback_url: 'https://hooks.example/a' });
  await gateway.platform.advance(20_000);
  const { delivery } = await gateway.job(body.id);
  expect(delivery?.state).toBe('waiting');
  await gateway.gateway.start();
  await gateway.platform.advance(20_000);
  expect(sent.at(-1)?.body).toBe(delivery?.body);
});

test('198: fifty calls with one idempotency key at once make one job, another body is refused', async () => {
  const gateway = createVideoGateway();
  const key = { 'idempotency-key': 'once' };
  const answers = await Promise.all(Array.from({ length: 50 }, () => gateway.submit({}, key)));
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
  expect(gateway.starts).toHaveLength(1);
  expect((await gateway.submit({ prompt: 'a hare' }, key)).status).toBe(409);
  await gateway.platform.advance(24 * HOUR_MS + 1000);
  expect((await gateway.submit({ prompt: 'a hare' }, key)).status).toBe(202);
  expect((await gateway.submit({}, { 'idempotency-key': 'k'.repeat(256) })).status).toBe(400);
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

test('routes nobody who insists on zero retention, and no chat model', async () => {
  const { submit, post, starts } = createVideoGateway();
  expect((await submit({ provider: { zdr: true } })).status).toBe(404);
  expect((await post('/api/v1/videos', { model: 'acme/none', prompt: 'x' })).status).toBe(400);
  expect(starts).toHaveLength(0);
});

test('402: a key cannot start more videos than its limit covers, finished or not', async () => {
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
  const gateway = createVideoGateway();
  const { body } = await gateway.submit();
  expect((await gateway.submit({ previous_job_id: body.id })).status).toBe(400);
  await gateway.platform.advance(20_000);
  expect((await gateway.submit({ previous_job_id: 'nonsense' })).status).toBe(404);
  expect((await gateway.submit({ previous_job_id: body.id })).status).toBe(202);
  expect(gateway.starts[1]?.order.previousUpstreamId).toBe('film-1');
});

test('197: content is handed on as upstream sends it, ranges and all, and is gone when upstream has lost it', async () => {
  const gateway = createVideoGateway({
    content({ headers, index }) {
      if (headers['range'] === 'bytes=9-') throw new GatewayError('not_found', 'no such video');
      if (headers['range'] === 'bytes=5-') throw new TransportError('reset', { phase: 'body', requestSent: true });
      const isPart = headers['range'] !== undefined;
      return {
        status: isPart ? 206 : 200,
        headers: { 'content-type': 'video/mp4', 'x-secret': 'y', ...(isPart && { 'content-range': 'bytes 0-1/9' }) },
        body: toBody(`${index}`),
      };
    },
  });
  const { body } = await gateway.submit();
  const content = (headers = {}, method = 'GET', query = ''): Promise<GatewayResponse> =>
    gateway.gateway.handle({
      method,
      path: `/api/v1/videos/${body.id}/content`,
      query,
      headers: { authorization: 'Bearer sk-test-api', ...headers },
      readBody: () => Promise.resolve(new Uint8Array()),
      signal: new AbortController().signal,
      baseUrl: '',
    });
  expect((await content()).status).toBe(400);
  await gateway.platform.advance(20_000);
  const whole = await content();
  expect([whole.status, whole.headers['content-type'], whole.headers['x-secret']]).toEqual([
    200,
    'video/mp4',
    undefined,
  ]);
  const etag = whole.headers['etag'] ?? '';
  expect((await content({ 'if-none-match': etag })).status).toBe(304);
  expect((await content({ 'if-none-match': `"x", W/${etag}` })).status).toBe(304);
  expect((await content({ 'if-modified-since': whole.headers['last-modified'] })).status).toBe(304);
  expect((await content({ 'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' })).status).toBe(200);
  const part = await content({ range: 'bytes=0-1' });
  expect([part.status, part.headers['content-range']]).toEqual([206, 'bytes 0-1/9']);
  expect((await content({}, 'HEAD')).body).toBeNull();
  expect((await content({}, 'GET', 'index=1')).status).toBe(404);
  expect((await content({}, 'GET', 'index=x')).status).toBe(400);
  expect((await content({ range: 'bytes=9-' })).status).toBe(410);
  expect((await content({ range: 'bytes=5-' })).status).toBe(502);
});

test('shows a job to nobody but its caller and management', async () => {
  const { gateway, submit } = createVideoGateway();
  const { body } = await submit();
  for (const [id, status] of [
    ['stranger', 404],
    ['boss', 200],
  ] as const) {
    const principal = { kind: id === 'boss' ? 'management' : 'api', id, name: id } as const;
    const answer = await gateway.handle({
      method: 'GET',
      path: `/api/v1/videos/${body.id}`,
      query: '',
      headers: {},
      readBody: () => Promise.resolve(new Uint8Array()),
      signal: new AbortController().signal,
      baseUrl: '',
      principal,
    });
    expect(answer.status).toBe(status);
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
