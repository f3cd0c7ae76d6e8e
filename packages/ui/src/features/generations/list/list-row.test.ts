import { expect, test } from 'vitest';

import { type ListRow, ROW_QUERY, toFirstTokenMs, toSpeed } from './list-row.ts';

const row: ListRow = {
  id: 'gen-1',
  created_at: '2026-01-02T03:00:00Z',
  model: 'a/b',
  status: 'ok',
  provider_name: 'Acme',
  finish_reason: 'stop',
  streamed: true,
  tokens_prompt: 1,
  tokens_completion: 2,
  total_cost: 0.02,
  cost_known: true,
  latency: 3,
  generation_time: 4,
  origin: '',
  external_user: null,
  key_hash: 'k',
  session_id: null,
  api_type: 'completions',
  attempts: 1,
  prompt_preview: 'Hello',
};

test('asks for every member that a row has', () => {
  expect(ROW_QUERY.fields.split(',').toSorted()).toEqual(Object.keys(row).toSorted());
});

const STREAMED = { streamed: true, tokens_completion: 100, generation_time: 1500, latency: 500 };

test('tells the speed of a stream from its first token on, and of a whole response over all of its time', () => {
  expect(toSpeed(STREAMED)).toBe(100);
  expect(toSpeed({ ...STREAMED, streamed: false, generation_time: 1001, latency: 1000 })).toBeCloseTo(99.9);
  expect(toSpeed({ ...STREAMED, tokens_completion: null })).toBeNull();
});

test('tells the time to the first token of streams that had one, and of nothing else', () => {
  expect(toFirstTokenMs(STREAMED)).toBe(500);
  expect(toFirstTokenMs({ ...STREAMED, streamed: false })).toBeNull();
  expect(toFirstTokenMs({ ...STREAMED, tokens_completion: null })).toBeNull();
});
