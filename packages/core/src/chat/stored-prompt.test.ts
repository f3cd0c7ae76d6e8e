import { expect, test } from 'vitest';

import {
  type CoreGateway,
  createCoreGateway,
  jsonOf,
  MANAGEMENT_KEY,
} from '../../../../test/support/gateways/core-gateway.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const COMPLETION = JSON.stringify({
  id: 'c-1',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
});

const admin = { headers: { authorization: `Bearer ${MANAGEMENT_KEY}` } };

/** A gateway with the prompt "greet" in two versions, the second of which is current. */
async function withPrompt(changes: object = {}) {
  const upstream = createReplayTransport({ headers: JSON_TYPE, pieces: [COMPLETION] });
  const core = createCoreGateway(upstream);
  const first = {
    messages: [{ role: 'system', content: 'You work for {{ company }}.' }],
    model: 'acme/chat',
    parameters: { temperature: 0.2, max_tokens: 50 },
    ...changes,
  };
  await core.post('/admin/v1/prompts', { id: 'greet', name: 'Greet', ...first }, admin);
  const second = { ...first, messages: [...first.messages, { role: 'user', content: 'Greet {{name}}.' }] };
  await core.post('/admin/v1/prompts/greet/versions', second, admin);
  return { core, upstream };
}

const say = ({ post }: CoreGateway, path: string, body: object) => post(`/api/v1/${path}`, body);

test('a chat that names a prompt gets its messages, model and parameters, with variables filled in', async () => {
  const { core, upstream } = await withPrompt();
  const prompt = { id: 'greet', variables: { company: 'Acme', name: '{{company}}' } };
  const messages = [{ role: 'user', content: 'Be brief.' }];
  const response = await say(core, 'chat/completions', { prompt, messages, temperature: 1 });
  expect([response.status, jsonOf(response)]).toMatchObject([200, { choices: [{ message: { content: 'Hello' } }] }]);
  expect(upstream.latest().sent).toMatchObject({
    temperature: 1,
    max_tokens: 50,
    messages: [
      { role: 'system', content: 'You work for Acme.' },
      // A value is not looked through for variables.
      { role: 'user', content: 'Greet {{company}}.' },
      { role: 'user', content: 'Be brief.' },
    ],
  });
  const { generation } = core.store.appended[0]?.record ?? {};
  expect(generation).toMatchObject({ prompt_id: 'greet', prompt_version: 2, model: 'acme/chat' });
});

test.each([1, '1'])(
  'a version is chosen by its number (%j), and the messages of the call may be left out',
  async (version) => {
    const { core, upstream } = await withPrompt();
    const prompt = { id: 'greet', version, variables: { company: 'Acme' } };
    expect((await say(core, 'chat/completions', { prompt })).status).toBe(200);
    expect(upstream.latest().sent['messages']).toEqual([{ role: 'system', content: 'You work for Acme.' }]);
    expect(core.store.appended[0]?.record.generation).toMatchObject({ prompt_version: 1 });
  },
);

test('a response that names a prompt begins with its messages, and says what it was asked', async () => {
  const { core, upstream } = await withPrompt();
  const variables = { company: 'Acme', name: { type: 'input_text', text: 'Ada' } };
  const response = await say(core, 'responses', { prompt: { id: 'greet', variables }, input: 'Be brief.' });
  expect([response.status, jsonOf(response)]).toMatchObject([200, { max_output_tokens: 50 }]);
  expect(upstream.latest().sent['messages']).toEqual([
    { role: 'system', content: 'You work for Acme.' },
    { role: 'user', content: 'Greet Ada.' },
    { role: 'user', content: 'Be brief.' },
  ]);
  expect(core.store.appended[0]?.record.generation).toMatchObject({ prompt_id: 'greet', prompt_version: 2 });
});

test('the record of a call without a prompt names none', async () => {
  const { core } = await withPrompt();
  const messages = [{ role: 'user', content: 'Hi' }];
  expect((await say(core, 'chat/completions', { model: 'acme/chat', messages })).status).toBe(200);
  expect(core.store.appended[0]?.record.generation).not.toHaveProperty('prompt_id');
});

test.each([
  [{ id: 'nobody' }, 'prompt.id: there is no prompt \\"nobody\\" in this gateway'],
  [{ id: 'greet', version: 7 }, 'prompt.version: \\"greet\\" has no version 7'],
  [{ id: 'greet', variables: { company: 'Acme' } }, 'prompt.variables.name: is missing'],
  [
    { id: 'greet', variables: { company: 'Acme', name: 'Ada', age: '5' } },
    'prompt.variables.age: is no variable of the prompt: it has company, name',
  ],
  [{ id: 'greet', variables: { company: 5 } }, 'prompt.variables.company: must be a text'],
  [{ id: 'greet', versions: 2 }, 'prompt'],
])('refuses %j in either form, and says why', async (prompt, message) => {
  const { core, upstream } = await withPrompt();
  for (const [path, body] of [
    ['chat/completions', { messages: [{ role: 'user', content: 'Hi' }] }],
    ['responses', { input: 'Hi' }],
  ] as const) {
    const response = await say(core, path, { ...body, prompt });
    expect([response.status, response.body]).toEqual([400, expect.stringContaining(message)]);
  }
  expect(upstream.exchanges).toEqual([]);
});

test('refuses a response whose prompt has a parameter that this form lacks', async () => {
  const { core } = await withPrompt({ parameters: { seed: 5 } });
  const variables = { company: 'Acme', name: 'Ada' };
  const response = await say(core, 'responses', { prompt: { id: 'greet', variables }, input: 'Hi' });
  expect([response.status, response.body]).toEqual([400, expect.stringContaining('prompt: has the parameter seed')]);
  const chat = await say(core, 'chat/completions', { prompt: { id: 'greet', variables } });
  expect(chat.status).toBe(200);
});
