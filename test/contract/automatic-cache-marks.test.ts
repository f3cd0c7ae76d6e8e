import { expect, test } from 'vitest';

import { toAgentCalls } from '../support/gateways/agent-sessions.ts';
import { createDice } from '../support/gateways/cached-chats.ts';
import {
  type AgentCall,
  createCachingGateway,
  type CountedCall,
  nanoOf,
  makeWorkspace,
  playCalls,
  setMarks,
} from '../support/gateways/caching-provider.ts';
import { jsonOf, MANAGEMENT_KEY } from '../support/gateways/core-gateway.ts';

const dice = createDice(11);
const long = (words: number): string => Array.from({ length: words }, () => `word${dice(1000)}`).join(' ');
const SYSTEM = long(1200);

/** A conversation of so many questions. */
const toBody = (questions: number, change: object = {}): Record<string, unknown> => ({
  messages: [
    { role: 'system', content: SYSTEM },
    ...Array.from({ length: questions }, (_, at) => [
      { role: 'user', content: `Question ${at}: ${SYSTEM.slice(0, 400)}` },
      { role: 'assistant', content: `Answer ${at}` },
    ])
      .flat()
      .slice(0, -1),
  ],
  ...change,
});

const call = (questions: number, restMs: number, change: object = {}): AgentCall => ({
  app: 'https://app.example',
  session: 'session-1',
  restMs,
  body: toBody(questions, change),
});

/** Marks in a body, with the place and the time of each. */
function marksOf(body: Readonly<Record<string, unknown>>): string[] {
  const found: string[] = [];
  const look = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      if (name === 'cache_control') found.push(`${path} ${(member as { ttl?: string }).ttl ?? '5m'}`);
      else look(member, path === '' ? name : `${path}.${name}`);
    }
  };
  look({ tools: body['tools'], system: body['system'], messages: body['messages'] }, '');
  return found;
}

const sharesOf = (counted: readonly CountedCall[]): number => {
  const sum = (name: keyof CountedCall): number => counted.reduce((total, one) => total + one[name], 0);
  return sum('read') / sum('prompt');
};

test('of sessions of agents, far more is read from the cache with automatic marks, for less money', async () => {
  const calls = toAgentCalls(1);
  const [without, marked] = [createCachingGateway(false), createCachingGateway(true)];
  for (const gateway of [without, marked]) await playCalls(gateway, calls);
  const [before, after] = [without, marked].map(({ counted }) => ({
    share: sharesOf(counted),
    usd: counted.reduce((sum, one) => sum + nanoOf(one), 0) / 1e9,
  }));
  const rows = [...new Set(calls.map(({ app }) => app))].map((app) => {
    const of = ({ counted }: typeof marked): string => {
      const own = counted.filter((_, at) => calls[at]?.app === app);
      const usd = own.reduce((sum, one) => sum + nanoOf(one), 0) / 1e9;
      return `${(100 * sharesOf(own)).toFixed(1)} % for $${usd.toFixed(4)}`;
    };
    return `  ${app}: ${of(without)} -> ${of(marked)}`;
  });
  process.stdout.write(
    `cached share of ${calls.length} calls: ${((before?.share ?? 0) * 100).toFixed(1)} % for $${before?.usd.toFixed(4)} -> ` +
      `${((after?.share ?? 0) * 100).toFixed(1)} % for $${after?.usd.toFixed(4)}\n${rows.join('\n')}\n`,
  );
  expect(before?.share).toBe(0);
  expect(after?.share).toBeGreaterThan(0.7);
  expect(after?.usd).toBeLessThan((before?.usd ?? 0) * 0.5);
});

test('the end of the system text and of the conversation are marked, and the next call also where the last one ended', async () => {
  const gateway = createCachingGateway(true);
  await playCalls(gateway, [call(1, 0), call(2, 1000)]);
  expect(gateway.bodies().map(marksOf)).toEqual([
    ['system.0 5m', 'messages.0.content.0 5m'],
    ['system.0 5m', 'messages.0.content.0 5m', 'messages.2.content.0 5m'],
  ]);
  expect(gateway.counted[1]?.read).toBe(gateway.counted[0]?.prompt);
});

test('the record says which marks the gateway has set', async () => {
  const gateway = createCachingGateway(true);
  const [id = ''] = await playCalls(gateway, [call(1, 0)]);
  const { data } = jsonOf(await gateway.core.get(`/api/v1/generation?id=${id}`, MANAGEMENT_KEY));
  expect(data).toMatchObject({
    pipeline: [
      {
        type: 'cache_marks',
        name: 'automatic-cache-marks',
        data: { endpoint: 'up', ttl: '5m', places: ['messages[0]', 'messages[1]'] },
      },
    ],
  });
});

test('nothing is marked while the setting is off', async () => {
  const gateway = createCachingGateway(false);
  await playCalls(gateway, [call(1, 0), call(2, 1000)]);
  expect(gateway.bodies().flatMap(marksOf)).toEqual([]);
});

test('a workspace has marks set while the account does not, and the other way round', async () => {
  for (const ofAccount of [false, true]) {
    const gateway = createCachingGateway(ofAccount);
    const { id, key } = await makeWorkspace(gateway);
    await setMarks(gateway, id, !ofAccount);
    await playCalls(gateway, [call(1, 0)], key);
    await playCalls(gateway, [call(1, 0)]);
    await setMarks(gateway, id, null);
    await playCalls(gateway, [call(1, 0, { session_id: 'session-2' })], key);
    const isMarked = gateway.bodies().map((body) => marksOf(body).length > 0);
    expect(isMarked).toEqual([!ofAccount, ofAccount, ofAccount]);
  }
});

test('a request in which the caller has set a mark is sent as it is', async () => {
  const gateway = createCachingGateway(true);
  const mark = { type: 'ephemeral' };
  const tool = { type: 'function', function: { name: 'look' }, cache_control: mark };
  const system = { role: 'system', content: [{ type: 'text', text: SYSTEM, cache_control: mark }] };
  await playCalls(gateway, [
    call(1, 0, { tools: [tool] }),
    call(1, 0, { messages: [system, { role: 'user', content: 'Hi' }] }),
    call(1, 0, { cache_control: mark }),
  ]);
  const [tools = {}, text = {}, whole = {}] = gateway.bodies();
  expect([tools, text].map(marksOf)).toEqual([['tools.0 5m'], ['system.0 5m']]);
  expect([marksOf(whole), whole['cache_control']]).toEqual([[], mark]);
});

test('a prompt that is shorter than the provider caches gets no mark', async () => {
  const gateway = createCachingGateway(true);
  const messages = [{ role: 'user', content: long(300) }];
  await playCalls(gateway, [call(1, 0, { messages }), call(1, 1000, { messages })]);
  expect(gateway.bodies().flatMap(marksOf)).toEqual([]);
});

test('a call without a session is not marked, as nothing says that another will follow', async () => {
  const gateway = createCachingGateway(true);
  await playCalls(gateway, [call(1, 0, { session_id: undefined })]);
  expect(gateway.bodies().flatMap(marksOf)).toEqual([]);
});

test.each([
  ['4 minutes', 4, '5m'],
  ['20 minutes', 20, '1h'],
  ['2 hours', 120, null],
])('where calls of a session are %s apart, the time that costs least is chosen', async (_name, minutes, ttl) => {
  const gateway = createCachingGateway(true);
  const calls = [1, 2, 3, 4].map((questions) => call(questions, minutes * 60_000));
  await playCalls(gateway, calls);
  const times = marksOf(gateway.bodies().at(-1) ?? {}).map((mark) => mark.split(' ')[1]);
  expect([...new Set(times)]).toEqual(ttl === null ? [] : [ttl]);
});

test('at an endpoint whose price of writing to the cache is not known, nothing is marked', async () => {
  const pricing = { prompt: '0.000003', completion: '0.000015', input_cache_read: '0.0000003' };
  const gateway = createCachingGateway(true, { pricing });
  await playCalls(gateway, [call(1, 0), call(2, 1000)]);
  expect(gateway.bodies().flatMap(marksOf)).toEqual([]);
});

test('where the system text changes with each call, only what comes before it is marked from the second change on', async () => {
  const gateway = createCachingGateway(true);
  const tools = Array.from({ length: 8 }, (_, at) => ({
    type: 'function',
    function: { name: `tool_${at}`, description: SYSTEM.slice(0, 1500) },
  }));
  const toCall = (at: number): AgentCall =>
    call(1, 10_000, {
      tools,
      messages: [
        { role: 'system', content: `It is ${at}. ${SYSTEM}` },
        { role: 'user', content: 'What now?' },
      ],
    });
  await playCalls(gateway, [0, 1, 2].map(toCall));
  expect(gateway.bodies().slice(1).map(marksOf)).toEqual([['tools.7 5m'], ['tools.7 5m']]);
  expect(gateway.counted[2]?.read).toBeGreaterThan(2000);
});

test('a request in the form of Messages keeps its form, with the marks in it', async () => {
  const gateway = createCachingGateway(true);
  const toRequest = (texts: readonly string[]): object => ({
    model: 'test/model',
    max_tokens: 64,
    session_id: 'session-1',
    system: SYSTEM,
    messages: texts.map((text, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: [{ type: 'text', text, newer_than_the_gateway: true }],
    })),
  });
  for (const texts of [['One'], ['One', 'Two', 'Three']]) {
    const response = await gateway.core.post('/api/v1/messages', toRequest(texts));
    expect(response.status).toBe(200);
  }
  const [, second = {}] = gateway.bodies();
  expect(marksOf(second)).toEqual(['system.0 5m', 'messages.0.content.0 5m', 'messages.2.content.0 5m']);
  expect(JSON.stringify(second['messages'])).toContain('newer_than_the_gateway');
  expect(gateway.counted[1]?.read).toBe(gateway.counted[0]?.prompt);
});

test('the result of a tool at the end of a prompt is marked', async () => {
  const gateway = createCachingGateway(true);
  const [first, second] = toAgentCalls(2);
  await playCalls(gateway, [first as AgentCall, second as AgentCall]);
  const marks = marksOf(gateway.bodies()[1] ?? {});
  expect(marks.at(-1)).toMatch(/^messages\.2\.content\.0 5m$/);
  expect(gateway.counted[1]?.read).toBe(gateway.counted[0]?.prompt);
});
