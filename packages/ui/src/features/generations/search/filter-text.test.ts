import { expect, test } from 'vitest';

import { parseFilterText, toFilterText } from './filter-text.ts';

test('reads filters by name, costs by sign, and everything else as text', () => {
  expect(parseFilterText('model:acme/chat,acme/film status:failed cost>=0.01 cost<=2 "timed out" again')).toEqual({
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

test('reads conditions on every field, with negation, comparison, quotes and wildcards', () => {
  expect(parseFilterText('cost>0.05 attempts>1 latency>=2s -status:ok app:"My, tool" error:429 model:acme/*')).toEqual({
    filters: { where: 'cost>0.05 attempts>1 latency>=2s -status:ok app:"My, tool" error:429 model:acme/*' },
    problems: [],
  });
  expect(parseFilterText('in>10k out<=1.5M streamed:yes speed>100 cost<$2').problems).toEqual([]);
  expect(parseFilterText('model:a/b model:c/d').filters).toEqual({ model: 'a/b', where: 'model:c/d' });
});

test('knows other words for a status, and keys by their names', () => {
  expect(parseFilterText('status:error,canceled').filters).toEqual({ status: 'failed,cancelled' });
  expect(parseFilterText('-status:error').filters).toEqual({ where: '-status:failed' });
  const keys = new Map([['My key', 'hash-1']]);
  expect(parseFilterText('key:"My key",other', keys).filters).toEqual({ key: 'hash-1,other' });
  expect(parseFilterText('-key:"My key"', keys).filters).toEqual({ where: '-key:hash-1' });
  expect(toFilterText({ key: 'hash-1' }, new Map([['hash-1', 'My key']]))).toBe('key:"My key"');
});

test.each([
  ['modle:x', '“modle:x” (character 1): unknown field “modle”; use quotes to search for it as text'],
  ['hello modle:x', '“modle:x” (character 7): unknown field “modle”; use quotes to search for it as text'],
  ['status:broken', '“status:broken” (character 1): use ok, failed, cancelled or interrupted'],
  ['cost>cheap', '“cost>cheap” (character 1): enter an amount in USD, e.g. 0.01'],
  ['latency>2h', '“latency>2h” (character 1): enter a time, e.g. 300ms, 2s or 1.5m'],
  ['attempts>x', '“attempts>x” (character 1): enter a number, e.g. 2 or 10k'],
  ['byok:maybe', '“byok:maybe” (character 1): use yes or no'],
  ['model>x', '“model>x” (character 1): model only works with a colon (model:…)'],
  ['in>1,2', '“in>1,2” (character 1): takes one value'],
  ['app:"open', '“app:"open” (character 1): a closing quote is missing'],
  ['model:', '“model:” (character 1): needs a value'],
  ['x', 'Enter at least two characters'],
])('says what is wrong with %s, and where', (line, problem) => {
  expect(parseFilterText(line).problems).toEqual([problem]);
});

test('takes quoted words as text, whatever they look like', () => {
  expect(parseFilterText('"model:x"').filters).toEqual({ text: 'model:x' });
  expect(parseFilterText('-5 well-known').filters).toEqual({ text: '-5 well-known' });
});

test.each([
  {},
  { model: 'a/b', status: 'ok,failed', min_cost: '0.01' },
  { text: 'two words' },
  { text: 'looks:like a filter', session: 's-1' },
  { app: 'https://app.example', member: 'ada,none' },
  { text: 'says "x:y" and \\' },
  { where: '-status:ok app:"My, \\"tool\\"" cost>0.5', provider: 'Two Words,Acme' },
])('writes filters so that they read the same: %o', (filters) => {
  expect(parseFilterText(toFilterText(filters))).toEqual({ filters, problems: [] });
});
