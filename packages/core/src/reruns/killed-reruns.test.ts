import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createGateway, type Gateway, type Platform, type Store } from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { expect, onTestFinished, test } from 'vitest';

import { createVirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import { jsonOf } from '../../../../test/support/gateways/core-gateway.ts';
import { createEchoTransport, ECHO_MODELS } from '../../../../test/support/gateways/echo-models.ts';
import { createJsonFileStore, createNodePlatform } from '../../../node/src/index.ts';
import { type StoredRerun, type StoredRerunItem, updateRerun } from '../stores/reruns.ts';
import type { RerunTargetReport } from '../wire/reruns.ts';

const CALLS = process.env['TEST_FULL'] === undefined ? 50 : 1000;
const KEY = 'sk-management';
const API_KEY = 'sk-api';

/** A store that can be closed by death, and opened again from what it had written by then. */
interface Place {
  readonly store: Store;
  /** What the next process finds. */
  reopen(): Promise<Place>;
}

const inMemory = (): Place => {
  const store = createMemoryStore();
  const place: Place = { store, reopen: async () => place };
  return place;
};

/** Each life has a copy of the directory as the death of the one before left it, because that one still holds its lock. */
async function inFiles(copied?: string): Promise<Place> {
  const dir = await mkdtemp(join(tmpdir(), 'gateway-rerun-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const data = join(dir, 'data');
  if (copied !== undefined) {
    await cp(copied, data, { recursive: true, filter: (path) => !/owner|lock/i.test(path.slice(copied.length)) });
  }
  const store = await createJsonFileStore({ dir: data });
  onTestFinished(() => store.close().catch(() => undefined));
  return { store, reopen: () => inFiles(data) };
}

/** A process that dies at one of its writes: from then on nothing that it does has an effect, or comes back. */
function createMortal(store: Store, diesAfterWrites: number, writesLast: boolean) {
  let writes = 0;
  let isDead = false;
  let die = (): void => undefined;
  const death = new Promise<void>((resolve) => {
    die = () => {
      isDead = true;
      resolve();
    };
  });
  const never = new Promise<never>(() => undefined);
  const isWrite = (name: string): boolean => ['insert', 'update', 'append'].includes(name);
  const wrap = (name: string, method: (...given: unknown[]) => unknown) =>
    function (...given: unknown[]): unknown {
      if (isDead) return never;
      if (isWrite(name)) {
        writes += 1;
        if (writes === diesAfterWrites) {
          if (writesLast) void method(...given);
          die();
          return never;
        }
      }
      const result = method(...given);
      return result instanceof Promise ? result.then((value: unknown) => (isDead ? never : value)) : result;
    };
  const mortal = (repository: object): object =>
    Object.fromEntries(
      Object.entries(repository).map(([name, member]) => [
        name,
        typeof member === 'function' ? wrap(name, member as (...given: unknown[]) => unknown) : member,
      ]),
    );
  const { reruns, generations } = store;
  const dying = { ...store, reruns: mortal(reruns), generations: mortal(generations) } as Store;
  return { store: dying, death, isDead: () => isDead };
}

const NANO = { chat: [1000, 2000], other: [2000, 4000], judge: [3000, 6000] } as const;

/** What upstream has been asked, over all lives. */
interface Bill {
  nanoUsd: number;
  readonly asked: Map<string, number>;
}

function startLife(
  store: Store,
  bill: Bill,
  isDead: () => boolean = () => false,
  platform: Platform = createNodePlatform(),
): Gateway {
  const transport = createEchoTransport(({ model, messages }) => {
    const asked = messages.at(-1)?.content ?? '';
    const content =
      model === 'judge' ? `VERDICT: ${asked.length % 3 === 0 ? 'A' : 'TIE'}` : `${model} says ${asked.repeat(2)}`;
    const [prompt, completion] = NANO[model as keyof typeof NANO];
    bill.nanoUsd +=
      Math.ceil(JSON.stringify(messages).length / 10) * prompt + Math.ceil(content.length / 10) * completion;
    if (model !== 'judge') bill.asked.set(`${model} ${asked}`, (bill.asked.get(`${model} ${asked}`) ?? 0) + 1);
    return content;
  });
  const send: typeof transport.send = (request) => (isDead() ? new Promise(() => undefined) : transport.send(request));
  return createGateway({
    store,
    platform,
    models: ECHO_MODELS,
    providers: [
      createOpenAiProvider({
        slug: 'acme',
        name: 'Acme',
        baseUrl: 'https://acme.example/v1',
        transport: { ...transport, send },
      }),
    ],
    bootstrapKeys: [
      { key: KEY, kind: 'management', name: 'admin' },
      { key: API_KEY, kind: 'api', name: 'app' },
    ],
    logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
}

async function call(gateway: Gateway, method: string, path: string, body?: object, key = KEY) {
  const response = await gateway.handle({
    method,
    path,
    query: '',
    headers: { authorization: `Bearer ${key}` },
    baseUrl: 'https://gateway.example',
    signal: new AbortController().signal,
    ...bodyOf(body === undefined ? '' : JSON.stringify(body)),
  });
  const json = jsonOf(response);
  expect(response.status, JSON.stringify(json)).toBeLessThan(300);
  return json;
}

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Waits until a rerun has stopped by itself, or its process has died. */
async function untilStill(store: Store, id: string, isDead: () => boolean): Promise<void> {
  for (;;) {
    const row = (await store.reruns.get(id)) as StoredRerun;
    if (isDead() || row.state !== 'running') return;
    await nextTurn();
  }
}

async function askAll(gateway: Gateway, count = CALLS): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const messages = [{ role: 'user', content: `question ${'x'.repeat(index % 7)} ${index}` }];
    const body = { model: 'acme/chat', max_tokens: 50, messages };
    ids.push(String((await call(gateway, 'POST', '/api/v1/chat/completions', body, API_KEY))['id']));
  }
  return ids;
}

const PLAN = {
  targets: [{ model: 'acme/other' }],
  judges: [{ type: 'length' }, { type: 'model', model: 'acme/judge', rubric: 'Which is better?' }],
};

/** What two reruns of the same set have in common: everything but times. */
const tableOf = ({ data }: Record<string, unknown>): unknown[] =>
  (data as { readonly results: readonly RerunTargetReport[] }).results.map((result) => ({
    ...result,
    figures: { ...result.figures, latency_p50_ms: 0, latency_p95_ms: 0 },
  }));

test.each([
  ['memory', async () => inMemory()],
  ['json-file', () => inFiles()],
] as const)(
  'a rerun whose process dies again and again runs no item twice, and never passes its cap (%s)',
  async (_, open) => {
    let place = await open();
    const bill: Bill = { nanoUsd: 0, asked: new Map() };
    const first = startLife(place.store, bill);
    const ids = await askAll(first);
    const set = { generation_ids: ids };
    const before = bill.nanoUsd;
    const maxCostUsd = CALLS * 0.01;
    const made = await call(first, 'POST', '/admin/v1/reruns', {
      ...PLAN,
      set,
      max_cost_usd: maxCostUsd,
      start: false,
    });
    const { id } = made['data'] as { readonly id: string };

    let deaths = 0;
    for (let isOver = false; !isOver;) {
      if (deaths > 0) place = await place.reopen();
      // Later lives are longer, so that the rerun comes to its end.
      const mortal = createMortal(place.store, 20 + Math.ceil(0.6 * CALLS) * deaths, deaths % 2 === 0);
      const gateway = startLife(mortal.store, bill, mortal.isDead);
      await Promise.race([gateway.start(), mortal.death]);
      if (deaths === 0) await call(gateway, 'POST', `/admin/v1/reruns/${id}/resume`, {});
      await untilStill(place.store, id, mortal.isDead);
      isOver = !mortal.isDead();
      if (!isOver) deaths += 1;
      else await gateway.close();
    }
    expect(deaths).toBeGreaterThan(3);

    const rows = (await place.store.reruns.list()) as readonly (StoredRerun | StoredRerunItem)[];
    const rerun = rows.find((row) => row.id === id) as StoredRerun;
    expect(rerun).toMatchObject({ state: 'done', counts: { total: CALLS, done: CALLS } });
    const items = rows.filter((row) => row.kind === 'item');
    for (const { calls } of items) {
      const counted = calls.filter(({ isLost }) => isLost !== true).map(({ purpose }) => purpose);
      expect(counted).toEqual(['completion', 'judge 1 forward', 'judge 1 swapped']);
      for (const { generationId, isLost } of calls) {
        expect((await place.store.generations.get(generationId)) === undefined).toBe(isLost === true);
      }
    }
    // Nothing is asked again but what was sent by a process that died before the record was written.
    const lost = items.flatMap(({ calls }) =>
      calls.filter(({ isLost, purpose }) => isLost && purpose === 'completion'),
    );
    const asked = [...bill.asked].filter(([name]) => name.startsWith('other ')).map(([, times]) => times);
    expect(asked).toHaveLength(CALLS);
    expect(asked.reduce((sum, times) => sum + times, 0)).toBeLessThanOrEqual(CALLS + lost.length);
    // What upstream charges, lost calls included, is within what is counted, and that within the cap.
    expect(bill.nanoUsd - before).toBeLessThanOrEqual(rerun.spentNanoUsd);
    expect(rerun.spentNanoUsd).toBeLessThanOrEqual(rerun.maxCostNanoUsd);

    const last = startLife(place.store, bill);
    const again = await call(last, 'POST', '/admin/v1/reruns', { ...PLAN, set, max_cost_usd: maxCostUsd });
    const { id: againId } = again['data'] as { readonly id: string };
    await untilStill(place.store, againId, () => false);
    const tables = [id, againId].map((one) => call(last, 'GET', `/admin/v1/reruns/${one}`).then(tableOf));
    const [killed, whole] = await Promise.all(tables);
    expect(killed).toEqual(whole);
    await last.close();
  },
  300_000,
);

test('a rerun under a tight cap pauses below it, whatever dies and however often it is resumed', async () => {
  const { store } = inMemory();
  const bill: Bill = { nanoUsd: 0, asked: new Map() };
  const first = startLife(store, bill);
  const set = { generation_ids: await askAll(first, 30) };
  const before = bill.nanoUsd;
  const made = await call(first, 'POST', '/admin/v1/reruns', { ...PLAN, set, max_cost_usd: 0.02, start: false });
  const { id } = made['data'] as { readonly id: string };
  for (let life = 0; life < 6; life += 1) {
    const mortal = createMortal(store, life < 3 ? 15 + life : 1e9, life % 2 === 0);
    const gateway = startLife(mortal.store, bill, mortal.isDead);
    await Promise.race([gateway.start(), mortal.death]);
    const { state } = (await store.reruns.get(id)) as StoredRerun;
    if (state !== 'running' && !mortal.isDead()) await call(gateway, 'POST', `/admin/v1/reruns/${id}/resume`, {});
    await untilStill(store, id, mortal.isDead);
    const { spentNanoUsd, maxCostNanoUsd } = (await store.reruns.get(id)) as StoredRerun;
    expect(bill.nanoUsd - before).toBeLessThanOrEqual(maxCostNanoUsd);
    expect(spentNanoUsd).toBeLessThanOrEqual(maxCostNanoUsd);
  }
  const { state, reason, counts } = (await store.reruns.get(id)) as StoredRerun;
  expect({ state, reason }).toEqual({
    state: 'paused',
    reason: expect.stringMatching(/^The next call may cost up to/),
  });
  expect(counts.done).toBeGreaterThan(0);
});

test('of several processes at one store one runs a rerun, and another takes over when its lease is over', async () => {
  const store: Store = { ...createMemoryStore(), isShared: true };
  const bill: Bill = { nanoUsd: 0, asked: new Map() };
  const { randomBytes } = createNodePlatform();
  const [here, there] = [createVirtualPlatform(), createVirtualPlatform()];
  const mortal = createMortal(store, 400, true);
  const one = startLife(mortal.store, bill, mortal.isDead, { ...here, randomBytes });
  const other = startLife(store, bill, () => false, { ...there, randomBytes });
  const set = { generation_ids: await askAll(one, 40) };
  await other.start();
  const made = await call(one, 'POST', '/admin/v1/reruns', { ...PLAN, set, max_cost_usd: 1, start: false });
  const { id } = made['data'] as { readonly id: string };
  await call(one, 'POST', `/admin/v1/reruns/${id}/resume`, {});
  await there.advance(30_000);
  await mortal.death;
  const left = (await store.reruns.get(id)) as StoredRerun;
  expect(left.counts.done).toBeGreaterThan(0);
  expect(left.counts.done).toBeLessThan(40);
  const asked = bill.nanoUsd;
  await there.advance(20_000);
  expect(bill.nanoUsd).toBe(asked);
  await there.advance(30_000);
  await untilStill(store, id, () => false);
  expect(await store.reruns.get(id)).toMatchObject({ state: 'done', counts: { done: 40 }, lease: null });
  const lost = (await store.reruns.list()).flatMap((row) =>
    row.kind === 'item' ? row.calls.filter(({ isLost }) => isLost) : [],
  );
  const times = [...bill.asked].filter(([name]) => name.startsWith('other ')).map(([, count]) => count);
  expect(times.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(40 + lost.length);
  await other.close();
});

test('of several processes each fails what another one left half created, but not what it may still create', async () => {
  const store: Store = { ...createMemoryStore(), isShared: true };
  const bill: Bill = { nanoUsd: 0, asked: new Map() };
  const platform = createVirtualPlatform();
  const { randomBytes } = createNodePlatform();
  const gateway = startLife(store, bill, () => false, { ...platform, randomBytes });
  const set = { generation_ids: await askAll(gateway, 1) };
  const idOf = async (ageMs: number): Promise<string> => {
    const made = await call(gateway, 'POST', '/admin/v1/reruns', { ...PLAN, set, max_cost_usd: 1, start: false });
    const { id } = made['data'] as { readonly id: string };
    const createdAt = new Date(platform.now() - ageMs).toISOString();
    await updateRerun(id, store.reruns, (rerun) => ({ ...rerun, state: 'estimating', createdAt }));
    return id;
  };
  const [left, fresh] = [await idOf(15 * 60_000), await idOf(60_000)];
  await gateway.start();
  await platform.advance(1000);
  expect(await store.reruns.get(left)).toMatchObject({
    state: 'failed',
    reason: expect.stringMatching(/create it again$/),
  });
  expect(await store.reruns.get(fresh)).toMatchObject({ state: 'estimating' });
  await platform.advance(60 * 60_000);
  expect(await store.reruns.get(fresh)).toMatchObject({ state: 'failed' });
  await gateway.close();
});
