import { describe, expect, onTestFinished, test } from 'vitest';

import { jsonOf } from '../support/gateways/core-gateway.ts';
import { createBox, createSetupGateway, type SetupGateway } from '../support/gateways/setup-gateway.ts';
import { createRecordingStore } from '../support/stores/recording-store.ts';
import { storeImplementations } from '../support/stores/store-implementations.ts';
import { createScriptedTransport } from '../support/upstreams/scripted-transport.ts';

const SHARED = 'sk-shared-key-of-the-gateway-1111';
const OWN = 'sk-own-key-of-the-workspace-2222';
const ROTATED = 'sk-rotated-key-of-the-workspace-3333';
/** The provider's bill for a video of 4 seconds. */
const BILL = 0.4;

/** A gateway upstream whose accounts do not know each other's jobs: a key that was rotated is of the same account. */
function createUpstream() {
  const asked: (readonly [what: string, key: string])[] = [];
  const owners = new Map<string, string>();
  const accountOf = (key: string): string => (key === ROTATED ? OWN : key);
  let isDone = false;
  let refused = '';
  const transport = createScriptedTransport((exchange) => {
    const { method, url, headers } = exchange.request;
    const key = String(headers['authorization']).replace('Bearer ', '');
    const [, id = '', content] = /\/videos\/([\w-]+)(\/content)?/.exec(url) ?? [];
    const what = method === 'POST' ? 'order' : content === undefined ? 'poll' : 'content';
    asked.push([what, key]);
    const answer = (status: number, body: object): void => {
      exchange.respond(status, { 'content-type': 'application/json' });
      exchange.push(JSON.stringify(body));
      exchange.end();
    };
    if (key === refused) return answer(401, { error: { code: 401, message: 'no such key' } });
    if (what === 'order') {
      const made = `job-${owners.size + 1}`;
      owners.set(made, accountOf(key));
      return answer(202, { id: made, status: 'pending' });
    }
    if (owners.get(id) !== accountOf(key)) return answer(404, { error: { code: 404, message: 'no such job' } });
    if (what === 'poll') return answer(200, { id, status: isDone ? 'completed' : 'in_progress' });
    exchange.respond(200, { 'content-type': 'video/mp4' });
    exchange.push('film');
    exchange.end();
  });
  return {
    transport,
    asked,
    keysOf: (what: string) => [...new Set(asked.filter(([one]) => one === what).map(([, key]) => key))],
    finish: () => void (isDone = true),
    refuse: (key: string) => void (refused = key),
  };
}

type Upstream = ReturnType<typeof createUpstream>;
type Store = Parameters<typeof createRecordingStore>[0];

async function openGateway(
  upstream: Upstream,
  {
    feeShare,
    store,
    secrets,
  }: { feeShare?: number; store?: NonNullable<Store>['store']; secrets?: ReturnType<typeof createBox> } = {},
): Promise<SetupGateway> {
  const gateway = await createSetupGateway({
    upstream: upstream.transport,
    ...(secrets && { secrets }),
    store: createRecordingStore(store === undefined ? {} : { store }),
    config: {
      ...(feeShare !== undefined && { account: { byok: { feeShare } } }),
      providers: [{ slug: 'up', preset: 'gateway', baseUrl: 'https://up.example/api/v1', apiKey: SHARED }],
      models: [
        {
          id: 'acme/film',
          architecture: { input_modalities: ['text'], output_modalities: ['video'] },
          endpoints: [{ provider: 'up', providerModel: 'film-1', pricing: { video_second: '0.1' } }],
        },
      ],
    },
  });
  await gateway.gateway.start();
  return gateway;
}

const addKey = (gateway: SetupGateway, body: object = {}) =>
  gateway.dataOf('POST', '/byok', { provider: 'up', name: 'mine', key: OWN, ...body });

const order = async (gateway: SetupGateway, body: object = {}, headers: Record<string, string> = {}) => {
  const request = { model: 'acme/film', prompt: 'a fox', duration: 4, ...body };
  const response = await gateway.post('/api/v1/videos', request, Object.keys(headers).length === 0 ? {} : { headers });
  return { status: response.status, body: jsonOf(response) as { readonly id: string; readonly error?: object } };
};
const look = async (gateway: SetupGateway, id: string) =>
  jsonOf(await gateway.get(`/api/v1/videos/${id}`)) as Readonly<Record<string, unknown>>;

/** A store on a disk takes its time, which is not the gateway's. */
async function lookUntilEnded(gateway: SetupGateway, id: string): ReturnType<typeof look> {
  for (let turn = 0; turn < 300; turn += 1) {
    const video = await look(gateway, id);
    if (video['status'] !== 'pending' && video['status'] !== 'in_progress') return video;
    await gateway.platform.advance(1000);
  }
  throw new Error('The video does not end');
}

const recordOf = (gateway: SetupGateway) => gateway.store.appended.at(-1)?.record;

describe.each(storeImplementations)('Videos with own keys at the $name store', ({ createPlace, isDurable }) => {
  test('are ordered, polled and fetched with the stored key, also after a restart, and cost the fee alone', async () => {
    const place = await createPlace();
    onTestFinished(async () => place.remove?.());
    const secrets = createBox();
    const upstream = createUpstream();
    const first = await place.open();
    let gateway = await openGateway(upstream, { feeShare: 0.05, store: first, secrets });
    const key = await addKey(gateway);
    const { status, body } = await order(gateway);
    expect(status).toBe(202);
    const stored = await gateway.store.videoJobs.get(body.id);
    expect(stored).toMatchObject({ ownKeyId: key.id, providerKey: 'byok:mine', isByok: true, submission: 'sent' });
    expect(JSON.stringify(stored)).not.toContain(OWN);
    await gateway.platform.advance(20_000);
    if (isDurable) {
      await gateway.gateway.close();
      await first.close();
      const second = await place.open();
      onTestFinished(() => second.close());
      // The share at the time of the order counts.
      gateway = await openGateway(upstream, { feeShare: 0.5, store: second, secrets });
    }
    await gateway.dataOf('PATCH', `/byok/${key.id}`, { key: ROTATED, disabled: true });
    upstream.finish();
    const video = await lookUntilEnded(gateway, body.id);
    expect(video).toMatchObject({ status: 'completed', usage: { cost: 0.02, is_byok: true } });
    const content = await gateway.get(`/api/v1/videos/${body.id}/content?index=0`);
    expect(content.status).toBe(200);
    expect(upstream.keysOf('order')).toEqual([OWN]);
    expect(upstream.keysOf('poll')).toEqual([OWN, ROTATED]);
    expect(upstream.keysOf('content')).toEqual([ROTATED]);
    const record = await gateway.store.generations.get(String(video['generation_id']));
    expect(record?.costNanoUsd).toBe(420_000_000);
    expect(record?.generation).toMatchObject({
      is_byok: true,
      total_cost: 0.02,
      usage: 0.02,
      byok_fee: 0.02,
      upstream_inference_cost: BILL,
      provider_key: 'byok:mine',
    });
    expect(await gateway.store.generations.spent({})).toEqual({
      creditsNanoUsd: 20_000_000,
      byokNanoUsd: 400_000_000,
    });
    const { body: listed } = await gateway.call('GET', '/admin/v1/videos');
    expect(listed['data']).toMatchObject([{ cost: 0.02 }]);
  });
});

test('a video costs nothing here without a fee, and all of its bill with the key of the gateway', async () => {
  const upstream = createUpstream();
  const gateway = await openGateway(upstream);
  upstream.finish();
  const key = await addKey(gateway);
  const own = await order(gateway);
  await gateway.platform.advance(60_000);
  expect(await look(gateway, own.body.id)).toMatchObject({ usage: { cost: 0, is_byok: true } });
  expect(recordOf(gateway)?.generation).toMatchObject({ total_cost: 0, upstream_inference_cost: BILL });
  expect(recordOf(gateway)?.generation).not.toHaveProperty('byok_fee');
  await gateway.call('DELETE', `/byok/${key.id}`);
  const shared = await order(gateway);
  await gateway.platform.advance(60_000);
  expect(await look(gateway, shared.body.id)).toMatchObject({ usage: { cost: BILL, is_byok: false } });
  expect(upstream.keysOf('order')).toEqual([OWN, SHARED]);
});

test('a video whose key was deleted fails at once with the name of the key, and costs nothing', async () => {
  const upstream = createUpstream();
  const gateway = await openGateway(upstream, { feeShare: 0.05 });
  const key = await addKey(gateway);
  const { body } = await order(gateway);
  await gateway.call('DELETE', `/byok/${key.id}`);
  upstream.finish();
  await gateway.platform.advance(60_000);
  const error = 'The key byok:mine of Gateway, which made the video, was deleted';
  expect(await look(gateway, body.id)).toMatchObject({ status: 'failed', error });
  expect(recordOf(gateway)).toMatchObject({ costNanoUsd: 0, generation: { total_cost: 0, is_byok: true } });
  expect(upstream.keysOf('poll')).toEqual([]);
});

test('the content of a video whose key was deleted later is gone', async () => {
  const upstream = createUpstream();
  const gateway = await openGateway(upstream);
  const key = await addKey(gateway);
  const { body } = await order(gateway);
  upstream.finish();
  await gateway.platform.advance(60_000);
  await gateway.call('DELETE', `/byok/${key.id}`);
  const content = await gateway.get(`/api/v1/videos/${body.id}/content?index=0`);
  expect([content.status, jsonOf(content)]).toMatchObject([
    410,
    { error: { message: expect.stringMatching(/byok:mine.*deleted/) } },
  ]);
});

test('a key that is refused is followed by the key of the gateway, unless it is the only one allowed', async () => {
  const upstream = createUpstream();
  const gateway = await openGateway(upstream);
  const key = await addKey(gateway);
  upstream.refuse(OWN);
  const { body } = await order(gateway);
  const job = await gateway.store.videoJobs.get(body.id);
  expect(job).toMatchObject({ isByok: false, refusals: [{ is_byok: true, key: 'byok:mine', status: 401 }] });
  expect(job?.ownKeyId).toBeUndefined();
  expect(job?.providerKey).toBeUndefined();
  await gateway.dataOf('PATCH', `/byok/${key.id}`, { is_byok_only: true });
  expect((await order(gateway)).status).toBeGreaterThanOrEqual(400);
  expect(upstream.asked.map(([, by]) => by)).toEqual([OWN, SHARED, OWN]);
});

test('a video that goes on from one with an own key goes on with that key, or not at all', async () => {
  const upstream = createUpstream();
  const gateway = await openGateway(upstream);
  upstream.finish();
  const key = await addKey(gateway);
  const { body } = await order(gateway);
  await gateway.platform.advance(60_000);
  await addKey(gateway, { name: 'first', key: ROTATED, sort_order: undefined });
  const next = await order(gateway, { previous_job_id: body.id });
  expect((await gateway.store.videoJobs.get(next.body.id))?.ownKeyId).toBe(key.id);
  await gateway.dataOf('PATCH', `/byok/${key.id}`, { disabled: true });
  const refused = await order(gateway, { previous_job_id: body.id });
  expect([refused.status, refused.body.error]).toMatchObject([404, { message: expect.stringContaining('own key') }]);
});

test('the worst case of the fee is held while a video is made, and the bill where a limit includes it', async () => {
  const upstream = createUpstream();
  const gateway = await openGateway(upstream, { feeShare: 0.05 });
  await addKey(gateway, { is_byok_only: true });
  const createKey = async (body: object) => {
    const { body: made } = await gateway.call('POST', '/keys', { name: 'k', ...body });
    return { authorization: `Bearer ${String(made['key'])}` };
  };
  const fees = await createKey({ limit: 0.03 });
  const first = await order(gateway, {}, fees);
  expect(first.status).toBe(202);
  expect(await gateway.store.videoJobs.get(first.body.id)).toMatchObject({
    reservedNanoUsd: 420_000_000,
    reservedFeeNanoUsd: 20_000_000,
  });
  expect((await order(gateway, {}, fees)).status).toBe(402);
  const both = await createKey({ limit: 0.8, include_byok_in_limit: true });
  expect((await order(gateway, {}, both)).status).toBe(202);
  expect((await order(gateway, {}, both)).status).toBe(402);
  upstream.finish();
  await gateway.platform.advance(60_000);
  expect((await gateway.store.videoJobs.get(first.body.id))?.reservedFeeNanoUsd).toBeUndefined();
});
