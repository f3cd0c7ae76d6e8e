import { expect, test } from 'vitest';

import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import { jsonOf } from '../../../../test/support/gateways/core-gateway.ts';
import { toBody } from '../../../../test/support/videos/scripted-videos.ts';
import { createVideoGateway, FILM } from '../../../../test/support/videos/video-gateway.ts';
import { GatewayError } from '../foundation/errors.ts';
import { type TransportRequest, TransportError } from '../foundation/transport.ts';
import type { GatewayResponse } from '../http/response.ts';
import type { VideoProgress } from '../providers/video-contract.ts';
import type { WebhookOptions } from '../webhooks/webhooks.ts';

const HOUR_MS = 3_600_000;

test('responds to a submission with the polling address, and at the end with the cost', async () => {
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

test('says that the cost of a video is not known, except to a client that takes no null', async () => {
  const endpoints = FILM.endpoints.map(({ provider, providerModel }) => ({ provider, providerModel }));
  const gateway = createVideoGateway(
    { progress: () => ({ status: 'completed', outputs: [{}] }) },
    { models: [{ ...FILM, endpoints }] },
  );
  const { body } = await gateway.submit();
  await gateway.platform.advance(60_000);
  const usageFor = async (userAgent: string): Promise<unknown> => {
    const headers = { authorization: 'Bearer sk-test-api', 'user-agent': userAgent };
    const path = `/api/v1/videos/${body.id}`;
    return jsonOf(await gateway.post(path, undefined, { method: 'GET', headers }))['usage'];
  };
  expect(await usageFor('curl/8')).toEqual({ cost: null, is_byok: false });
  expect(await usageFor('ai-sdk/openrouter/3.1.0')).toEqual({ is_byok: false });
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

test.each([24 * HOUR_MS, -24 * HOUR_MS])(
  '222: keeps the deadline of a job when the clock is set by %i ms',
  async (byMs) => {
    const gateway = createVideoGateway({ progress: () => ({ status: 'in_progress' }) });
    const { body } = await gateway.submit();
    await gateway.platform.advance(HOUR_MS);
    gateway.platform.setWallClock(byMs);
    await gateway.platform.advance(4.9 * HOUR_MS);
    expect(await gateway.look(body.id)).toMatchObject({ status: 'in_progress' });
    await gateway.platform.advance(0.1 * HOUR_MS + 1000);
    expect(await gateway.look(body.id)).toMatchObject({ status: 'expired' });
  },
);

test('polls again as soon as upstream requires it', async () => {
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

/** A receiver that responds with these statuses, and 200 when they are used up; null never responds. */
function receiver(sent: TransportRequest[], statuses: (number | Error | null)[] = [], headers = {}): WebhookOptions {
  return {
    signingSecrets: ['a secret of 24 letters or more'],
    findUrlProblem: () => undefined,
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

test('166: a webhook that fails is sent again with the same id and body, and a new signature', async () => {
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

test('167: 410 stops a webhook, and so do ten failures', async () => {
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
      ...bodyOf(),
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

const contentOf = async (answer: Parameters<typeof createVideoGateway>[0], range?: string) => {
  const gateway = createVideoGateway(answer);
  const { body } = await gateway.submit();
  await gateway.platform.advance(20_000);
  return gateway.gateway.handle({
    method: 'GET',
    path: `/api/v1/videos/${body.id}/content`,
    query: '',
    headers: { authorization: 'Bearer sk-test-api', ...(range !== undefined && { range }) },
    ...bodyOf(),
    signal: new AbortController().signal,
    baseUrl: '',
  });
};

test.each([
  ['an SVG, which runs scripts', 'image/svg+xml', null],
  ['a page', 'text/html', null],
  ['a second type behind a comma', 'video/mp4, text/html', null],
  ['a film with parameters', 'Video/MP4; codecs=x, text/html', 'video/mp4'],
  ['a picture', 'image/webp', 'image/webp'],
])('hands on %s from upstream only as a film or a picture, which runs nothing', async (_, given, expected) => {
  const response = await contentOf({
    content: () => ({ status: 200, headers: { 'content-type': given }, body: toBody('<script>') }),
  });
  expect(response.status).toBe(expected === null ? 502 : 200);
  if (expected === null) return;
  expect(response.headers['content-type']).toBe(expected);
  expect(response.headers['content-security-policy']).toMatch(/^sandbox allow-same-origin; default-src 'none';/);
});

test('says that upstream has no such bytes in its own words', async () => {
  const page = (range: string) => ({
    content: () => ({
      status: 416,
      headers: { 'content-type': 'text/html', 'content-length': '8', 'content-range': range },
      body: toBody('<script>'),
    }),
  });
  const { status, headers, body } = await contentOf(page('bytes */9'), 'bytes=9-');
  expect([status, headers['content-type'], headers['content-range']]).toEqual([416, 'video/mp4', 'bytes */9']);
  expect(headers['content-length']).toBe('0');
  for await (const _piece of body as AsyncIterable<Uint8Array>) throw new Error('The body of upstream was handed on');
  expect((await contentOf(page('<script>'), 'bytes=9-')).headers).not.toHaveProperty('content-range');
  expect((await contentOf(page('bytes */9'))).status).toBe(502);
});
