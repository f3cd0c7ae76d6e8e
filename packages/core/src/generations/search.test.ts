import { expect, test } from 'vitest';

import { failureOf } from '../../../../test/support/async/failure-of.ts';
import type { StoredContent } from '../stores/store.ts';
import { isInContent, parseWhere } from './search.ts';

const read = (line: string): unknown =>
  parseWhere(line).map(({ field, sign, values, isNegated }) => [isNegated ? `-${field}` : field, sign, ...values]);

test('reads conditions with their signs, several values, quotes and negation', () => {
  expect(read('attempts>1 -status:ok,cancelled app:"My, \\"Tool\\"" cost>=0.05 in:0')).toEqual([
    ['attempts', '>', 1],
    ['-status', ':', 'ok', 'cancelled'],
    ['app', ':', 'my, "tool"'],
    ['cost', '>=', 0.05],
    ['in', ':', 0],
  ]);
  expect(read('  model:a/b:free   provider:"X"  ')).toEqual([
    ['model', ':', 'a/b:free'],
    ['provider', ':', 'x'],
  ]);
  expect(read('')).toEqual([]);
});

test('reads times in their units, money and counts, and yes or no', () => {
  expect(read('latency>=2s duration<1.5m moderation>20ms latency<300')).toEqual([
    ['latency', '>=', 2000],
    ['duration', '<', 90_000],
    ['moderation', '>', 20],
    ['latency', '<', 300],
  ]);
  expect(read('cost>$0.5 in>10k out<=1.5m')).toEqual([
    ['cost', '>', 0.5],
    ['in', '>', 10_000],
    ['out', '<=', 1_500_000],
  ]);
  expect(read('streamed:yes -byok:no')).toEqual([
    ['streamed', ':', true],
    ['-byok', ':', false],
  ]);
});

test.each([
  ['attempts>1 modle:x', 'where: “modle:x” at character 12: unknown field “modle”; did you mean “model”?'],
  ['hello', 'where: “hello” at character 1: is not a condition; write field:value, or search for it with text'],
  ['cost>cheap', 'where: “cost>cheap” at character 1: enter an amount in USD, e.g. 0.05'],
  ['latency>2h', 'where: “latency>2h” at character 1: enter a time, e.g. 300ms, 2s or 1.5m'],
  ['attempts>many', 'where: “attempts>many” at character 1: enter a number, e.g. 2 or 10k'],
  ['streamed:maybe', 'where: “streamed:maybe” at character 1: use yes or no'],
  ['model>x', 'where: “model>x” at character 1: takes : alone'],
  ['attempts>1,2', 'where: “attempts>1,2” at character 1: takes one value'],
  ['model:', 'where: “model:” at character 1: needs a value'],
  ['app:"open', 'where: “app:"open” at character 1: has no closing quote'],
  ['constructor:x', 'where: “constructor:x” at character 1: unknown field “constructor”'],
])('says of %s what is wrong and where', async (line, message) => {
  const error = (await failureOf(Promise.resolve().then(() => parseWhere(line)))) as Error;
  expect(error.message.replace(/; did you mean “(?!model).*/, '')).toBe(message);
});

test('takes no more conditions than a record is worth looking at', async () => {
  const line = Array.from({ length: 51 }, (_, index) => `in>${index}`).join(' ');
  expect(String(await failureOf(Promise.resolve().then(() => parseWhere(line))))).toContain('at most 50 conditions');
});

test('finds what stands in tools and parameters, by their names too, and not the names of messages', () => {
  const content: StoredContent = {
    input: { messages: [{ role: 'user', content: 'Hello' }] },
    output: { completion: 'Hi', reasoning: null },
    error: null,
    request: {
      format: 'chat',
      body: {
        messages: [{ role: 'user', content: 'Hello' }],
        top_logprobs: 3,
        tools: [{ type: 'function', function: { name: 'read_file', parameters: { properties: { path: {} } } } }],
        response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { enum: ['Paris'] } } },
      },
      headers: {},
      attempts: [],
    },
  };
  const found = ['read_file', 'path', 'top_logprobs', 'paris', 'hello', 'role', 'content', 'json_schema', 'london'];
  expect(found.filter((text) => isInContent(text, content))).toEqual([
    'read_file',
    'path',
    'top_logprobs',
    'paris',
    'hello',
    'json_schema',
  ]);
});
