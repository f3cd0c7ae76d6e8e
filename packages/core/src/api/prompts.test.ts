import { expect, test } from 'vitest';

import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';

const PROMPTS = '/admin/v1/prompts';
const MESSAGES = [
  { role: 'system', content: 'You help customers of {{company}}.' },
  { role: 'user', content: '{{ question }} ({{company}})' },
];
const SUPPORT = { name: 'Support agent', messages: MESSAGES };

test('keeps a prompt with its first version, under an id made from its name', async () => {
  const { call, dataOf } = createAdminGateway();
  const { status, body } = await call('POST', PROMPTS, {
    ...SUPPORT,
    description: 'For the chat',
    model: 'acme/chat',
    parameters: { temperature: 0.2, response_format: { type: 'json_object' } },
    note: 'First draft',
  });
  const variables = ['company', 'question'];
  const version = {
    version: 1,
    messages: MESSAGES,
    model: 'acme/chat',
    parameters: { temperature: 0.2, response_format: { type: 'json_object' } },
    note: 'First draft',
    created_at: expect.stringMatching(/Z$/),
    created_by: expect.any(String),
    variables,
  };
  const head = {
    id: 'support-agent',
    name: 'Support agent',
    description: 'For the chat',
    current_version: 1,
    version_count: 1,
    model: 'acme/chat',
    variables,
    created_at: expect.stringMatching(/Z$/),
    updated_at: expect.stringMatching(/Z$/),
  };
  expect([status, body]).toEqual([201, { data: { ...head, versions: [version] } }]);
  expect(await dataOf('GET', `${PROMPTS}/support-agent`)).toEqual({ ...head, versions: [version] });
  expect((await call('GET', PROMPTS)).body).toEqual({ data: [head], total_count: 1 });
});

test('adds versions, the newest first and current, and makes an earlier one current again', async () => {
  const { call, dataOf } = createAdminGateway();
  await call('POST', PROMPTS, SUPPORT);
  const path = `${PROMPTS}/support-agent`;
  const shorter = { messages: [{ role: 'user', content: 'Hi {{name}}' }], note: 'Shorter' };
  const added = await call('POST', `${path}/versions`, shorter);
  expect(added).toMatchObject({ status: 201, body: { data: { version: 2, variables: ['name'], model: null } } });
  await call('POST', `${path}/versions`, { ...shorter, note: null, make_current: false });
  expect(await dataOf('GET', path)).toMatchObject({
    current_version: 2,
    version_count: 3,
    variables: ['name'],
    versions: [{ version: 3 }, { version: 2, note: 'Shorter' }, { version: 1, messages: MESSAGES }],
  });
  const restored = await call('PATCH', path, { current_version: 1 });
  expect(restored.body).toMatchObject({ data: { current_version: 1, variables: ['company', 'question'] } });
  const { body, status } = await call('PATCH', path, { current_version: 4 });
  expect(status).toBe(400);
  expect(body).toMatchObject({
    error: { metadata: { issues: [{ path: 'current_version', message: 'there is no version 4' }] } },
  });
});

test('renames a prompt, whose id stays, and deletes it with its versions', async () => {
  const { call } = createAdminGateway();
  await call('POST', PROMPTS, SUPPORT);
  const path = `${PROMPTS}/support-agent`;
  const renamed = await call('PATCH', path, { name: ' Help desk ', description: 'Now by mail' });
  expect(renamed.body).toMatchObject({
    data: { id: 'support-agent', name: 'Help desk', description: 'Now by mail', current_version: 1 },
  });
  expect((await call('DELETE', path)).body).toEqual({ deleted: true });
  for (const [method, target] of [
    ['GET', path],
    ['DELETE', path],
    ['PATCH', path],
    ['POST', `${path}/versions`],
  ] as const) {
    expect([method, (await call(method, target, method === 'GET' ? undefined : {})).status]).toEqual([method, 404]);
  }
});

test('numbers the ids of prompts of the same name, and refuses an id that is taken', async () => {
  const { call } = createAdminGateway();
  for (const name of ['Grüße', 'Grusse', 'Gruße', '日本']) await call('POST', PROMPTS, { ...SUPPORT, name });
  await call('POST', PROMPTS, { ...SUPPORT, id: 'mine' });
  expect((await call('POST', PROMPTS, { ...SUPPORT, id: 'mine' })).status).toBe(409);
  await Promise.all([1, 2, 3].map(() => call('POST', PROMPTS, SUPPORT)));
  const { data } = (await call('GET', PROMPTS)).body as { data: { id: string }[] };
  const ids = data.map(({ id }) => id);
  const support = ['support-agent', 'support-agent-2', 'support-agent-3'];
  expect(ids.toSorted()).toEqual(['grusse', 'grusse-2', 'grusse-3', 'mine', 'prompt', ...support].toSorted());
});

test('finds prompts by words of their names, ids and descriptions, a page at a time', async () => {
  const { call } = createAdminGateway();
  await call('POST', PROMPTS, SUPPORT);
  await call('POST', PROMPTS, { ...SUPPORT, name: 'Translate', description: 'into German' });
  await call('POST', PROMPTS, { ...SUPPORT, name: 'Translate back' });
  const find = async (query: string): Promise<unknown[]> => {
    const { data, total_count: total } = (await call('GET', `${PROMPTS}?${query}`)).body as {
      data: { id: string }[];
      total_count: number;
    };
    return [total, ...data.map(({ id }) => id).toSorted()];
  };
  expect(await find('q=TRANSLATE')).toEqual([2, 'translate', 'translate-back']);
  expect(await find('q=german%20trans')).toEqual([1, 'translate']);
  expect((await find('limit=2')).slice(0, 1)).toEqual([3]);
  expect(await find('limit=2&offset=2')).toHaveLength(2);
  expect(await find('q=nothing')).toEqual([0]);
});

test.each([
  ['no message', { ...SUPPORT, messages: [] }, 'messages'],
  ['an unknown role', { ...SUPPORT, messages: [{ role: 'tool', content: 'x' }] }, 'messages.0.role'],
  ['an empty message', { ...SUPPORT, messages: [MESSAGES[0], { role: 'user', content: '' }] }, 'messages.1.content'],
  ['a name of nothing but spaces', { ...SUPPORT, name: ' ' }, 'name'],
  ['an id that is no part of an address', { ...SUPPORT, id: 'A/b' }, 'id'],
  ['a parameter out of range', { ...SUPPORT, parameters: { temperature: 3 } }, 'parameters.temperature'],
  ['a parameter that there is not', { ...SUPPORT, parameters: { temprature: 1 } }, 'parameters.temprature'],
  ['messages among the parameters', { ...SUPPORT, parameters: { messages: [] } }, 'parameters.messages'],
  [
    'more text than a version holds',
    { ...SUPPORT, messages: [1, 2, 3].map(() => ({ role: 'user', content: 'x'.repeat(150_000) })) },
    'messages',
  ],
])('refuses %s, and says where', async (_what, body, path) => {
  const { call } = createAdminGateway();
  const refused = await call('POST', PROMPTS, body);
  expect(refused.status).toBe(400);
  expect(refused.body).toMatchObject({ error: { metadata: { issues: [{ path }] } } });
});

test('keeps so many characters of a prompt, and says what to do with more', async () => {
  const { call } = createAdminGateway();
  const large = { messages: [1, 2].map(() => ({ role: 'user', content: 'x'.repeat(199_000) })) };
  await call('POST', PROMPTS, { name: 'Large', ...large });
  for (let at = 2; at <= 10; at += 1) await call('POST', `${PROMPTS}/large/versions`, large);
  const { status, body } = await call('POST', `${PROMPTS}/large/versions`, large);
  expect(status).toBe(409);
  expect(JSON.stringify(body)).toContain('Save this one as a new prompt');
});
