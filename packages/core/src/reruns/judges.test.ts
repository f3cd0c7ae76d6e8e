import type { ModelDefinition } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { createScriptedProvider } from '../../../../test/support/gateways/core-gateway.ts';
import { parseInnerChat } from '../api/inner-chat.ts';
import { createCatalog } from '../catalog/catalog.ts';
import type { PresetVersion } from '../wire/presets.ts';
import type { RerunCompletion, RerunVerdict } from '../wire/reruns.ts';
import { FORMATS } from '../wire/routing-rules.ts';
import { type CodeJudgeSpec, joinVerdicts, judgeByCode } from './judge-by-code.ts';
import { joinOrders, judgeByModel, judgeTokensOf, parseChoice } from './judge-by-model.ts';
import { type RerunRequest, toTargetRequest } from './rerun-request.ts';

const REQUEST: RerunRequest = { format: 'chat', body: { messages: [] }, headers: {} };
const textOf = (text: string | null, calls: RerunCompletion['tool_calls'] = []): RerunCompletion => ({
  text,
  tool_calls: calls,
});

async function verdictOf(
  spec: CodeJudgeSpec,
  original: RerunCompletion | null,
  completion: RerunCompletion,
  request = REQUEST,
): Promise<RerunVerdict | null> {
  return (await judgeByCode(spec, { request, original, completion }, {})).verdict;
}

test('json_equal takes no account of the order of members, fences or spaces', async () => {
  const verdict = (one: string, other: string) => verdictOf({ type: 'json_equal' }, textOf(one), textOf(other));
  await expect(verdict('{"a":[1,{"b":null}],"c":2}', '```json\n{ "c": 2, "a": [1, {"b": null}] }\n```')).resolves.toBe(
    'tie',
  );
  await expect(verdict('[1,2]', '[2,1]')).resolves.toBe('loss');
  await expect(verdict('{"a":1}', '{"a":1,"b":1}')).resolves.toBe('loss');
  await expect(verdict('[]', '{}')).resolves.toBe('loss');
  await expect(verdict('no JSON', 'no JSON')).resolves.toBe('loss');
});

test('a fence that is never closed is no JSON, however many lines it has', async () => {
  const open = `\`\`\`\n${'\n'.repeat(300_000)}`;
  const verdict = await verdictOf({ type: 'json_equal' }, textOf('{}'), textOf(open));
  expect(verdict).toBe('loss');
});

test.each([['```\n{}\n```'], ['\n ```json  \n\n{}```\n']])(
  'json_equal sees through the fence of %j',
  async (fenced) => {
    await expect(verdictOf({ type: 'json_equal' }, textOf('{}'), textOf(fenced))).resolves.toBe('tie');
  },
);

const SCHEMA = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'], additionalProperties: false };

test.each([
  ['{"a":1}', '{"a":2}', 'tie'],
  ['{"a":1}', '{"a":"2"}', 'loss'],
  ['{"b":1}', '{"a":2}', 'win'],
  ['none', 'none', 'tie'],
] as const)('schema_valid finds %s against %s a %s', async (original, completion, verdict) => {
  const spec = { type: 'schema_valid', schema: SCHEMA } as const;
  await expect(verdictOf(spec, textOf(original), textOf(completion))).resolves.toBe(verdict);
});

test('schema_valid takes the schema of the request, in every format', async () => {
  const bodies = [
    { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: SCHEMA } } },
    { text: { format: { type: 'json_schema', schema: SCHEMA } } },
    { output_config: { format: { type: 'json_schema', schema: SCHEMA } } },
    { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: SCHEMA } },
    { format: SCHEMA },
  ];
  for (const body of bodies) {
    const verdict = verdictOf({ type: 'schema_valid' }, textOf('{"a":1}'), textOf('{}'), { ...REQUEST, body });
    await expect(verdict).resolves.toBe('loss');
  }
  await expect(verdictOf({ type: 'schema_valid' }, textOf('{}'), textOf('{}'))).resolves.toBeNull();
});

test('schema_valid reads a schema in the letters of Google as that of the chat which the request is', async () => {
  const responseSchema = { type: 'OBJECT', properties: { a: { type: 'INTEGER' } }, required: ['a'] };
  const body = {
    model: 'm',
    stream: false,
    contents: [{ role: 'user', parts: [{ text: 'one' }] }],
    generationConfig: { responseMimeType: 'application/json', responseSchema },
  };
  const request: RerunRequest = { format: 'gemini', body, headers: {} };
  const pair = { request, original: textOf('{"a":1}'), completion: textOf('{}'), chat: parseInnerChat(request) };
  await expect(judgeByCode({ type: 'schema_valid' }, pair, {})).resolves.toMatchObject({ verdict: 'loss' });
});

test('same_tool_calls compares names and arguments as JSON, in any order', async () => {
  const call = (name: string, given: string) => ({ name, arguments: given });
  const original = textOf(null, [call('a', '{"x":1,"y":2}'), call('b', '{}')]);
  const verdict = (calls: RerunCompletion['tool_calls']) =>
    verdictOf({ type: 'same_tool_calls' }, original, textOf('as text', calls));
  await expect(verdict([call('b', '{ }'), call('a', '{"y":2, "x":1}')])).resolves.toBe('tie');
  await expect(verdict([call('b', '{}')])).resolves.toBe('loss');
  await expect(verdict([call('b', '{}'), call('b', '{}')])).resolves.toBe('loss');
  await expect(verdict([call('b', '{}'), call('a', '{"x":2,"y":2}')])).resolves.toBe('loss');
});

test('regex, length and a missing original', async () => {
  const regex = { type: 'regex', pattern: '^Yes\\b' } as const;
  await expect(verdictOf(regex, textOf('Yes.'), textOf('No.'))).resolves.toBe('loss');
  await expect(verdictOf(regex, textOf('No.'), textOf('Yes!'))).resolves.toBe('win');
  await expect(verdictOf(regex, null, textOf('No.'))).resolves.toBe('loss');
  const length = { type: 'length', min_ratio: 0.5, max_ratio: 2 } as const;
  await expect(verdictOf(length, textOf('1234'), textOf('12'))).resolves.toBe('tie');
  await expect(verdictOf(length, textOf('1234'), textOf('1'))).resolves.toBe('loss');
  await expect(verdictOf(length, textOf(''), textOf('1'))).resolves.toBe('loss');
  await expect(verdictOf(length, null, textOf('1'))).resolves.toBeNull();
});

test('a loss by any judge is one', () => {
  const join = (...verdicts: (RerunVerdict | null)[]) => joinVerdicts(verdicts.map((verdict) => ({ verdict })));
  expect(join('win', 'loss', 'tie')).toBe('loss');
  expect(join('win', 'tie', null)).toBe('win');
  expect(join('tie', null)).toBe('tie');
  expect(join(null)).toBeNull();
});

test('a verdict of a model counts only where it holds in both orders', () => {
  expect(joinOrders('B', 'A').verdict).toBe('win');
  expect(joinOrders('A', 'B').verdict).toBe('loss');
  for (const choice of ['A', 'B', 'TIE'] as const) expect(joinOrders(choice, choice).verdict).toBe('tie');
  expect(joinOrders('B', 'TIE').verdict).toBe('tie');
});

test('a judge whose text has no verdict has none, and is not asked again in the other order', async () => {
  const spec = { type: 'model', model: 'm', rubric: 'r' } as const;
  const pair = { request: REQUEST, original: textOf('x'), completion: textOf('y') };
  const judge = async (...texts: (string | null)[]) => {
    const asked: string[] = [];
    const ask = async (order: string) => {
      asked.push(order);
      return texts[asked.length - 1] ?? null;
    };
    const { verdict, note } = await judgeByModel(spec, pair, { ask, maxTokens: 9 });
    return { verdict, note, asked };
  };
  const note = expect.stringContaining('no verdict in one order');
  expect(await judge(null)).toEqual({ verdict: null, note, asked: ['forward'] });
  expect(await judge('VERDICT: A', 'I think that')).toEqual({ verdict: null, note, asked: ['forward', 'swapped'] });
  expect(await judge('VERDICT: A', 'VERDICT: B')).toMatchObject({ verdict: 'loss' });
});

test('a judge has room to think, but not more than each endpoint of its model takes', () => {
  const limitOf = (...endpoints: readonly Partial<ModelDefinition['endpoints'][number]>[]) => {
    const providers = [createScriptedProvider('acme', [])];
    const definition = {
      id: 'm',
      endpoints: endpoints.map((more) => ({ provider: 'acme', providerModel: 'm', ...more })),
    };
    return judgeTokensOf('m:nitro', createCatalog(providers, [definition]));
  };
  expect(limitOf({})).toBe(4000);
  expect(limitOf({ max_completion_tokens: 64_000 }, { max_completion_tokens: 2048 })).toBe(2048);
  expect(limitOf({ context_length: 8192 })).toBe(2048);
  expect(limitOf({ max_completion_tokens: 100 })).toBe(800);
});

test('the last verdict in the text of a judge is the one', () => {
  expect(parseChoice('VERDICT: A is tempting, but\n**VERDICT:** B')).toBe('B');
  expect(parseChoice('verdict: tie.')).toBe('TIE');
  expect(parseChoice('VERDICT: Both')).toBeNull();
  expect(parseChoice(null)).toBeNull();
});

test('equal texts are a tie in either order, and no judge is asked', async () => {
  const spec = { type: 'model', model: 'm', rubric: 'r' } as const;
  const pair = { request: REQUEST, original: textOf('x'), completion: textOf('x') };
  const judged = await judgeByModel(spec, pair, {
    ask: () => Promise.reject(new Error('asked')),
    maxTokens: 9,
  });
  expect(judged.verdict).toBe('tie');
});

test('a judge sees the calls of a completion whose text is long, which are compared though they are cut', async () => {
  const spec = { type: 'model', model: 'm', rubric: 'r' } as const;
  const long = 'x'.repeat(30_000);
  const call = (given: string) => textOf(long, [{ name: 'look', arguments: given }]);
  const asked: string[] = [];
  const ask = async (_: string, request: RerunRequest) => {
    asked.push(JSON.stringify(request.body));
    return 'VERDICT: A';
  };
  const judge = (original: RerunCompletion, completion: RerunCompletion) =>
    judgeByModel(spec, { request: REQUEST, original, completion }, { ask, maxTokens: 9 });
  await judge(call('here'), call('there'));
  expect(asked[0]).toMatch(/\[calls look with here\].*\[calls look with there\]/);
  await judge(textOf(`${long}a`), textOf(`${long}b`));
  expect(asked).toHaveLength(4);
});

test('tools of the server are left out, and a request that requires one is refused', () => {
  const own = { type: 'function', function: { name: 'own', parameters: {} } };
  const to = (body: object) => toTargetRequest({ ...REQUEST, body: { ...body } }, { model: 'm' }).body;
  expect(to({ tools: [own, { type: 'service:web_search' }], tool_choice: 'auto' })).toMatchObject({ tools: [own] });
  expect(to({ tools: [{ type: 'web_search_20250305', name: 'web_search' }], plugins: [{ id: 'web' }] })).toEqual({
    model: 'm',
    stream: false,
  });
  expect(() => to({ tools: [{ type: 'service:web_search' }], tool_choice: 'required' })).toThrow(/requires a tool/);
  expect(() => to({ n: 2 })).toThrow(/several completions/);
});

test('a request is sent again under its data policy, and under that of the preset put over it', () => {
  const provider = {
    data_collection: 'deny',
    zdr: true,
    enforce_distillable_text: false,
    only: ['acme'],
    sort: 'price',
  };
  const policy = { data_collection: 'deny', zdr: true, enforce_distillable_text: false };
  const only = { only: ['beta'], allow_fallbacks: false };
  const preset = { version: 1, config: { provider: { zdr: false, enforce_distillable_text: true, sort: 'price' } } };
  for (const format of FORMATS) {
    const request = { format, body: { provider }, headers: {} };
    expect(toTargetRequest(request, { model: 'm' }).body['provider'], format).toEqual(policy);
    expect(toTargetRequest(request, { model: 'm', provider: 'beta' }).body['provider'], format).toEqual({
      ...only,
      ...policy,
    });
  }
  const under = (body: object, target: object) =>
    toTargetRequest({ ...REQUEST, body: { ...body } }, { model: 'm', ...target }, {
      ...preset,
      system_prompt: null,
    } as unknown as PresetVersion).body['provider'];
  expect(under({ provider }, {})).toEqual({ ...policy, enforce_distillable_text: true, sort: 'price' });
  expect(under({}, { provider: 'beta' })).toEqual({ ...only, zdr: false, enforce_distillable_text: true });
  expect(
    toTargetRequest({ ...REQUEST, body: { provider: { sort: 'price' } } }, { model: 'm' }).body,
  ).not.toHaveProperty('provider');
});

test('the system prompt is changed in the words of each format', () => {
  const to = (format: RerunRequest['format'], body: object, system: { replace: string } | { append: string }) =>
    toTargetRequest({ format, body: { ...body }, headers: {} }, { model: 'm', system }).body;
  expect(to('messages', { system: 'a' }, { append: 'b' })['system']).toBe('a\n\nb');
  expect(to('messages', { system: [{ type: 'text', text: 'a' }] }, { append: 'b' })['system']).toEqual([
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
  ]);
  expect(to('responses', { instructions: 'a' }, { replace: 'b' })['instructions']).toBe('b');
  const said = { role: 'user', content: 'one' };
  const input = [{ role: 'developer', content: 'a' }, { type: 'message', role: 'system', content: 'b' }, said];
  expect(to('responses', { instructions: 'i', input }, { replace: 'c' })).toMatchObject({
    instructions: 'c',
    input: [said],
  });
  expect(to('messages', { messages: [{ role: 'system', content: 'a' }, said] }, { replace: 'c' })).toMatchObject({
    system: 'c',
    messages: [said],
  });
  const appended = to('responses', { instructions: 'i', input }, { append: 'c' });
  expect(appended).toMatchObject({
    instructions: 'i',
    input: [...input.slice(0, 2), { type: 'message', role: 'system', content: 'c' }, said],
  });
  expect(parseInnerChat({ format: 'responses', body: appended, headers: {} }).messages.at(-2)).toMatchObject({
    role: 'system',
    content: 'c',
  });
  expect(to('responses', { instructions: 'a', input: [said] }, { append: 'b' })).toMatchObject({
    instructions: 'a\n\nb',
    input: [said],
  });
  expect(() => to('completions', { prompt: 'a' }, { replace: 'b' })).toThrow(/no system prompt/);
});
