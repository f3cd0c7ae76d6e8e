import { expect, test } from 'vitest';

import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { toRecord } from '../../../../test/support/stores/generation-records.ts';

/** Newest last, as they are written. The clock shows 2 January 2026. */
const RECORDS = [
  ['2025-12-01', 'acme/chat', 'Acme', 'key-1', false],
  ['2025-12-03', 'acme/chat', 'Acme', 'key-1', false],
  ['2026-01-01', 'acme/chat', 'Acme', 'key-1', false],
  ['2026-01-01', 'acme/chat', 'Beta', 'key-1', true],
  ['2026-01-01', 'acme/other', 'Acme', 'key-2', false],
  ['2026-01-02', 'acme/chat', 'Acme', 'key-2', false],
  ['2026-01-02', 'acme/chat', 'Acme', 'key-1', false],
] as const;

async function setUp() {
  const admin = createAdminGateway();
  for (const [index, [day, model, provider, principalId, isByok]] of RECORDS.entries()) {
    const generation = {
      created_at: `${day}T08:00:00.000Z`,
      model,
      provider_name: provider,
      is_byok: isByok,
      tokens_prompt: 3,
      tokens_completion: 2,
      native_tokens_reasoning: 1,
      workspace_id: principalId === 'key-1' ? 'w1' : 'w2',
    };
    await admin.store.generations.append(
      toRecord(`gen-${index}`, {
        principalId,
        ...(principalId === 'key-2' && { userId: 'mo' }),
        costNanoUsd: 1_000_000_000,
        generation,
      }),
      null,
    );
  }
  const rows = async (query = ''): Promise<unknown[]> => {
    const { data } = (await admin.call('GET', `/activity${query}`)).body as { data: Record<string, unknown>[] };
    return data.map((row) => [row['date'], row['model'], row['provider_name'], row['requests'], row['workspace_id']]);
  };
  return { ...admin, rows };
}

test('adds up the last 30 days and the present one by day, model and provider, newest first', async () => {
  const { rows } = await setUp();
  expect(await rows()).toEqual([
    ['2026-01-02', 'acme/chat', 'Acme', 2, undefined],
    ['2026-01-01', 'acme/chat', 'Beta', 1, undefined],
    ['2026-01-01', 'acme/chat', 'Acme', 1, undefined],
    ['2026-01-01', 'acme/other', 'Acme', 1, undefined],
    ['2025-12-03', 'acme/chat', 'Acme', 1, undefined],
  ]);
});

test('adds up tokens and cost, credits and what was paid to the provider apart', async () => {
  const { call } = await setUp();
  expect((await call('GET', '/activity?date=2026-01-02')).body['data']).toEqual([
    {
      date: '2026-01-02',
      model: 'acme/chat',
      model_permaslug: 'acme/chat',
      endpoint_id: '',
      provider_name: 'Acme',
      requests: 2,
      prompt_tokens: 6,
      completion_tokens: 4,
      reasoning_tokens: 2,
      usage: 2,
      byok_usage_inference: 0,
    },
  ]);
  const { data } = (await call('GET', '/activity?date=2026-01-01')).body as { data: Record<string, unknown>[] };
  expect(data[0]).toMatchObject({ provider_name: 'Beta', usage: 0, byok_usage_inference: 1 });
});

test('narrows to a key, a workspace, and a member', async () => {
  const { rows } = await setUp();
  const only = [
    ['2026-01-02', 'acme/chat', 'Acme', 1, undefined],
    ['2026-01-01', 'acme/other', 'Acme', 1, undefined],
  ];
  expect(await rows('?api_key_hash=key-2')).toEqual(only);
  expect(await rows('?workspace_id=w2')).toEqual(only);
  expect(await rows('?user_id=nobody')).toEqual([]);
  // Their key is not there any more, as after it was replaced by another.
  expect(await rows('?user_id=mo')).toEqual(only);
  expect(await rows('?user_id=mo&api_key_hash=key-1')).toEqual([]);
});

test('splits by workspace on request', async () => {
  const { rows } = await setUp();
  // The newest call first.
  expect(await rows('?group_by=workspace&date=2026-01-02')).toEqual([
    ['2026-01-02', 'acme/chat', 'Acme', 1, 'w1'],
    ['2026-01-02', 'acme/chat', 'Acme', 1, 'w2'],
  ]);
});

test('reads as many pages as the days have', async () => {
  const { store, call, platform } = createAdminGateway();
  for (let index = 0; index < 1_200; index += 1) {
    await store.generations.append(
      toRecord(`gen-${index}`, { generation: { created_at: '2026-01-02T01:00:00.000Z' } }),
      null,
    );
  }
  const response = call('GET', '/activity');
  await platform.advance(10);
  expect((await response).body).toMatchObject({ data: [{ requests: 1_200 }] });
});

test.each(['date=2025-12-02', 'date=2026-01-03', 'date=today', 'date=2026-02-30', 'group_by=key'])(
  'refuses ?%s',
  async (query) => {
    const { call } = createAdminGateway();
    expect((await call('GET', `/activity?${query}`)).status).toBe(400);
  },
);
