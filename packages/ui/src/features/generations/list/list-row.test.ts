import { expect, test } from 'vitest';

import { endOf, type ListRow, ROW_QUERY, toAppName, toFirstTokenMs, toSpeed } from './list-row.ts';

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
  user_agent: 'my-tool/1.2 (node)',
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

test('names an app by its address without what all have, else by its user agent', () => {
  expect(toAppName({ origin: 'https://app.example/', user_agent: 'Mozilla/5.0' })).toBe('app.example');
  expect(toAppName({ origin: '', user_agent: 'my-tool/1.2 (node)' })).toBe('my-tool');
  expect(toAppName({ origin: '', user_agent: null })).toBeNull();
});

test('tells when a request ended, which is when it began where its duration is not known', () => {
  expect(endOf({ created_at: '2026-01-02T03:00:00Z', generation_time: 1500 })).toBe('2026-01-02T03:00:01.500Z');
  expect(endOf({ created_at: '2026-01-02T03:00:00Z', generation_time: null })).toBe('2026-01-02T03:00:00Z');
});
