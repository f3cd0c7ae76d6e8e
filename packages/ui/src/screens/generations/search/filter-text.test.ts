import { expect, test } from 'vitest';

import { parseFilterText, toFilterText } from './filter-text.ts';

test('reads filters by name, costs by sign, and everything else as text', () => {
  expect(parseFilterText('model:acme/chat,acme/film status:failed cost>0.01 cost<2 "timed out" again')).toEqual({
    filters: {
      model: 'acme/chat,acme/film',
      status: 'failed',
      min_cost: '0.01',
      max_cost: '2',
      text: 'timed out again',
    },
    problems: [],
  });
});

test('knows other words for a status', () => {
  expect(parseFilterText('status:error,canceled').filters).toEqual({ status: 'failed,cancelled' });
  expect(parseFilterText('status:interrupted').filters).toEqual({ status: 'interrupted' });
});

test.each([
  ['modle:x', '“modle:x”: filters are model, provider, key, member, app, session, status, and cost with < or >'],
  ['status:broken', '“status:broken”: a status is ok, failed, cancelled or interrupted'],
  ['cost>cheap', '“cost>cheap”: the amount is USD, such as 0.01'],
  ['model:', '“model:” needs a value'],
  ['x', 'A text to look for needs two characters'],
])('says what is wrong with %s', (line, problem) => {
  expect(parseFilterText(line)).toEqual({ filters: {}, problems: [problem] });
});

test('takes quoted words as text, whatever they look like', () => {
  expect(parseFilterText('"model:x"').filters).toEqual({ text: 'model:x' });
});

test.each([
  {},
  { model: 'a/b', status: 'ok,failed', min_cost: '0.01' },
  { text: 'two words' },
  { text: 'looks:like a filter', session: 's-1' },
  { app: 'https://app.example', member: 'ada,none' },
])('writes filters so that they read the same: %o', (filters) => {
  expect(parseFilterText(toFilterText(filters))).toEqual({ filters, problems: [] });
});
