import { expect, test } from 'vitest';

import { until } from '../../../../test/support/async/until.ts';
import { createCoreGateway, jsonOf } from '../../../../test/support/gateways/core-gateway.ts';
import { createFileGateway } from '../../../../test/support/gateways/file-gateway.ts';
import { keysNamed } from '../../../../test/support/providers/keyed-provider.ts';
import { createBatchUpstream } from '../../../../test/support/upstreams/batch-upstream.ts';
import { createScriptedTransport } from '../../../../test/support/upstreams/scripted-transport.ts';
import { createScriptedVideos, type VideoScript } from '../../../../test/support/videos/scripted-videos.ts';
import { FILM } from '../../../../test/support/videos/video-gateway.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Transport } from '../foundation/transport.ts';
import { createProvider } from '../providers/create-provider.ts';
import type { ProviderKey } from '../providers/provider.ts';
import type { Batch } from '../wire/batches.ts';

const exhausted = new GatewayError('provider_unavailable', 'No credit', { upstreamStatus: 402 });

/** A provider of videos with two keys, whose accounts do not know each other's jobs. */
function setUpVideos(first: VideoScript = {}, second: VideoScript = {}) {
  const accounts = { one: createScriptedVideos(first), two: createScriptedVideos(second) };
  const keys = Object.entries(accounts).map(([name, { provider }]): ProviderKey => ({
    name,
    fingerprint: `print-${name}`,
    weight: 1,
    limits: {},
    provider,
  }));
  const core = createCoreGateway([{ ...accounts.one.provider, keys }], { models: [FILM] });
  const submit = async (body: object = {}): Promise<{ readonly id: string }> => {
    const request = { model: 'acme/film', prompt: 'a fox', duration: 4, ...body };
    return jsonOf(await core.post('/api/v1/videos', request)) as { id: string };
  };
  const jobOf = (id: string) => core.store.videoJobs.get(id);
  return { ...core, accounts, submit, jobOf };
}

test('a video is ordered with the next key where one is refused, and polled and fetched with the key that made it', async () => {
  const { accounts, submit, jobOf, get, platform, store } = setUpVideos({ failStart: () => exhausted });
  for (let session = 0; session < 4; session += 1) {
    const { id } = await submit({ session_id: `session ${session}` });
    const job = await jobOf(id);
    expect(job).toMatchObject({ providerKey: 'two', submission: 'sent' });
    expect(job?.timeline?.attempts_ms).toHaveLength(1 + (job?.refusals?.length ?? 0));
    await platform.advance(60_000);
    expect((await get(`/api/v1/videos/${id}/content?index=0`)).status).toBe(200);
  }
  // The first is asked once: a key without credit is not used any more.
  expect(accounts.one.starts).toHaveLength(1);
  expect([accounts.one.polls, accounts.one.fetches]).toEqual([[], []]);
  expect([accounts.two.polls.length, accounts.two.fetches.length]).toEqual([4, 4]);
  const generations = store.appended.map(({ record }) => record.generation);
  expect(generations.map(({ provider_key: key }) => key)).toEqual(['two', 'two', 'two', 'two']);
  const attempts = generations
    .flatMap(({ provider_responses: all }) => all ?? [])
    .map(({ key, status }) => [key, status]);
  expect(attempts.filter(([key]) => key === 'one')).toEqual([['one', 402]]);
  expect(attempts.filter(([key]) => key === 'two')).toEqual(Array.from({ length: 4 }, () => ['two', 200]));
});

test('a video that goes on from another is ordered with the key of that one', async () => {
  const { accounts, submit, jobOf, platform } = setUpVideos();
  const { id } = await submit({ session_id: 'a' });
  await platform.advance(60_000);
  const made = (await jobOf(id))?.providerKey;
  for (let session = 0; session < 8; session += 1) {
    const next = await submit({ session_id: `session ${session}`, previous_job_id: id });
    expect((await jobOf(next.id))?.providerKey).toBe(made);
  }
  const [by, other] = made === 'one' ? [accounts.one, accounts.two] : [accounts.two, accounts.one];
  expect([by.starts.length, other.starts.length]).toEqual([9, 0]);
});

test('jobs of two keys are each polled with their own', async () => {
  const { submit, jobOf, accounts, platform } = setUpVideos();
  for (const session of ['a', 'b', 'c', 'd', 'e']) {
    const { id } = await submit({ session_id: session });
    expect(['one', 'two']).toContain((await jobOf(id))?.providerKey);
  }
  await platform.advance(60_000);
  expect(accounts.one.polls.length).toBeGreaterThan(0);
  expect(accounts.one.polls.length).toBe(accounts.one.starts.length);
  expect(accounts.two.polls.length).toBe(accounts.two.starts.length);
});

const CHAT_MODEL = {
  id: 'acme/chat',
  endpoints: [{ provider: 'up', providerModel: 'm-1', pricing: { prompt: '0.000001', completion: '0.000003' } }],
};

/** A provider whose accounts are servers of their own, by key. */
async function createAccounts(accounts: Readonly<Record<string, Transport>>) {
  const transport: Transport = {
    async send(request) {
      const account = accounts[request.headers?.['x-api-key'] ?? ''];
      if (account === undefined) throw new Error('no such account');
      return account.send(request);
    },
  };
  return createProvider({
    slug: 'up',
    name: 'Up',
    wire: 'anthropic',
    preset: null,
    baseUrl: 'https://up.example/v1',
    apiKeys: keysNamed('one', 'two'),
    batches: true,
    transport,
    downloads: transport,
  });
}

test('lines go to the batch API with a key that is not refused, and their results are read and charged by it', async () => {
  const upstreams = { one: createBatchUpstream('anthropic'), two: createBatchUpstream('anthropic') };
  upstreams.one.refuseWith(429);
  const accounts = { 'sk-of-one': upstreams.one.transport, 'sk-of-two': upstreams.two.transport };
  const gateway = createFileGateway({}, [await createAccounts(accounts)], { models: [CHAT_MODEL] });
  const { call, upload, post, platform, store } = gateway;
  const read = async (id: string): Promise<Batch> => jsonOf(await call('GET', `/api/v1/batches/${id}`)) as Batch;
  const body = { model: 'acme/chat', messages: [{ role: 'user', content: 'abc' }], max_tokens: 50 };
  const line = JSON.stringify({ custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body });
  for (let turn = 1; turn <= 3; turn += 1) {
    const file = jsonOf(await upload(line, { fields: { purpose: 'batch' } })) as { id: string };
    const order = { input_file_id: file.id, endpoint: '/v1/chat/completions' };
    const { id } = jsonOf(await post('/api/v1/batches', order)) as Batch;
    // What sends it is loaded meanwhile, in no time of the gateway's.
    await until(() => upstreams.two.batches.length === turn);
    for (let wait = 0; wait < 100 && (await read(id)).status !== 'completed'; wait += 1) {
      upstreams.two.finish();
      await platform.advance(5000);
    }
    expect(await read(id)).toMatchObject({ status: 'completed', request_counts: { completed: 1, failed: 0 } });
  }
  expect([upstreams.one.batches.length, upstreams.two.batches.length]).toEqual([0, 3]);
  // Nothing is made again, one by one, of what the batch has brought.
  expect([...upstreams.one.calls, ...upstreams.two.calls]).toEqual([]);
  const generations = store.appended.map(({ record }) => record.generation);
  expect(generations.map(({ provider_key: key, total_cost: cost }) => [key, cost])).toEqual(
    // Half of 1 token at $1 and 3 at $3 a million.
    Array.from({ length: 3 }, () => ['two', 0.000005]),
  );
});

test('tokens are counted with a key that is not refused', async () => {
  const asked: string[] = [];
  const counting = (key: string, status: number): Transport =>
    createScriptedTransport((exchange) => {
      asked.push(key);
      exchange.respond(status, { 'content-type': 'application/json' });
      exchange.push(JSON.stringify(status === 200 ? { input_tokens: 77 } : { error: { message: 'no' } }));
      exchange.end();
    });
  const accounts = { 'sk-of-one': counting('one', 401), 'sk-of-two': counting('two', 200) };
  const { post } = createCoreGateway([await createAccounts(accounts)], { models: [CHAT_MODEL] });
  for (let i = 0; i < 10; i += 1) {
    const body = { model: 'acme/chat', messages: [{ role: 'user', content: `Hi ${i}` }] };
    const counted = await post('/api/v1/messages/count_tokens', body);
    expect(jsonOf(counted)).toMatchObject({ input_tokens: 77 });
  }
  expect(asked.filter((key) => key === 'one').length).toBeLessThanOrEqual(1);
  expect(asked.filter((key) => key === 'two')).toHaveLength(10);
});
