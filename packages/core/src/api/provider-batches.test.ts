import { expect, test } from 'vitest';

import { until } from '../../../../test/support/async/until.ts';
import { jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { guardKey } from '../../../../test/support/gateways/guard-key.ts';
import {
  BATCHES_PATH as PATH,
  type BatchGatewayOptions,
  CHAT,
  createBatchGateway,
  helpersOf,
  toLine,
} from '../../../../test/support/gateways/provider-batch-gateway.ts';
import type { BatchResultPage, BatchRow } from '../stores/batches.ts';
import type { Batch } from '../wire/batches.ts';

const HOUR_MS = 60 * 60 * 1000;
const FORMS = ['openai', 'anthropic', 'google'] as const;

test.each(FORMS)('lines go to the batch API of %s, and are recorded at half the price', async (form) => {
  const { upstream, begin, ended, linesOf, store } = createBatchGateway(form);
  const { id } = await begin([toLine('a'), toLine('bbb'), toLine('no', { model: 'acme/none' }), toLine('cc')]);
  await until(() => upstream.batches.length === 1);
  expect(upstream.batches[0]?.requests.map(({ text }) => text)).toEqual(['a', 'bbb', 'cc']);
  upstream.finish();
  const batch = await ended(id);
  expect(batch).toMatchObject({ status: 'completed', request_counts: { total: 4, completed: 3, failed: 1 } });
  const output = await linesOf(batch.output_file_id);
  expect(output.map(({ custom_id: customId }) => customId)).toEqual(['a', 'bbb', 'cc']);
  expect(output[1]).toMatchObject({
    response: { status_code: 200, body: { choices: [{ message: { content: 'Answer to bbb' } }] } },
  });
  // Half of a token at 1 and of 1, 3 and 2 tokens at 3 millionths of a dollar.
  const costs = await Promise.all(
    output.map(async ({ response }) => (await store.generations.get(response?.request_id ?? ''))?.costNanoUsd),
  );
  expect(costs).toEqual([2000, 5000, 3500]);
  expect(batch.cost).toBe(0.0000105);
  expect(upstream.calls).toEqual([]);
  expect(upstream.batches.map(({ isDiscarded }) => isDiscarded)).toEqual([true]);
  expect((await store.batches.list()).map(({ kind }) => kind)).toEqual(['batch']);
});

test.each(FORMS)(
  'a line that is wrong at %s fails alone, and one that was not made there is made here',
  async (form) => {
    const { upstream, begin, ended, linesOf, store } = createBatchGateway(form);
    const { id } = await begin(['fine', 'wrong', 'late', 'busy'].map((text) => toLine(text)));
    await until(() => upstream.batches.length === 1);
    upstream.finish((text) =>
      text === 'wrong' ? 'invalid' : text === 'late' ? 'missing' : text === 'busy' ? 'overloaded' : 'answered',
    );
    const batch = await ended(id);
    expect(batch).toMatchObject({ status: 'completed', request_counts: { completed: 3, failed: 1 } });
    expect(upstream.calls.toSorted()).toEqual(['busy', 'late']);
    expect(await linesOf(batch.error_file_id)).toMatchObject([{ custom_id: 'wrong', response: { status_code: 400 } }]);
    const output = await linesOf(batch.output_file_id);
    const costs = await Promise.all(
      output.map(async ({ response }) => (await store.generations.get(response?.request_id ?? ''))?.costNanoUsd),
    );
    // What was made here has the whole price.
    expect(costs).toEqual([6500, 13_000, 13_000]);
    expect(batch.cost).toBe(0.0000325);
  },
);

test.each(FORMS)('a batch that %s refuses, or that fails there as a whole, is run here', async (form) => {
  const { upstream, begin, ended } = createBatchGateway(form);
  upstream.refuseWith(400);
  const refused = await ended((await begin([toLine('a'), toLine('b')])).id);
  expect(refused).toMatchObject({ status: 'completed', request_counts: { completed: 2, failed: 0 } });
  expect([upstream.batches.length, upstream.calls.toSorted()]).toEqual([0, ['a', 'b']]);
  upstream.refuseWith(null);
  if (form === 'anthropic') return;
  const { id } = await begin([toLine('c')]);
  await until(() => upstream.batches.length === 1);
  upstream.fail();
  expect(await ended(id)).toMatchObject({ status: 'completed', request_counts: { completed: 1, failed: 0 } });
  expect(upstream.calls).toContain('c');
});

test.each(FORMS)('a cancelled batch is cancelled at %s, and what was made by then counts', async (form) => {
  const { upstream, begin, ended, post, linesOf } = createBatchGateway(form);
  const { id } = await begin([toLine('made'), toLine('not')]);
  await until(() => upstream.batches.length === 1);
  await post(`${PATH}/${id}/cancel`, {});
  const ending = ended(id);
  await until(() => upstream.batches[0]?.isCancelled === true);
  upstream.finish((text) => (text === 'made' ? 'answered' : 'missing'));
  const batch = await ending;
  expect(batch).toMatchObject({ status: 'cancelled', request_counts: { completed: 1, failed: 0 }, cost: 0.0000065 });
  expect(await linesOf(batch.error_file_id)).toMatchObject([
    { custom_id: 'not', response: null, error: { code: 'batch_cancelled' } },
  ]);
  expect(upstream.calls).toEqual([]);
});

test.each(FORMS)('what %s had made counts, though it refuses to cancel a batch that has ended there', async (form) => {
  const { upstream, begin, ended, post, platform, linesOf } = createBatchGateway(form);
  const { id } = await begin([toLine('a'), toLine('b')]);
  await until(() => upstream.batches.length === 1);
  // It has been asked once, and is still at work.
  await platform.advance(0);
  await post(`${PATH}/${id}/cancel`, {});
  upstream.finish();
  const batch = await ended(id);
  expect(batch).toMatchObject({ status: 'cancelled', request_counts: { completed: 2, failed: 0 }, cost: 0.000004 });
  expect(batch.error_file_id).toBe(null);
  expect(await linesOf(batch.output_file_id)).toHaveLength(2);
  expect(upstream.batches.map(({ isCancelled, isDiscarded }) => [isCancelled, isDiscarded])).toEqual([[false, true]]);
});

test.each(['deleted', 'expired'])('a batch reads its lines to its end, though their file is %s', async (way) => {
  const { gateway, upstream, upload, post, call, platform, ended, store, storage } = createBatchGateway('openai');
  await gateway.start();
  const lines = [toLine('made'), toLine('late')].join('\n');
  const fields = { purpose: 'batch', 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '3600' };
  const file = jsonOf(await upload(lines, { fields })) as { id: string };
  const content = (await store.files.get(file.id))?.content ?? '';
  const { id } = jsonOf(await post(PATH, { input_file_id: file.id, endpoint: CHAT })) as Batch;
  await until(() => upstream.batches.length === 1);
  if (way === 'deleted') await call('DELETE', `/api/v1/files/${file.id}`);
  // What is in no use is swept within two hours.
  await platform.advance(2 * HOUR_MS + 1);
  expect((await call('GET', `/api/v1/files/${file.id}`)).status).toBe(404);
  upstream.finish((text) => (text === 'made' ? 'answered' : 'missing'));
  const done = await ended(id);
  expect(done).toMatchObject({ status: 'completed', request_counts: { completed: 2, failed: 0 }, cost: 0.0000195 });
  await platform.advance(HOUR_MS);
  expect(await storage.find(content)).toBe(undefined);
});

test.each(['openai', 'anthropic'] as const)('results that cannot be read at %s are not deleted there', async (form) => {
  const { upstream, begin, ended, post } = createBatchGateway(form);
  const { id } = await begin([toLine('a')]);
  await until(() => upstream.batches.length === 1);
  upstream.hideResults();
  upstream.finish();
  await post(`${PATH}/${id}/cancel`, {});
  expect(await ended(id)).toMatchObject({ status: 'cancelled', request_counts: { completed: 0 } });
  expect(upstream.batches[0]?.isDiscarded).toBe(false);
});

test.each(FORMS)('a batch that is at %s goes on after a restart, and is not sent twice', async (form) => {
  const { upstream, begin, read, storage, store, open } = createBatchGateway(form);
  const { id } = await begin([toLine('a'), toLine('b')]);
  await until(() => upstream.batches.length === 1);
  upstream.finish();
  const second = open({ recordingStore: store }, { storage });
  await second.gateway.start();
  const batch = await helpersOf(second).ended(id);
  expect(batch).toMatchObject({ status: 'completed', request_counts: { completed: 2, failed: 0 }, cost: 0.000004 });
  expect([upstream.batches.length, upstream.calls]).toEqual([1, []]);
  expect(await read(id)).toEqual(batch);
});

test.each(['openai', 'google'] as const)(
  'a batch of which it is not known whether %s has taken it is found again by its name',
  async (form) => {
    const { upstream, begin, ended } = createBatchGateway(form);
    upstream.breakAfterNext();
    const { id } = await begin([toLine('a')]);
    await until(() => upstream.batches.length === 1);
    upstream.finish();
    expect(await ended(id)).toMatchObject({ status: 'completed', cost: 0.000002 });
    expect([upstream.batches.length, upstream.calls]).toEqual([1, []]);
  },
);

test.each([
  ['openai', 1],
  ['google', 1],
  // Nothing there tells which batch it is.
  ['anthropic', 2],
] as const)('lines that a process was sending to %s when it died are there %d times in all', async (form, times) => {
  const { upstream, begin, storage, store, open, platform } = createBatchGateway(form);
  const { id } = await begin([toLine('a')]);
  await until(() => upstream.batches.length === 1);
  await platform.advance(0);
  const row = (await store.batches.list()).find(({ kind }) => kind === 'submission');
  await store.batches.update(row?.id ?? '', (latest) =>
    latest.kind === 'submission' ? { ...latest, state: 'sending', upstreamId: null } : latest,
  );
  const second = open({ recordingStore: store }, { storage });
  await second.gateway.start();
  await until(() => upstream.batches.length === times);
  upstream.finish();
  const batch = await helpersOf(second).ended(id);
  expect(batch).toMatchObject({ status: 'completed', request_counts: { completed: 1, failed: 0 }, cost: 0.000002 });
  expect([upstream.batches.length, upstream.calls]).toEqual([times, []]);
});

test('lines are made here where the provider is set up without its batch API, or the caller excludes storage', async () => {
  const without = createBatchGateway('openai', { batches: false });
  await without.ended((await without.begin([toLine('a')])).id);
  expect([without.upstream.batches.length, without.upstream.calls]).toEqual([0, ['a']]);
  const { upstream, begin, ended } = createBatchGateway('openai', {
    dataPolicy: { training: false, retainsPrompts: false },
  });
  await ended((await begin([toLine('b', { provider: { data_collection: 'deny' } })])).id);
  expect([upstream.batches.length, upstream.calls]).toEqual([0, ['b']]);
});

test.each<[string, BatchGatewayOptions, object | null]>([
  ['zero retention', { account: { privacy: { zdr: true } } }, null],
  ['no training', { account: { privacy: { allowTraining: false } } }, null],
  ['a guardrail', {}, { enforce_zdr: true }],
])('lines are made here where no provider may store them: %s', async (_, options, guardrail) => {
  const policy = { dataPolicy: { training: false, retainsPrompts: false } };
  const { upstream, ended, post } = createBatchGateway('openai', policy, options);
  const key = guardrail === null ? null : await guardKey({ post }, guardrail);
  const requests = [{ custom_id: 'a', body: { messages: [{ role: 'user', content: 'a' }], max_tokens: 50 } }];
  const body = { endpoint: CHAT, model: 'acme/chat', requests };
  const made = await post('/api/beta/batches', body, key === null ? {} : { headers: key.headers });
  expect(await ended((jsonOf(made) as Batch).id)).toMatchObject({ request_counts: { completed: 1 } });
  expect([upstream.batches.length, upstream.calls]).toEqual([0, ['a']]);
});

/** Sends lines for a key with a guardrail that does nothing yet. */
async function beginGuarded(options: BatchGatewayOptions = {}, bodies: readonly object[] = [{}]) {
  const made = createBatchGateway('openai', { dataPolicy: { training: false, retainsPrompts: false } }, options);
  const guarded = await guardKey({ post: made.post }, { allowed_models: ['acme/chat'] });
  const requests = bodies.map((body, index) => ({
    custom_id: String(index),
    body: { messages: [{ role: 'user', content: 'secret' }], max_tokens: 50, ...body },
  }));
  const body = { endpoint: CHAT, model: 'acme/chat', requests };
  const { id } = jsonOf(await made.post('/api/beta/batches', body, { headers: guarded.headers })) as Batch;
  await until(() => made.upstream.batches.length === 1);
  return { ...made, guarded, id };
}

test('a line that a guardrail refuses once its response has come is charged, and nothing of it is stored', async () => {
  const { upstream, ended, store, guarded, id } = await beginGuarded();
  await guarded.patch({ content_filters: [{ pattern: 'secret', action: 'block' }] });
  upstream.finish();
  const batch = await ended(id);
  expect(batch).toMatchObject({ request_counts: { completed: 0, failed: 1 }, cost: 0.0000095 });
  expect(store.appended).toMatchObject([
    {
      record: { costNanoUsd: 9500, principalId: guarded.hash, generation: { model: 'acme/chat', provider_name: 'Up' } },
    },
  ]);
  expect(store.appended[0]?.content).toBe(null);
});

test('a line whose endpoint is not admitted any more once its response has come is completed', async () => {
  const { upstream, ended, guarded, id } = await beginGuarded();
  await guarded.patch({ ignored_providers: ['up'] });
  upstream.finish();
  expect(await ended(id)).toMatchObject({ request_counts: { completed: 1, failed: 0 }, cost: 0.0000095 });
});

test('a limit of their session does not refuse lines whose responses have come', async () => {
  const bodies = [{ session_id: 's' }, { session_id: 's' }];
  const { upstream, ended, id } = await beginGuarded({ account: { sessions: { maxCostUsd: 0.000001 } } }, bodies);
  upstream.finish();
  expect(await ended(id)).toMatchObject({ request_counts: { completed: 2, failed: 0 }, cost: 0.000019 });
});

test('a line whose call cannot be recorded for a moment is completed later', async () => {
  const { upstream, ended, store, platform, id } = await beginGuarded();
  let asked = 0;
  Object.assign(store.generations, {
    findNoRoom() {
      asked += 1;
      return asked > 2 ? null : 'The store is away';
    },
  });
  upstream.finish();
  await platform.advance(0);
  expect(await ended(id)).toMatchObject({ request_counts: { completed: 1, failed: 0 }, cost: 0.0000095 });
  expect(asked).toBe(3);
});

test('results of a batch are read a page at a time, from the beginning to the end', async () => {
  const { upstream, begin, ended, linesOf, store } = createBatchGateway('openai');
  const limits: number[] = [];
  const list = () => store.batches.list() as readonly BatchRow[];
  Object.assign(store.batches, {
    listSubmissionsOf: (id: string) => list().filter((row) => row.kind === 'submission' && row.batchId === id),
    pageResultsOf(id: string, { after, limit }: BatchResultPage) {
      limits.push(limit);
      const results = list().filter((row) => row.kind === 'result');
      const found = results.filter((row) => row.batchId === id && row.index > after);
      return found.toSorted((a, b) => a.index - b.index).slice(0, limit);
    },
  });
  const ids = Array.from({ length: 450 }, (_, index) => `line ${index}`);
  const { id } = await begin(ids.map((line) => toLine(line)));
  await until(() => upstream.batches.length === 1);
  upstream.finish((text) => (text.endsWith('7') ? 'invalid' : 'answered'));
  const batch = await ended(id);
  expect(batch).toMatchObject({ status: 'completed', request_counts: { completed: 405, failed: 45 } });
  const idsOf = async (fileId: string | null) => (await linesOf(fileId)).map(({ custom_id: line }) => line);
  expect(await idsOf(batch.output_file_id)).toEqual(ids.filter((line) => !line.endsWith('7')));
  expect(await idsOf(batch.error_file_id)).toEqual(ids.filter((line) => line.endsWith('7')));
  expect(list().map(({ kind }) => kind)).toEqual(['batch']);
  expect(limits.length).toBeGreaterThan(3);
  expect(Math.max(...limits)).toBe(200);
});

test('the share of the price can be set', async () => {
  const { upstream, begin, ended } = createBatchGateway('openai', { batchPriceShare: 0.25 });
  const { id } = await begin([toLine('a')]);
  await until(() => upstream.batches.length === 1);
  upstream.finish();
  expect(await ended(id)).toMatchObject({ cost: 0.000001 });
});

test('budgets hold the cost of lines that are with a provider, so that together they cannot exceed one', async () => {
  const { upstream, ended, post, open, store, storage } = createBatchGateway('openai');
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
  const { key } = jsonOf(await post('/api/v1/keys', { name: 'poor', limit: 0.0006 }, { headers })) as { key: string };
  // Each may cost 150 millionths and its prompt.
  const requests = ['a', 'b', 'c', 'd'].map((text) => ({
    custom_id: text,
    body: { messages: [{ role: 'user', content: text }], max_tokens: 50 },
  }));
  const body = { endpoint: CHAT, model: 'acme/chat', requests };
  const made = await post('/api/beta/batches', body, { headers: { authorization: `Bearer ${key}` } });
  const { id } = jsonOf(made) as Batch;
  await until(() => upstream.batches.length === 1);
  expect(upstream.batches[0]?.requests).toHaveLength(2);
  const third = { model: 'acme/chat', messages: [{ role: 'user', content: 'e' }], max_tokens: 50 };
  const live = await post('/api/v1/chat/completions', third, { headers: { authorization: `Bearer ${key}` } });
  expect(live.status).toBe(402);
  // Also for a process that finds them.
  const second = open({ recordingStore: store }, { storage });
  const there = await second.post('/api/v1/chat/completions', third, { headers: { authorization: `Bearer ${key}` } });
  expect(there.status).toBe(402);
  upstream.finish();
  expect(await ended(id)).toMatchObject({ request_counts: { completed: 2, failed: 2 }, cost: 0.000004 });
  const later = await post('/api/v1/chat/completions', third, { headers: { authorization: `Bearer ${key}` } });
  expect(later.status).toBe(200);
});

test.each(['failed', 'cancelled'])(
  'a batch whose key is gone is cancelled at its provider, and leaves nothing held: %s',
  async (status) => {
    const { upstream, post, call, open, store, storage } = createBatchGateway('openai');
    const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
    const { key, data } = jsonOf(await post('/api/v1/keys', { name: 'gone' }, { headers })) as {
      key: string;
      data: { hash: string };
    };
    const own = { headers: { authorization: `Bearer ${key}` } };
    const requests = [{ custom_id: 'a', body: { messages: [{ role: 'user', content: 'a' }], max_tokens: 50 } }];
    const { id } = jsonOf(
      await post('/api/beta/batches', { endpoint: CHAT, model: 'acme/chat', requests }, own),
    ) as Batch;
    await until(() => upstream.batches.length === 1);
    // Its owner had cancelled it before.
    if (status === 'cancelled') await post(`${PATH}/${id}/cancel`, {}, own);
    await call('DELETE', `/api/v1/keys/${data.hash}`, { key: MANAGEMENT_KEY });
    const second = open({ recordingStore: store }, { storage });
    await second.gateway.start();
    await until(() => upstream.batches[0]?.isCancelled === true);
    for (let turn = 0; turn < 500 && (await store.batches.list()).length > 1; turn += 1)
      await second.platform.advance(1000);
    expect(await store.batches.list()).toMatchObject([{ id, status }]);
    expect(second.logged).toContainEqual({
      line: 'error a batch at a provider was given up; what it made there was not charged',
      fields: { batch: id, provider: 'up', upstreamId: 'batch_up_1' },
    });
  },
);
