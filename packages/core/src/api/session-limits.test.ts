import { expect, test } from 'vitest';

import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import { createCoreGateway, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';
import type { AccountOptions } from '../account/account.ts';

const WHOLE = JSON.stringify({
  choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 },
});
/** What each call costs: 1,000 tokens of the prompt and 500 of the completion. */
const COST = 0.002;
const MANAGER = { authorization: `Bearer ${MANAGEMENT_KEY}` };
const PATH = '/admin/v1/session-limits';

type Sessions = NonNullable<AccountOptions['sessions']>;

function createScene(sessions: Sessions, recordingStore?: ReturnType<typeof createCoreGateway>['store']) {
  const upstream = createReplayTransport({ headers: { 'content-type': 'application/json' }, pieces: [WHOLE] });
  const core = createCoreGateway(upstream, { account: { sessions }, ...(recordingStore && { recordingStore }) });
  const ask = (session: string, body: object = {}) => core.chat({ session_id: session, ...body });
  const admin = async (path: string, body?: object) =>
    jsonOf(
      body === undefined ? await core.get(path, MANAGEMENT_KEY) : await core.post(path, body, { headers: MANAGER }),
    ) as { data: never; limits: unknown };
  return { ...core, upstream, ask, admin };
}

const repeat = (count: number) => [
  { role: 'user', content: 'Mend it.' },
  ...Array.from({ length: count }, (_, at) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: `c${at}`, type: 'function', function: { name: 'run_tests', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: `c${at}`, content: '1 failed' },
  ]).flat(),
];

test('a session that has made as many calls as it may makes no more, and another one does', async () => {
  const { ask, upstream } = createScene({ maxCalls: 2 });
  for (const status of [200, 200, 403, 403]) expect((await ask('one')).status).toBe(status);
  expect((await ask('two')).status).toBe(200);
  expect(upstream.exchanges).toHaveLength(3);
  const refused = jsonOf(await ask('one')) as { error: { message: string; metadata: object } };
  expect(refused.error.message).toBe(
    'Session one: it has made 2 calls, and its limit is 2. An administrator can let it continue in Settings, under Session limits.',
  );
  expect(refused.error.metadata).toMatchObject({ session_id: 'one', session_limit: 'calls' });
});

test('calls that come at once do not pass the limit together', async () => {
  const { ask } = createScene({ maxCalls: 3 });
  const statuses = await Promise.all(Array.from({ length: 8 }, () => ask('one')));
  expect(statuses.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
    200, 200, 200, 403, 403, 403, 403, 403,
  ]);
});

test('a session that has cost what it may is refused, also after a restart', async () => {
  const first = createScene({ maxCostUsd: 2 * COST });
  expect([(await first.ask('one')).status, (await first.ask('one')).status]).toEqual([200, 200]);
  const second = createScene({ maxCostUsd: 2 * COST }, first.store);
  const refused = jsonOf(await second.ask('one')) as { error: { message: string } };
  expect(refused.error.message).toContain('it has cost $0.0040, and its limit is $0.004');
});

test.each([
  ['calls', { maxCalls: 2 }],
  ['cost', { maxCostUsd: 2 * COST }],
  ['minutes', { maxMinutes: 10 }],
])('a session of another workspace with the same name counts for no limit (%s)', async (_name, limits) => {
  const { ask, post, platform, chat } = createScene(limits);
  const workspace = jsonOf(await post('/api/v1/workspaces', { name: 'Blue', slug: 'blue' }, { headers: MANAGER }));
  const { id } = workspace['data'] as { readonly id: string };
  const made = jsonOf(await post('/api/v1/keys', { name: 'k', workspace_id: id }, { headers: MANAGER }));
  for (const status of [200, 200]) expect((await ask('main')).status).toBe(status);
  await platform.advance(10 * 60_000);
  expect((await ask('main')).status).toBe(403);
  const inBlue = { headers: { authorization: `Bearer ${String(made['key'])}` } };
  expect((await chat({ session_id: 'main' }, inBlue)).status).toBe(200);
});

test('a session is over after its time', async () => {
  const { ask, platform } = createScene({ maxMinutes: 10 });
  expect((await ask('one')).status).toBe(200);
  await platform.advance(9 * 60_000);
  expect((await ask('one')).status).toBe(200);
  await platform.advance(60_000);
  expect((await ask('one')).status).toBe(403);
});

test.each([
  ['/api/v1/chat/completions', { messages: repeat(3) }],
  [
    '/api/v1/messages',
    {
      max_tokens: 9,
      messages: [
        { role: 'user', content: 'Mend it.' },
        ...Array.from({ length: 3 }, (_, at) => [
          { role: 'assistant', content: [{ type: 'tool_use', id: `c${at}`, name: 'run_tests', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: `c${at}`, content: '1 failed' }] },
        ]).flat(),
      ],
    },
  ],
  [
    '/api/v1/responses',
    {
      input: [
        { role: 'user', content: 'Mend it.' },
        ...Array.from({ length: 3 }, (_, at) => [
          { type: 'function_call', call_id: `c${at}`, name: 'run_tests', arguments: '{}' },
          { type: 'function_call_output', call_id: `c${at}`, output: '1 failed' },
        ]).flat(),
      ],
    },
  ],
])('a loop is broken at the next call of %s, in the form of the client', async (path, body) => {
  const { post, upstream, ask } = createScene({ maxRepeats: 3 });
  for (let call = 0; call < 3; call += 1) await ask('one');
  const refused = await post(path, { model: 'acme/chat', session_id: 'one', ...body });
  expect(refused.status).toBe(403);
  expect(JSON.stringify(jsonOf(refused))).toContain(
    'it repeats the same call of run_tests: 3 times with the same result',
  );
  expect(upstream.exchanges).toHaveLength(3);
});

test('where limits warn, calls go on, and the caller and the operator are told', async () => {
  const { ask, admin, logged } = createScene({ maxCalls: 1, action: 'warn' });
  await ask('séance');
  const warned = await ask('séance');
  expect([warned.status, warned.headers['x-gateway-session-notice']]).toEqual([
    200,
    'Session s?ance: it has made 1 calls, and its limit is 1',
  ]);
  expect(logged.map(({ line }) => line)).toContain('warn a session has reached a limit');
  expect((await admin(PATH)).data).toMatchObject([{ session_id: 'séance', reason: 'calls', action: 'warn' }]);
});

test('a person lets a session go on, and its limits count from there', async () => {
  const { ask, admin, post } = createScene({ maxCalls: 2, maxRepeats: 3 });
  for (const status of [200, 200, 403]) expect((await ask('one')).status).toBe(status);
  const [stopped] = (await admin(PATH)).data as { workspace_id: string }[];
  expect(stopped).toMatchObject({ session_id: 'one', reason: 'calls', calls: 2, allowed_at: null });
  const workspace_id = stopped?.workspace_id;
  expect((await admin(`${PATH}/allow`, { session_id: 'one', workspace_id })).data).toMatchObject({
    allowed_at: expect.any(String) as string,
  });
  for (const status of [200, 200, 403]) expect((await ask('one')).status).toBe(status);
  const unknown = await post(`${PATH}/allow`, { session_id: 'two', workspace_id }, { headers: MANAGER });
  expect(unknown.status).toBe(404);
});

test('limits tried on the past name the sessions they would have stopped, at which call, and the money', async () => {
  const { ask, admin, store } = createScene({});
  for (let call = 0; call < 6; call += 1) await ask('many');
  for (let call = 1; call <= 6; call += 1) await ask('round', { messages: repeat(call - 1) });
  await ask('short');
  const before = store.settings.get();
  const tried = await admin(`${PATH}/trial`, { max_calls: 10, max_cost_usd: 4 * COST, max_repeats: 3 });
  expect(tried.data).toMatchObject({
    sessions: 3,
    calls: 13,
    without_contents: 0,
    data: [
      { session_id: 'round', reason: 'loop', calls: 6, stopped_at_call: 4, saved_usd: 3 * COST },
      { session_id: 'many', reason: 'cost', calls: 6, stopped_at_call: 5, saved_usd: 2 * COST },
    ],
  });
  expect(store.settings.get()).toBe(before);
});

test('limits are changed for calls to come, and those of the configuration stay', async () => {
  const { ask, gateway } = createScene({ maxCalls: 5 });
  const patch = (body: object) =>
    gateway.handle({
      method: 'PATCH',
      path: '/admin/v1/settings',
      query: '',
      baseUrl: 'https://gateway.example',
      signal: new AbortController().signal,
      ...bodyOf(JSON.stringify(body)),
      headers: MANAGER,
    });
  expect((await patch({ sessions: { max_calls: 1 } })).status).toBe(400);
  expect((await patch({ sessions: { max_cost_usd: COST } })).status).toBe(200);
  expect((await ask('one')).status).toBe(200);
  expect((await ask('one')).status).toBe(403);
});

test('while the store is away, calls go on and are held to what this process knows', async () => {
  const { ask, store, logged } = createScene({ maxCalls: 1 });
  const away = (): Promise<never> => Promise.reject(new Error('the database is away'));
  Object.assign(store.generations, { sessions: away });
  Object.assign(store.settings, { update: away });
  expect([(await ask('one')).status, (await ask('one')).status]).toEqual([200, 403]);
  expect(logged.filter(({ fields }) => fields?.['reason'] === 'Error: the database is away')).toHaveLength(2);
});
