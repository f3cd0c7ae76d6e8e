import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';

import { createRandom } from '../engines/support/create-random.ts';
import { jsonOf, readFrames } from '../support/gateways/core-gateway.ts';
import { createSetupGateway, type SetupGateway } from '../support/gateways/setup-gateway.ts';
import { createRecordingStore } from '../support/stores/recording-store.ts';
import { storeImplementations } from '../support/stores/store-implementations.ts';
import { createScriptedTransport } from '../support/upstreams/scripted-transport.ts';

const CALLS = 1000;
const SHARED = 'sk-shared-key-of-the-gateway-1111';
const OWN = 'sk-own-key-of-the-workspace-2222';
/** 7.3211 percent. */
const SHARE = 73_211n;
/** Atto-dollars a token: fractions of a nano-dollar, so that sums are rounded. */
const PROMPT_ATTO = 123_457_500_000n;
const COMPLETION_ATTO = 2_000_500_000_000n;
const NANO = 1_000_000_000n;

const halfEven = (amount: bigint, divisor: bigint): bigint => {
  const [whole, rest] = [amount / divisor, (amount % divisor) * 2n];
  return rest > divisor || (rest === divisor && whole % 2n === 1n) ? whole + 1n : whole;
};
const toUsd = (nano: bigint): number => Number(nano) / 1e9;
const toNano = (usd: unknown): number => Math.round(Number(usd) * 1e9);

let random: (below: number) => number;
beforeEach(() => {
  const draw = createRandom(20_261);
  random = (below) => Math.floor(draw() * below);
});

interface Counted {
  prompt: number;
  completion: number;
  /** Leaves a stream open after its first piece. */
  isHeld?: boolean;
}

async function openGateway(store: Parameters<typeof createRecordingStore>[0], feeShare: number | undefined) {
  const counted: Counted = { prompt: 10, completion: 10 };
  const upstream = createScriptedTransport((exchange) => {
    const { prompt, completion, isHeld = false } = counted;
    const isStreamed = exchange.sent['stream'] === true;
    const message = { role: 'assistant', content: 'ok' };
    const choice = { index: 0, [isStreamed ? 'delta' : 'message']: message, finish_reason: 'stop' };
    const body = JSON.stringify({
      id: 'c',
      model: 'm',
      ...(exchange.request.url.endsWith('/embeddings')
        ? { data: [{ index: 0, embedding: [1] }] }
        : { choices: [choice] }),
      usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
    });
    exchange.respond(200, { 'content-type': isStreamed ? 'text/event-stream' : 'application/json' });
    exchange.push(isStreamed ? `data: ${body}\n\n${isHeld ? '' : 'data: [DONE]\n\n'}` : body);
    if (!isHeld) exchange.end();
  });
  const pricing = { prompt: '0.0000001234575', completion: '0.0000020005' };
  const gateway = await createSetupGateway({
    upstream,
    store: createRecordingStore(store),
    config: {
      ...(feeShare !== undefined && { account: { byok: { feeShare } } }),
      providers: [{ slug: 'acme', wire: 'openai', baseUrl: 'https://acme.example/v1', apiKey: SHARED }],
      models: [
        { id: 'acme/chat', endpoints: [{ provider: 'acme', providerModel: 'chat-1', pricing }] },
        { id: 'acme/other', endpoints: [{ provider: 'acme', providerModel: 'other-1', pricing }] },
        {
          id: 'acme/vectors',
          architecture: { input_modalities: ['text'], output_modalities: ['embeddings'] },
          endpoints: [{ provider: 'acme', providerModel: 'vectors-1', pricing: { prompt: pricing.prompt } }],
        },
      ],
    },
  });
  return { gateway, counted };
}

const createKey = async (gateway: SetupGateway, body: object) => {
  const { body: made } = await gateway.call('POST', '/keys', { name: 'k', ...body });
  return { secret: String(made['key']), hash: String((made['data'] as { readonly hash: string }).hash) };
};

const chatWith = (gateway: SetupGateway, secret: string, body: object) =>
  gateway.chat({ max_tokens: 1, ...body }, { headers: { authorization: `Bearer ${secret}` } });

describe.each(storeImplementations)('Fees for own keys at the $name store', ({ createPlace }) => {
  const openStore = async () => {
    const place = await createPlace();
    const store = await place.open();
    onTestFinished(async () => {
      await store.close();
      await place.remove?.();
    });
    return store;
  };

  test('1,000 random calls cost the same in responses, records, sums, keys, credits, activity and analytics', async () => {
    const store = await openStore();
    const { gateway, counted } = await openGateway({ store }, Number(SHARE) / 1e6);
    const keys = [await createKey(gateway, {}), await createKey(gateway, {})];
    await gateway.dataOf('POST', '/byok', { provider: 'acme', key: OWN, allowed_models: ['acme/other'] });
    const sums = keys.map(() => ({ credits: 0n, byok: 0n }));
    for (let call = 0; call < CALLS; call += 1) {
      // Ids are of the second and few random bytes.
      await gateway.platform.advance(1000);
      Object.assign(counted, { prompt: random(100_000), completion: random(5000) });
      const by = random(2);
      const isOwn = random(2) === 0;
      const atto = BigInt(counted.prompt) * PROMPT_ATTO + BigInt(counted.completion) * COMPLETION_ATTO;
      const bill = halfEven(atto, NANO);
      const fee = isOwn ? halfEven(bill * SHARE, 1_000_000n) : 0n;
      const sum = sums[by] as (typeof sums)[number];
      sum.credits += isOwn ? fee : bill;
      sum.byok += isOwn ? bill : 0n;
      const response = await chatWith(gateway, keys[by]?.secret ?? '', { model: isOwn ? 'acme/other' : 'acme/chat' });
      const { id, usage } = jsonOf(response) as {
        readonly id: string;
        readonly usage: Readonly<Record<'cost' | 'is_byok', unknown>> & {
          readonly cost_details: Readonly<Record<string, unknown>>;
        };
      };
      // Shown to more digits than amounts are summed up by.
      const billUsd = Number(atto) / 1e18;
      const costUsd = isOwn ? toUsd(fee) : billUsd;
      expect(usage.is_byok).toBe(isOwn);
      expect(usage.cost).toBeCloseTo(costUsd, 13);
      expect(usage.cost_details['upstream_inference_cost'] ?? 0).toBeCloseTo(isOwn ? billUsd : 0, 13);
      const record = await store.generations.get(id);
      expect(record?.costNanoUsd).toBe(Number(bill + fee));
      expect(record?.generation.byok_fee).toBe(fee === 0n ? undefined : toUsd(fee));
      expect(record?.generation.total_cost).toBe(usage.cost);
    }
    const all = { credits: 0n, byok: 0n };
    for (const [at, { secret, hash }] of keys.entries()) {
      const { credits, byok } = sums[at] as (typeof sums)[number];
      all.credits += credits;
      all.byok += byok;
      expect(await store.generations.spent({ principalId: hash })).toEqual({
        creditsNanoUsd: Number(credits),
        byokNanoUsd: Number(byok),
      });
      const { body } = await gateway.call('GET', '/key', undefined, secret);
      expect(body['data']).toMatchObject({
        usage: toUsd(credits),
        byok_usage: toUsd(byok),
        usage_daily: toUsd(credits),
      });
    }
    expect(await gateway.dataOf('GET', '/credits')).toMatchObject({ total_usage: toUsd(all.credits) });
    const since = new Date(gateway.platform.now()).toISOString().slice(0, 10);
    const activity = await store.generations.activity({ since });
    const add = (of: (sum: (typeof activity)[number]) => number): number => activity.reduce((sum, a) => sum + of(a), 0);
    expect([add((sum) => sum.creditsNanoUsd), add((sum) => sum.byokNanoUsd)]).toEqual([
      Number(all.credits),
      Number(all.byok),
    ]);
    const range = [-3_600_000, 3_600_000].map((ms) => new Date(gateway.platform.now() + ms).toISOString());
    const { data: rows } = await gateway.dataOf('POST', '/analytics/query', {
      metrics: ['credits_usage', 'byok_usage', 'total_usage', 'byok_request_count'],
      time_range: { start: range[0], end: range[1] },
    });
    const [row] = rows as readonly Readonly<Record<string, unknown>>[];
    expect([toNano(row?.['credits_usage']), toNano(row?.['byok_usage']), toNano(row?.['total_usage'])]).toEqual([
      Number(all.credits),
      Number(all.byok),
      Number(all.credits + all.byok),
    ]);
  });
});

const usageOf = async (gateway: SetupGateway, secret: string) =>
  (await gateway.call('GET', '/key', undefined, secret)).body['data'] as Readonly<Record<string, unknown>>;

test('a limit counts the fee alone, or with include_byok_in_limit the fee and the bill of the provider', async () => {
  const { gateway, counted } = await openGateway({}, 0.5);
  Object.assign(counted, { prompt: 0, completion: 2000 });
  // Each call is billed $0.004001, and its fee is half of that.
  await gateway.dataOf('POST', '/byok', { provider: 'acme', key: OWN, is_byok_only: true });
  const fees = await createKey(gateway, { limit: 0.004 });
  const both = await createKey(gateway, { limit: 0.0041, include_byok_in_limit: true });
  expect((await chatWith(gateway, fees.secret, {})).status).toBe(200);
  expect(await usageOf(gateway, fees.secret)).toMatchObject({ usage: 0.0020005, limit_remaining: 0.0019995 });
  expect((await chatWith(gateway, fees.secret, {})).status).toBe(200);
  expect((await chatWith(gateway, fees.secret, {})).status).toBe(402);
  expect((await chatWith(gateway, both.secret, {})).status).toBe(200);
  expect(await usageOf(gateway, both.secret)).toMatchObject({
    usage: 0.0020005,
    byok_usage: 0.004001,
    limit_remaining: 0,
  });
  expect((await chatWith(gateway, both.secret, {})).status).toBe(402);
});

test('the worst case of the fee is held before the call', async () => {
  const { gateway } = await openGateway({}, 0.1);
  await gateway.dataOf('POST', '/byok', { provider: 'acme', key: OWN, is_byok_only: true });
  // A completion of 1,000 tokens may be billed $0.0020005 beside its prompt, and the fee is a tenth.
  const { secret } = await createKey(gateway, { limit: 0.0002 });
  const refused = await chatWith(gateway, secret, { max_tokens: 1000 });
  expect([refused.status, gateway.upstream.exchanges.length]).toEqual([402, 0]);
  expect((await chatWith(gateway, secret, { max_tokens: 900 })).status).toBe(200);
});

test.each([
  ['chat/completions', { stream: true, messages: [{ role: 'user', content: 'x' }] }],
  ['messages', { max_tokens: 9, messages: [{ role: 'user', content: 'x' }] }],
  ['responses', { input: 'x' }],
  ['completions', { prompt: 'x' }],
  ['embeddings', { input: 'x' }],
])('%s tells the fee as the cost, and records it beside the bill', async (door, body) => {
  const { gateway } = await openGateway({}, 0.5);
  await gateway.dataOf('POST', '/byok', { provider: 'acme', key: OWN, is_byok_only: true });
  const model = door === 'embeddings' ? 'acme/vectors' : 'acme/chat';
  const response = await gateway.post(`/api/v1/${door}`, { model, ...body });
  const text = typeof response.body === 'string' ? response.body : await readFrames(response).rest();
  const record = gateway.store.appended.at(-1)?.record;
  const { byok_fee: fee, upstream_inference_cost: bill, total_cost: cost } = record?.generation ?? {};
  expect(fee).toBeGreaterThan(0);
  expect([cost, fee]).toEqual([fee, expect.closeTo((bill ?? 0) / 2, 8)]);
  expect(record?.costNanoUsd).toBe(Math.round((fee ?? 0) * 1e9) + Math.round((bill ?? 0) * 1e9));
  expect(text).toContain(`"cost":${fee}`);
});

test.each([
  ['first', {}, 1.5],
  ['as a fallback', { is_fallback: true }, 1],
])('the estimate of a rerun is what the rerun spends with an own key that is used %s', async (_, order, times) => {
  const { gateway, counted } = await openGateway({}, 0.5);
  Object.assign(counted, { prompt: 1001, completion: 333 });
  const key = await createKey(gateway, {});
  const asked = await chatWith(gateway, key.secret, { model: 'acme/chat', messages: [{ role: 'user', content: 'x' }] });
  await gateway.dataOf('POST', '/byok', { provider: 'acme', key: OWN, allowed_models: ['acme/other'], ...order });
  const plan = {
    set: { generation_ids: [jsonOf(asked)['id']] },
    targets: [{ model: 'acme/other' }, { model: 'acme/chat' }],
    judges: [],
    run_as_key: key.hash,
  };
  const estimate = await gateway.dataOf('POST', '/admin/v1/reruns/estimate', plan);
  const { id } = await gateway.dataOf('POST', '/admin/v1/reruns', { ...plan, max_cost_usd: 1 });
  const read = () => gateway.dataOf('GET', `/admin/v1/reruns/${String(id)}`);
  let rerun = await read();
  // As often as it takes: the first rerun of a process loads its code, in real time.
  while (rerun['state'] === 'running') {
    await gateway.platform.advance(100);
    rerun = await read();
  }
  const targets = estimate['targets'] as readonly Readonly<Record<'typical_usd' | 'worst_usd', number>>[];
  const [own, shared] = targets;
  expect(rerun).toMatchObject({ state: 'done', spent_usd: estimate['typical_usd'] });
  expect((own?.typical_usd ?? 0) / (shared?.typical_usd ?? 0)).toBeCloseTo(times, 4);
  // Whether the fallback is reached is not known before the call.
  expect((own?.worst_usd ?? 0) / (shared?.worst_usd ?? 0)).toBeCloseTo(1.5, 1);
});

test.each([
  [0.5, 0.5],
  [undefined, 0],
])('a call under way costs what its record will say with a share of %s', async (share, charged) => {
  const { gateway, counted } = await openGateway({}, share);
  Object.assign(counted, { prompt: 100_000, completion: 5000, isHeld: true });
  await gateway.dataOf('POST', '/byok', { provider: 'acme', key: OWN, allowed_models: ['acme/other'] });
  const responses = [
    await gateway.chat({ model: 'acme/other', stream: true }),
    await gateway.chat({ model: 'acme/chat', stream: true }),
  ];
  const { body } = await gateway.call('GET', '/admin/v1/generations/running');
  const running = body['data'] as readonly { readonly id: string; readonly model: string; readonly cost: number }[];
  const costOf = (name: string) => running.find(({ model }) => model === name)?.cost ?? Number.NaN;
  expect(costOf('acme/chat')).toBeGreaterThan(0.02);
  expect(costOf('acme/other')).toBeCloseTo(costOf('acme/chat') * charged, 8);
  for (const { id } of running) await gateway.call('POST', `/admin/v1/generations/${id}/cancel`, {});
  await Promise.all(responses.map((response) => readFrames(response).rest()));
  for (const { id, cost } of running) {
    expect((await gateway.store.generations.get(id))?.generation.total_cost).toBeCloseTo(cost, 8);
  }
});

test('without a fee in the configuration a call with an own key costs nothing here', async () => {
  const { gateway } = await openGateway({}, undefined);
  await gateway.dataOf('POST', '/byok', { provider: 'acme', key: OWN, is_byok_only: true });
  const { secret } = await createKey(gateway, { limit: 0 });
  const usage = jsonOf(await chatWith(gateway, secret, {}))['usage'];
  expect(usage).toMatchObject({ cost: 0, is_byok: true });
  expect(gateway.store.appended.at(-1)?.record.generation).not.toHaveProperty('byok_fee');
});
