import { expect, test } from 'vitest';

import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { API_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { toContent, toRecord } from '../../../../test/support/stores/generation-records.ts';

const PATH = '/admin/v1/generations/sessions';

async function createFilled() {
  const made = createAdminGateway();
  const principalId = await made.platform.sha256(API_KEY);
  const add = (id: string, session: string | null, minute: number, generation: object = {}) =>
    made.store.generations.append(
      toRecord(id, {
        principalId,
        costNanoUsd: 1_000_000,
        generation: { session_id: session, created_at: `2026-01-01T10:0${minute}:00.000Z`, ...generation },
      }),
      toContent(`${id} asks`),
    );
  await add('gen-1', 'chat', 0);
  await add('gen-2', 'other', 1, { model: 'acme/rare', finish_reason: 'error' });
  await add('gen-3', null, 2);
  await add('gen-4', 'chat', 3, { generation_time: 5_000 });
  return { ...made, principalId };
}

test('lists sessions with their first prompt, what they cost and the names of their keys', async () => {
  const { call, principalId } = await createFilled();
  const { body } = await call('GET', PATH);
  expect(body['data']).toMatchObject([
    {
      session_id: 'chat',
      first_generation_id: 'gen-1',
      first_prompt: 'Question: gen-1 asks',
      started_at: '2026-01-01T10:00:00.000Z',
      last_call_at: '2026-01-01T10:03:00.000Z',
      ended_at: '2026-01-01T10:03:05.000Z',
      requests: 2,
      matching: 2,
      cost: 0.002,
      cost_known: true,
      models: ['acme/chat-1'],
      key_hashes: [principalId],
    },
    { session_id: 'other', failed: 1, models: ['acme/rare'] },
  ]);
  expect(body).toMatchObject({ next_cursor: null, key_names: { [principalId]: 'dev' } });
});

test('lists those of which a call matches the filters of the list of generations', async () => {
  const { call } = await createFilled();
  const ids = async (query: string): Promise<unknown[]> =>
    ((await call('GET', `${PATH}?${query}`)).body['data'] as { session_id: string }[]).map((row) => row.session_id);
  expect(await ids('model=acme/rare')).toEqual(['other']);
  expect(await ids('status=failed')).toEqual(['other']);
  expect(await ids('where=-status:failed')).toEqual(['chat']);
  expect(await ids('from=2026-01-01T10:02:00Z')).toEqual(['chat']);
  expect(await ids('session=other')).toEqual(['other']);
});

test('lists them page by page, and refuses the cursor of another list', async () => {
  const { call } = await createFilled();
  const first = (await call('GET', `${PATH}?limit=1`)).body;
  expect(first['data']).toMatchObject([{ session_id: 'chat' }]);
  const second = (await call('GET', `${PATH}?limit=1&cursor=${String(first['next_cursor'])}`)).body;
  expect(second).toMatchObject({ data: [{ session_id: 'other' }], next_cursor: null });
  const calls = (await call('GET', '/admin/v1/generations?limit=1')).body;
  for (const cursor of [String(calls['next_cursor']), 'bm9uZQ', 'x']) {
    expect(await call('GET', `${PATH}?cursor=${cursor}`)).toMatchObject({
      status: 400,
      body: { error: { metadata: { issues: [{ path: 'cursor' }] } } },
    });
  }
  expect(await call('GET', `${PATH}?text=hello`)).toMatchObject({ status: 400 });
});
