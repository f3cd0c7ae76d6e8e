import { expect, test } from 'vitest';

import { API_KEY, createCoreGateway, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';
import type { Generation } from '../wire/generation.ts';

const WHOLE = JSON.stringify({ choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }] });

async function setUp() {
  const core = createCoreGateway(
    createReplayTransport({ pieces: [WHOLE], headers: { 'content-type': 'application/json' } }),
  );
  await core.chat();
  const id = core.store.appended.at(-1)?.record.generation.id ?? '';
  const review = (body: unknown, of = id, key = MANAGEMENT_KEY) =>
    core.post(`/admin/v1/generations/${of}/review`, body, {
      method: 'PUT',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    });
  const comment = (text: string) =>
    core.post('/api/v1/generation/feedback', { generation_id: id, category: 'other', comment: text });
  const read = async (key: string): Promise<Generation> =>
    (jsonOf(await core.get(`/api/v1/generation?id=${id}`, key)) as { data: Generation }).data;
  return { review, comment, read };
}

test('keeps a rating and a note with the record, the latest in place of the one before', async () => {
  const { review, read } = await setUp();
  expect((await review({ rating: 'bad', note: ' Too short ' })).status).toBe(200);
  expect((await read(MANAGEMENT_KEY)).review).toMatchObject({ rating: 'bad', note: 'Too short' });
  await review({ rating: 'good', note: null });
  expect((await read(MANAGEMENT_KEY)).review).toMatchObject({ rating: 'good', note: null });
  expect(jsonOf(await review({ rating: null, note: '' }))).toEqual({ data: null });
  expect(await read(MANAGEMENT_KEY)).not.toHaveProperty('review');
});

test('does not show a review to the key that made the call', async () => {
  const { review, read } = await setUp();
  await review({ rating: 'bad', note: 'Ask the team of this key' });
  expect(await read(API_KEY)).not.toHaveProperty('review');
});

test('refuses what is no review, and one of what does not exist', async () => {
  const { review } = await setUp();
  expect((await review({ rating: 'great', note: null })).status).toBe(400);
  expect((await review({ rating: 'good' })).status).toBe(400);
  expect((await review({ rating: 'good', note: 'x'.repeat(4001) })).status).toBe(400);
  expect((await review({ rating: 'good', note: null }, 'gen-none')).status).toBe(404);
});

test('keeps a review and feedback of the same moment both', async () => {
  const { review, comment, read } = await setUp();
  const comments = Array.from({ length: 5 }, (_, index) => comment(`comment ${index}`));
  const answers = await Promise.all([...comments, review({ rating: 'good', note: null }), comment('the last one')]);
  expect(answers.map(({ status }) => status)).toEqual(Array(7).fill(200));
  const { review: kept, feedback } = await read(MANAGEMENT_KEY);
  expect(kept).toMatchObject({ rating: 'good' });
  expect(feedback).toHaveLength(6);
});
