import { expect, test } from 'vitest';

import { withMarkedEnd } from './with-marked-end.ts';

const mark = { type: 'ephemeral', ttl: '1h' };
const text = (said: string, more: object = {}): object => ({ type: 'text', text: said, ...more });
const user = (content: unknown): object => ({ role: 'user', content });

test.each<[string, unknown, unknown]>([
  ['a text', 'Hi', [text('Hi', { cache_control: mark })]],
  ['its last part', [text('a'), text('b')], [text('a'), text('b', { cache_control: mark })]],
  [
    'the result of a tool',
    [{ type: 'tool_result', tool_use_id: '1', content: 'x' }],
    [{ type: 'tool_result', tool_use_id: '1', content: 'x', cache_control: mark }],
  ],
  ['what is before a blank text', [text('a'), text(' ')], [text('a', { cache_control: mark }), text(' ')]],
  ['nothing, where there is nothing', '', ''],
  [
    'nothing more, where there is a mark',
    [text('a', { cache_control: { type: 'ephemeral' } })],
    [text('a', { cache_control: { type: 'ephemeral' } })],
  ],
])('the mark of a request goes to the last turn of the user: %s', (_name, content, marked) => {
  const before = [user('First'), { role: 'assistant', content: 'Yes' }];
  const begun = { role: 'assistant', content: 'So' };
  const body = { messages: [...before, user(content), begun], cache_control: mark, max_tokens: 5 };
  const given = JSON.stringify(body);
  expect(withMarkedEnd(body)).toEqual({ messages: [...before, user(marked), begun], max_tokens: 5 });
  // The caller's body may be sent to another endpoint.
  expect(JSON.stringify(body)).toBe(given);
});

test('no mark is added to four, and a request without one stays as it is', () => {
  const own = { cache_control: { type: 'ephemeral' } };
  const result = { type: 'tool_result', tool_use_id: '1', content: [text('x', own)] };
  const body = {
    tools: [{ name: 'f', ...own }],
    system: [text('s', own)],
    messages: [user([text('a', own), result]), user('Go on')],
  };
  expect(withMarkedEnd({ ...body, cache_control: mark })).toEqual(body);
  expect(withMarkedEnd(body)).toBe(body);
  const { tools: _tools, ...three } = body;
  expect(withMarkedEnd({ ...three, cache_control: mark })).toMatchObject({
    messages: [{}, user([text('Go on', { cache_control: mark })])],
  });
  expect(withMarkedEnd({ messages: 'x', cache_control: null })).toEqual({ messages: 'x' });
});
