import { expect, test } from 'vitest';

import { settle } from '../../../test/support/async/virtual-platform.ts';
import { toDestination } from '../../../test/support/broadcast/broadcast-bench.ts';
import { createBroadcastOptions } from '../../../test/support/broadcast/broadcast-options.ts';
import { createCoreGateway, jsonOf, MANAGEMENT_KEY } from '../../../test/support/gateways/core-gateway.ts';
import { guardKey } from '../../../test/support/gateways/guard-key.ts';
import { createReplayTransport } from '../../../test/support/upstreams/scripted-transport.ts';
import { createVideoGateway } from '../../../test/support/videos/video-gateway.ts';
import type { Transport } from './foundation/transport.ts';

const COMPLETION = {
  headers: { 'content-type': 'application/json' },
  pieces: ['{"choices":[{"message":{"content":"a fox"},"finish_reason":"stop"}]}'],
};

const WORDS = { content_filters: [{ pattern: 'badger', action: 'block', label: 'Badgers' }] };

/** A gateway where timers and promises belong to requests, whose host notes what it is held for. */
function prepare(options: Parameters<typeof createCoreGateway>[1] = {}) {
  const held: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>): void => void held.push(work);
  const core = createCoreGateway(createReplayTransport(COMPLETION), { isPerRequest: true, ...options });
  return { ...core, held, waitUntil };
}

test('no timer outlives a request', async () => {
  const { chat, platform, waitUntil } = prepare();
  expect((await chat({}, { waitUntil })).status).toBe(200);
  const stream = await chat({ stream: true }, { waitUntil });
  for await (const _piece of stream.body as AsyncIterable<Uint8Array>);
  expect(platform.pendingTimers).toBe(0);
});

test('what guardrails do is in the store by the end of the request', async () => {
  const core = prepare();
  const { headers } = await guardKey(core, WORDS);
  const say = (content: string) =>
    core.chat({ messages: [{ role: 'user', content }] }, { headers, waitUntil: core.waitUntil });
  expect((await say('badger')).status).toBe(403);
  await Promise.all(core.held);
  expect(await core.store.guardrailHits.list()).toMatchObject([{ hours: { 3: { blocked: 1 } } }]);
  expect(core.platform.pendingTimers).toBe(0);
});

test('a generation is sent to its destination once, while the host is held, and again on request', async () => {
  const statuses = [500, 200];
  const sent: string[] = [];
  const transport: Transport = {
    send({ body }) {
      sent.push(body as string);
      return Promise.resolve({ status: statuses.shift() ?? 200, headers: {}, body: nothing() });
    },
  };
  const core = prepare({ broadcast: { ...createBroadcastOptions(), transport } });
  const destination = toDestination('d', { type: 'webhook', config: { url: 'https://a.example', method: 'POST' } });
  await core.store.destinations.insert(destination);
  const { id } = jsonOf(await core.chat({}, { waitUntil: core.waitUntil })) as { id: string };
  await Promise.all(core.held);
  expect(sent).toHaveLength(1);
  expect(sent[0]).toContain(id);
  expect(core.platform.pendingTimers).toBe(0);

  const [failed] = await core.store.broadcasts.list();
  expect(failed).toMatchObject({ state: 'failed', generationIds: [id], attempts: 1 });
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
  const resent = await core.post(`/admin/v1/destinations/deliveries/${failed?.id}/resend`, {}, { headers });
  expect(resent.status, JSON.stringify(resent.body)).toBeLessThan(300);
  expect(sent).toHaveLength(2);
  expect(await core.store.broadcasts.list()).toEqual([]);
});

async function* nothing(): AsyncGenerator<Uint8Array> {}

test('a video is looked at within the requests that ask for it, when that is due', async () => {
  const { submit, look, polls, platform, store } = createVideoGateway({}, { isPerRequest: true });
  const { body } = await submit();
  expect(platform.pendingTimers).toBe(0);
  expect(await look(body.id)).toMatchObject({ status: 'pending' });
  expect(polls).toEqual([]);
  await platform.advance(60_000);
  const both = await Promise.all([look(body.id), look(body.id)]);
  expect(both.map(({ status }) => status)).toContain('completed');
  expect(await look(body.id)).toMatchObject({ status: 'completed' });
  expect(polls).toHaveLength(1);
  expect(store.appended).toHaveLength(1);
  expect(platform.pendingTimers).toBe(0);
});

test('a second order with the key of one under way is refused instead of waiting for it', async () => {
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => void (begin = resolve));
  const { submit, starts } = createVideoGateway(
    {},
    { isPerRequest: true, onRequest: ({ kind }) => (kind === 'video' ? begun.then(() => undefined) : undefined) },
  );
  const key = { 'idempotency-key': 'k' };
  const headers = { authorization: 'Bearer sk-test-api', ...key };
  const first = submit({}, headers);
  await settle();
  const second = submit({}, headers);
  await settle();
  begin();
  expect([(await first).status, (await second).status]).toEqual([202, 409]);
  expect((await submit({}, headers)).status).toBe(202);
  expect(starts).toHaveLength(1);
});
