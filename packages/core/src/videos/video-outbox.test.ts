import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';

import { createVideoProcess, type VideoProcess } from '../../../../test/support/videos/video-processes.ts';
import { TransportError, type TransportRequest, type TransportResponse } from '../foundation/transport.ts';
import { createMemoryStore } from '../stores/memory-store.ts';
import { verifyWebhook, type WebhookOptions } from '../webhooks/webhooks.ts';
import type { VideoDetail } from '../wire/videos.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NEW_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OLD_SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const HOOK = { callback_url: 'https://hooks.example/a' };

const toResponse = (status: number, headers = {}): TransportResponse => ({
  status,
  headers,
  body: (async function* () {})(),
});

const toWebhooks = (
  send: (request: TransportRequest) => Promise<TransportResponse>,
  rest: Partial<WebhookOptions> = {},
): WebhookOptions => ({
  signingSecrets: [NEW_SECRET],
  findUrlProblem: () => undefined,
  transport: { send },
  ...rest,
});

interface Listed {
  readonly data: readonly { readonly job_id: string; readonly state: string; readonly attempts: number }[];
  readonly total_count: number;
}

async function listDeliveries({ call }: VideoProcess, query = ''): Promise<Listed> {
  const { body } = await call('GET', `/admin/v1/webhooks/deliveries${query}`);
  return JSON.parse(body as string) as Listed;
}

test('168: what was not delivered before a restart is delivered after it, with the same id and body', async () => {
  const store = createMemoryStore();
  const sent: TransportRequest[] = [];
  const before = createVideoProcess(
    store,
    {},
    {
      webhooks: toWebhooks((request) => {
        sent.push(request);
        return new Promise(() => undefined);
      }),
    },
  );
  const id = await before.submit(HOOK);
  await before.platform.advance(30_000);
  expect(sent).toHaveLength(1);
  const after = createVideoProcess(
    store,
    {},
    {
      webhooks: toWebhooks(async (request) => {
        sent.push(request);
        return toResponse(200);
      }),
    },
  );
  await after.gateway.start();
  await after.platform.advance(MINUTE_MS);
  expect(sent).toHaveLength(2);
  expect(sent[1]?.body).toBe(sent[0]?.body);
  expect(sent[1]?.headers['webhook-id']).toBe(sent[0]?.headers['webhook-id']);
  expect(await store.videoJobs.get(id)).toMatchObject({ delivery: { state: 'delivered', attempts: 1 } });
});

test('167: a receiver that names a time is called then, neither before nor by the schedule', async () => {
  const times: number[] = [];
  const process = createVideoProcess(
    createMemoryStore(),
    {},
    {
      webhooks: toWebhooks(async () => {
        times.push(process.platform.now());
        return times.length === 1 ? toResponse(429, { 'retry-after': '600' }) : toResponse(200);
      }),
    },
  );
  const id = await process.submit(HOOK);
  await process.platform.advance(HOUR_MS);
  expect(times).toHaveLength(2);
  const { data } = JSON.parse((await process.call('GET', `/admin/v1/videos/${id}`)).body as string) as {
    data: VideoDetail;
  };
  expect(data.timeline?.announcements.map(({ result, has_arrived: isThere }) => [result, isThere])).toEqual([
    [expect.stringContaining('429'), false],
    [expect.stringContaining('200'), true],
  ]);
  const waitedMs = (times[1] ?? 0) - (times[0] ?? 0);
  expect(waitedMs).toBeGreaterThanOrEqual(600_000);
  expect(waitedMs).toBeLessThanOrEqual(660_000);
});

test.each([-24 * HOUR_MS, 24 * HOUR_MS])('222: keeps its schedule when the clock is set by %i ms', async (byMs) => {
  const times: number[] = [];
  const process = createVideoProcess(
    createMemoryStore(),
    {},
    {
      webhooks: toWebhooks(async () => {
        times.push(process.platform.monotonicNow());
        return toResponse(times.length === 3 ? 200 : 500);
      }),
    },
  );
  await process.submit(HOOK);
  await process.platform.advance(30_000);
  process.platform.setWallClock(byMs);
  const known = times.length;
  await process.platform.advance(6 * MINUTE_MS);
  expect([known, times.length]).toEqual([2, 3]);
  const waitedMs = (times[2] ?? 0) - (times[1] ?? 0);
  expect(waitedMs).toBeGreaterThanOrEqual(5 * MINUTE_MS);
  expect(waitedMs).toBeLessThanOrEqual(5.5 * MINUTE_MS);
});

test('222: after a restart waits no longer than the schedule has it, although the clock was set back', async () => {
  const store = createMemoryStore();
  const before = createVideoProcess(store, {}, { webhooks: toWebhooks(async () => toResponse(500)) });
  await before.submit(HOOK);
  await before.platform.advance(30_000);
  let attempts = 0;
  const webhooks = toWebhooks(async () => {
    attempts += 1;
    return toResponse(200);
  });
  const after = createVideoProcess(store, {}, { webhooks });
  after.platform.setWallClock(-365 * 24 * HOUR_MS);
  await after.gateway.start();
  await after.platform.advance(27 * HOUR_MS);
  expect(attempts).toBe(1);
});

test('173: ten thousand webhooks to a host that is down are sent a few at a time and delay no others', async () => {
  const store = createMemoryStore();
  const deliveredAt: number[] = [];
  let open = 0;
  let mostOpen = 0;
  const process = createVideoProcess(
    store,
    {},
    {
      webhooks: toWebhooks(({ url }) => {
        if (!url.includes('dead')) {
          deliveredAt.push(process.platform.monotonicNow());
          return Promise.resolve(toResponse(200));
        }
        open += 1;
        mostOpen = Math.max(mostOpen, open);
        return new Promise((_, reject) => {
          process.platform.setTimer(() => {
            open -= 1;
            reject(
              new TransportError('a time limit ran out', { phase: 'connect', requestSent: false, timedOut: true }),
            );
          }, 15_000);
        });
      }),
    },
  );
  const id = await process.submit(HOOK);
  await process.platform.advance(MINUTE_MS);
  const job = await store.videoJobs.get(id);
  if (job === undefined || job.delivery === null) throw new Error('no job');
  deliveredAt.length = 0;
  for (let number = 0; number < 10_100; number += 1) {
    const url = number % 101 === 100 ? 'https://well.example/x' : 'https://dead.example/x';
    const delivery = { ...job.delivery, url, state: 'waiting' as const, attempts: 0, nextAttemptAt: 0 };
    await store.videoJobs.insert({ ...job, id: `job-${number}`, delivery });
  }
  const startedAt = process.platform.monotonicNow();
  await process.gateway.start();
  await process.platform.advance(MINUTE_MS);
  expect(deliveredAt).toHaveLength(100);
  expect(Math.max(...deliveredAt) - startedAt).toBeLessThan(2000);
  expect(mostOpen).toBe(4);
}, 60_000);

test('failed webhooks are listed, and sent again on request, whatever their earlier result', async () => {
  let status = 410;
  const sent: TransportRequest[] = [];
  const process = createVideoProcess(
    createMemoryStore(),
    {},
    {
      webhooks: toWebhooks(async (request) => {
        sent.push(request);
        return toResponse(status);
      }),
    },
  );
  const id = await process.submit(HOOK);
  await process.platform.advance(MINUTE_MS);
  const failed = {
    job_id: id,
    state: 'failed',
    attempts: 1,
    last_result: 'HTTP 410',
    event: 'video.generation.completed',
  };
  expect(await listDeliveries(process, '?state=failed')).toMatchObject({ data: [failed], total_count: 1 });
  expect(await listDeliveries(process, '?state=delivered')).toMatchObject({ data: [], total_count: 0 });

  status = 200;
  const resent = await process.call('POST', `/admin/v1/webhooks/deliveries/${id}/resend`);
  expect(resent.status).toBe(202);
  await process.platform.advance(1000);
  expect(await listDeliveries(process)).toMatchObject({ data: [{ job_id: id, state: 'delivered', attempts: 1 }] });
  await process.call('POST', `/admin/v1/webhooks/deliveries/${id}/resend`);
  await process.platform.advance(1000);
  expect(sent.map(({ body }) => body)).toEqual([sent[0]?.body, sent[0]?.body, sent[0]?.body]);
  expect(new Set(sent.map(({ headers }) => headers['x-service-idempotency-key']))).toEqual(
    new Set([`${id}-completed`]),
  );
  expect((await process.call('POST', '/admin/v1/webhooks/deliveries/none/resend')).status).toBe(404);
});

test('170: while a secret is being replaced, receivers with either can verify messages', async () => {
  const sent: TransportRequest[] = [];
  const process = createVideoProcess(
    createMemoryStore(),
    {},
    {
      webhooks: toWebhooks(
        async (request) => {
          sent.push(request);
          return toResponse(200);
        },
        { signingSecrets: [NEW_SECRET, OLD_SECRET] },
      ),
    },
  );
  const id = await process.submit({ ...HOOK, prompt: 'a fox \u{1f98a} "quoted"' });
  await process.platform.advance(MINUTE_MS);
  const [{ headers, body: bytes }] = sent as [TransportRequest];
  const body = String(bytes);
  for (const secret of [NEW_SECRET, OLD_SECRET]) {
    const given = { body, signature: headers['x-service-signature'], secrets: [secret] };
    expect(await verifyWebhook({ ...given, platform: process.platform })).toMatchObject({ data: { id } });
    // The independent verifier has no clock to be set, so only the signature is looked at.
    const signed = new Webhook(secret).sign(
      headers['webhook-id'] ?? '',
      new Date(Number(headers['webhook-timestamp']) * 1000),
      body,
    );
    expect(headers['webhook-signature']?.split(' ')).toContain(signed);
  }
});
