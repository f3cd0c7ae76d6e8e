import { expect, test } from 'vitest';

import { type ListRow, ROW_QUERY, toListRow } from './list-row.ts';

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

test('asks for every member that a row has, and keeps them as they came', () => {
  expect(ROW_QUERY.fields.split(',').toSorted()).toEqual(Object.keys(row).toSorted());
  expect(toListRow(row)).toEqual(row);
});
