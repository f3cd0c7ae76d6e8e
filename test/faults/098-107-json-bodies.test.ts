import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';

import { chatCompletionRequestSchema } from '../../packages/core/src/wire/chat-request.ts';
import { connectRaw, toRequestBytes } from '../support/clients/raw-client.ts';
import { type FaultGateway, startFaultGateway } from '../support/gateways/fault-gateway.ts';
import {
  respondWell,
  type RawUpstream,
  startRawUpstream,
  toRawResponse,
  toWhole,
} from '../support/upstreams/raw-upstream.ts';

const isFull = process.env['TEST_FULL'] === '1';

interface Setup extends FaultGateway {
  readonly upstream: RawUpstream;
  /** Posts these bytes as a chat request and reads the response. */
  post(bytes: string | Uint8Array<ArrayBuffer>): Promise<{ status: number; body: string }>;
}

async function start(): Promise<Setup> {
  const upstream = await startRawUpstream((request) => respondWell(request));
  const gateway = await startFaultGateway([upstream]);
  return {
    ...gateway,
    upstream,
    async post(bytes) {
      const response = await gateway.ask(undefined, { body: bytes });
      return { status: response.status, body: await response.text() };
    },
  };
}

const messages = (content: unknown = 'x'): object[] => [{ role: 'user', content }];
const chatJson = (extra: string): string => `{"model":"test/model","messages":[{"role":"user","content":"x"}]${extra}}`;

/** Not one of them is a chat request; some are not even JSON, and parsers have stumbled over most of them. */
const NO_REQUESTS: readonly string[] = [
  '',
  ' ',
  '\n',
  '\0',
  '{',
  '}',
  '[',
  ']',
  '[]',
  '{}',
  'null',
  'true',
  '0',
  '-0',
  '1e1000',
  '"x"',
  '""',
  '[[]]',
  '{"a"',
  '{"a":',
  '{"a":}',
  '{"a":1,}',
  '{,}',
  '{"a" 1}',
  '{"a":1 "b":2}',
  '{"a":1}}',
  '{"a":1}{}',
  '[1,]',
  '[,1]',
  '[1 2]',
  "{'a':1}",
  '{a:1}',
  '{"a":1}//x',
  '{"a":1}#x',
  '/**/{}',
  '{"a":1/**/}',
  '<x>',
  '{"a":"x}',
  '{"a":"\n"}',
  '{"a":"	"}',
  '{"a":01}',
  '{"a":1.}',
  '{"a":.5}',
  '{"a":+1}',
  '{"a":0x1}',
  '{"a":1e}',
  '{"a":1e+}',
  '{"a":--1}',
  '{"a":NaN}',
  '{"a":-Infinity}',
  '{"a":"\\x00"}',
  '{"a":"\\u"}',
  '{"a":"\\u12"}',
  '{"a":"\\uD800\\"}',
  '{"a":"\\ "}',
  '{"a":tru}',
  '{"a":nul}',
  '{"a":True}',
  '{"a":undefined}',
  '{"messages":1}',
  '{"messages":null}',
  '{"messages":[]}',
  '{"messages":{}}',
  '{"messages":[null]}',
  '{"messages":[[]]}',
  '{"messages":["x"]}',
  '{"messages":[{}]}',
  '{"messages":[{"role":"user"}]}',
  '{"messages":[{"role":"nobody","content":"x"}]}',
  '{"messages":{"0":{},"length":1}}',
  '{"model":"test/model"}',
  '{"model":1,"messages":[{"role":"user","content":"x"}]}',
  '{"model":"test/model","messages":[{"role":"user","content":{}}]}',
];

test('98: a body that is no chat request is a 400, and no upstream is called', async () => {
  const { post, upstream } = await start();
  for (const text of NO_REQUESTS) {
    const { status, body } = await post(text);
    expect([text, status]).toEqual([text, 400]);
    expect(JSON.parse(body)).toMatchObject({ error: { code: 400, metadata: { error_type: 'invalid_request' } } });
  }
  expect(upstream.connections).toEqual([]);
});

test('98: a chat request in an unusual form is read', async () => {
  const { post } = await start();
  const odd: readonly string[] = [
    ` \t\r\n${chatJson('')}\n \r\n`,
    chatJson(',"x":[1,2.5e-3,-0,true,false,null,"\\u0041\\/\\b\\f\\n\\r\\t\\"\\\\"]'),
    chatJson(',"":{"":{"":null}}'),
    chatJson(',"\\u0000":"\\u0000","\u007f":"\u007f","\u2028":"\u2029","\uFFFF":"\u{10FFFF}"'),
    chatJson(`,"long":"${'x'.repeat(100_000)}"`),
    chatJson(',"numbers":[123456789012345678901234567890,0.1e-400,1E+2,-1.0]'),
    `{"messages":[{"content":"x","role":"user"}],"model":"test/model"}`,
    chatJson('').replaceAll(':', ' : ').replace('test/model', 'test\\/model'),
  ];
  for (const text of odd) expect([text, (await post(text)).status]).toEqual([text, 200]);
});

test.each([65, 1000, 100_000, 1_000_000])('99: a body %i levels deep is a 400', async (depth) => {
  const { post } = await start();
  const deep: readonly string[] = [
    '['.repeat(depth) + ']'.repeat(depth),
    '['.repeat(depth),
    chatJson(`,"x":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
    chatJson(
      `,"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":${'{"items":'.repeat(depth)}1${'}'.repeat(depth)}}}`,
    ),
  ];
  for (const text of deep) {
    expect((await post(text)).status).toBe(400);
  }
});

test('99: a body 64 levels deep is read', async () => {
  const { post } = await start();
  expect((await post(chatJson(`,"x":${'['.repeat(62)}${']'.repeat(62)}`))).status).toBe(200);
});

test('100: keys that could reach a prototype are inert wherever they stand, and go no further', async () => {
  const { post, upstream } = await start();
  const poison = '"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}';
  const places: readonly string[] = [
    chatJson(`,${poison}`),
    `{"model":"test/model","messages":[{"role":"user","content":"x",${poison}}]}`,
    `{"model":"test/model","messages":[{"role":"user","content":[{"type":"text","text":"x",${poison}}]}]}`,
    chatJson(`,"metadata":{"a":"b","__proto__":"x"}`),
    chatJson(`,"logit_bias":{"1":1,"__proto__":2}`),
    chatJson(
      `,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"__proto__":{"type":"string"}},"__proto__":{}}}}]`,
    ),
    chatJson(`,"response_format":{"type":"json_object",${poison}}`),
    chatJson(`,"trace":{${poison}},"debug":{${poison}},"reasoning":{${poison}},"image_config":{"__proto__":"x"}`),
    chatJson(`,"\\u005f_proto__":{"isAdmin":true}`),
  ];
  for (const text of places) expect([text, (await post(text)).status]).toEqual([text, 200]);
  expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
  expect(([] as unknown as Record<string, unknown>)['isAdmin']).toBeUndefined();
  for (const { body } of upstream.requests) expect(body).not.toMatch(/__proto__|isAdmin/);
  expect(upstream.requests).toHaveLength(places.length);
  // Preferences take no fields but their own.
  expect((await post(chatJson(`,"provider":{"order":[],${poison}}`))).status).toBe(400);
});

test('101: of a key given twice the last value is the one that is checked and sent', async () => {
  const { post, upstream } = await start();
  expect((await post(chatJson(',"model":"nobody/nothing"'))).status).toBe(400);
  expect((await post(chatJson(',"temperature":1,"temperature":9'))).status).toBe(400);
  expect(upstream.requests).toHaveLength(0);

  const twice = `{"model":"nobody/nothing","temperature":9,"messages":1,"messages":[{"role":"user","content":"first","content":"last"}],"model":"test/model","temperature":0.5}`;
  expect((await post(twice)).status).toBe(200);
  expect(JSON.parse(upstream.requests[0]?.body ?? '')).toMatchObject({ temperature: 0.5, messages: messages('last') });
  expect(upstream.requests[0]?.body).not.toMatch(/first|nobody|"temperature":9/);
});

test.each([
  '"seed":9007199254740993',
  '"seed":1.5',
  '"seed":1e400',
  '"max_tokens":0',
  '"max_tokens":-1',
  '"max_tokens":1e400',
  '"max_tokens":1.5',
  '"max_completion_tokens":0',
  '"temperature":-0.1',
  '"temperature":2.1',
  '"temperature":1e400',
  '"temperature":"1"',
  '"top_p":1.01',
  '"top_p":-1e-400,"temperature":3',
  '"top_k":1e999',
  '"n":1000000000',
  '"frequency_penalty":2.1',
  '"presence_penalty":-2.1',
  '"top_logprobs":21',
  '"top_logprobs":-1',
  '"top_logprobs":1.5',
  '"stream":"true"',
  '"stream":1',
  '"stream_options":true',
  '"stop":["a","b","c","d","e"]',
  '"logit_bias":{"1":1e400}',
  '"provider":{"max_price":{"prompt":-1e400}}',
])('102, 106: %s is a 400 that names the field', async (field) => {
  const { post, upstream } = await start();
  const { status, body } = await post(chatJson(`,${field}`));
  expect(status).toBe(400);
  const name = /[a-z_]+/.exec(field.includes('"temperature":3') ? 'temperature' : field)?.[0] ?? '';
  const { error } = JSON.parse(body) as { error: { message: string; metadata: { issues: { path: string }[] } } };
  expect(error.message).toContain(name);
  expect(error.metadata.issues[0]?.path.split('.')[0]).toBe(name);
  expect(upstream.requests).toEqual([]);
});

test('102, 106: numbers at the edge of what is allowed reach upstream as they are', async () => {
  const { post, upstream } = await start();
  const fields =
    '"seed":9007199254740991,"temperature":2,"top_p":1e-400,"presence_penalty":-2,"max_tokens":1,"top_logprobs":20,"top_k":-0';
  expect((await post(chatJson(`,${fields},"n":1,"stream_options":{"include_usage":false}`))).status).toBe(200);
  const sent = JSON.parse(upstream.requests[0]?.body ?? '') as Record<string, unknown>;
  expect(sent).toMatchObject({
    seed: 9_007_199_254_740_991,
    temperature: 2,
    top_p: 0,
    presence_penalty: -2,
    max_tokens: 1,
  });
  expect(sent).not.toHaveProperty('n');
});

test('102: arguments of tool calls pass unchanged in both directions, whatever numbers they hold', async () => {
  const text = '{"id":9007199254740993, "big":1e400,"small":1e-400,"zero":-0,"dup":1,"dup":2,"u":"\\u00e9"}';
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: text } };
  const upstream = await startRawUpstream(({ socket }) => {
    const choice = {
      index: 0,
      message: { role: 'assistant', content: null, tool_calls: [call] },
      finish_reason: 'tool_calls',
    };
    socket.write(toRawResponse(200, toWhole('', { choices: [choice] })));
  });
  const { ask } = await startFaultGateway([upstream]);
  const response = await ask({
    messages: [
      ...messages(),
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: text },
    ],
  });
  const completion = (await response.json()) as { choices: [{ message: { tool_calls: [typeof call] } }] };
  expect(completion.choices[0].message.tool_calls[0].function.arguments).toBe(text);
  const sent = JSON.parse(upstream.requests[0]?.body ?? '') as {
    messages: { tool_calls?: [typeof call]; content: string }[];
  };
  expect(sent.messages[1]?.tool_calls?.[0].function.arguments).toBe(text);
  expect(sent.messages[2]?.content).toBe(text);
});

test.each([
  ['overlong bytes', Buffer.concat([Buffer.from('{"model":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')])],
  ['half a character', Buffer.concat([Buffer.from('{"model":"'), Buffer.from([0xe2, 0x98]), Buffer.from('"}')])],
  [
    'a surrogate in UTF-8',
    Buffer.concat([Buffer.from('{"model":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
  ],
  ['Latin-1', Buffer.from(chatJson(',"user":"Caf\u00e9"'), 'latin1')],
  ['UTF-16', Buffer.from(chatJson(''), 'utf16le')],
  ['UTF-16 with its mark', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(chatJson(''), 'utf16le')])],
  ['UTF-32', Buffer.from(new Uint32Array(Array.from(chatJson(''), (c) => c.charCodeAt(0))).buffer)],
])('103: a body in %s is a 400', async (_name, bytes) => {
  const { post, upstream } = await start();
  expect((await post(new Uint8Array(bytes))).status).toBe(400);
  expect(upstream.requests).toEqual([]);
});

test('103: a byte order mark before the body is passed over', async () => {
  const { post } = await start();
  expect((await post(`\uFEFF${chatJson('')}`)).status).toBe(200);
});

test('103: half of a surrogate pair is the same text for upstream and the store', async () => {
  const { post, upstream, record } = await start();
  expect((await post(chatJson('').replace('"x"', '"a\\ud800b"'))).status).toBe(200);
  expect((JSON.parse(upstream.requests[0]?.body ?? '') as { messages: unknown }).messages).toEqual(
    messages('a\ud800b'),
  );
  expect((await record()).content?.input).toEqual({ messages: messages('a\ud800b') });
});

test('104: a million keys, a million messages and a very long text are answered without a flood', async () => {
  const { post, listener } = await start();
  const list = (item: string, length: number): string => Array.from({ length }, () => item).join(',');
  const keys = (length: number): string => Array.from({ length }, (_, i) => `"k${i}":0`).join(',');
  const of = (items: number): readonly (readonly [string, number])[] => [
    // Unknown fields are ignored, as long as there are not too many.
    [chatJson(`,${keys(items)}`), items > 9998 ? 400 : 200],
    [`{"model":"test/model","messages":[${list('0', items)}]}`, 400],
    [`{"model":"test/model","messages":[${list('{"role":"user","content":5}', items)}]}`, 400],
    [chatJson(`,"metadata":{${keys(items)}}`), 400],
    [chatJson(`,"models":[${list('"x"', items)}]`), 400],
  ];
  const bodies = [
    ...of(9998),
    ...of(100_000),
    ...of(1_000_000),
    [chatJson(`,"user":"${'x'.repeat(10_000_000)}"`), 200],
    [chatJson(`,"user":"${'\\"'.repeat(5_000_000)}"`), 200],
  ] as const;
  for (const [body, expected] of bodies) {
    const response = await post(body);
    expect([body.slice(0, 60), body.length, response.status]).toEqual([body.slice(0, 60), body.length, expected]);
    // The mistake is described in a few words, not once for each item.
    expect(response.body.length).toBeLessThan(100_000);
    expect((await fetch(`${listener.url}/health`)).status).toBe(200);
  }
});

test('105: wrong types in any field are a 400 that names the field, or are taken for what they are', async () => {
  const { post, recorded } = await start();
  const fields = Object.keys(chatCompletionRequestSchema.shape).filter((field) => field !== 'stream');
  const odd = [
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e308,
    '',
    'x',
    'NaN',
    'function(){}',
    '{{7*7}}',
    [],
    [null],
    [[]],
    {},
    { a: null },
    [0],
    ['x'],
  ];
  const overrides = { model: 'test/model', messages: messages() };
  for (const field of fields) {
    for (const value of odd) {
      const { status, body } = await post(JSON.stringify({ ...overrides, [field]: value }));
      expect([200, 400, 404], `${field}: ${JSON.stringify(value)}`).toContain(status);
      const { error } = JSON.parse(body) as { error?: { message: string } };
      // A plain "x" is no model, and a preference for "x" leaves no provider.
      if (status === 400)
        expect(error?.message, `${field}: ${JSON.stringify(value)}`).toContain(field === 'models' ? 'model' : field);
      const isValid = z
        .object({ [field]: chatCompletionRequestSchema.shape[field as 'model'] })
        .safeParse({ [field]: value }).success;
      if (!isValid) expect(status).toBe(400);
    }
  }
  expect(recorded.length).toBeGreaterThan(0);
}, 30_000);

test('105: a request of any shape gets 200, 400 or 404', async () => {
  const { post, logged } = await start();
  const anything = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom('__proto__', 'test/model', -1, 1e308, [], {}, null),
  );
  const known = Object.fromEntries(Object.keys(chatCompletionRequestSchema.shape).map((field) => [field, anything]));
  const message = fc.record(
    {
      role: fc.constantFrom('user', 'assistant', 'system', 'tool', 'x'),
      content: anything,
      tool_calls: anything,
      tool_call_id: anything,
    },
    { requiredKeys: ['role'] },
  );
  const request = fc.record(
    {
      ...known,
      messages: fc.array(message, { maxLength: 3 }),
      model: fc.constantFrom('test/model', 'x'),
      stream: fc.constant(false),
    },
    { requiredKeys: ['messages', 'model'] },
  );
  await fc.assert(
    fc.asyncProperty(request, async (value) => {
      const { status } = await post(JSON.stringify(value));
      expect([200, 400, 404]).toContain(status);
    }),
    { numRuns: isFull ? 5000 : 300 },
  );
  expect(logged.filter(({ message: line }) => line === 'a request failed')).toEqual([]);
}, 120_000);

/** In the spirit of the big list of naughty strings. */
const NAUGHTY: readonly string[] = [
  'undefined',
  'null',
  'NaN',
  'true',
  '0',
  '1e5',
  '-1/2',
  '0x0',
  '\\',
  '\\\\',
  '/',
  '//',
  '..',
  '../../etc/passwd',
  'C:\\',
  'CON',
  'aux.',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' OR 1=1--",
  "Robert'); DROP TABLE users;--",
  '${7*7}',
  '{{7*7}}',
  '<%= 7*7 %>',
  '%s%n%x',
  '%00',
  '%0d%0aSet-Cookie: a=b',
  '\r\nX-Injected: 1',
  'data: [DONE]',
  '\n\ndata: [DONE]\n\n',
  ': comment',
  '[DONE]',
  'event: error',
  '\u2028',
  '\u2029',
  '\0',
  '\x07\x1B[31m',
  '',
  '',
  '\xA0',
  '﻿',
  '￾',
  '￿',
  'Ω≈ç√∫˜µ≤≥÷',
  '田中さんにあげて下さい',
  '👩‍👩‍👧‍👦🏳️‍🌈',
  'ﷺ',
  'مُنَاقَشَةُ',
  '‮evil',
  '​‍⁠',
  'Z̮̞̠͙͔ͅḀ̗̞͈̻̗Ḷ͙͎̯̹̞͓G̻O̭̗̮',
  'ⅰⅱⅲ',
  'İ',
  'ß',
  'ﬀ',
  '􏿿',
  ' leading',
  'trailing ',
  '	',
  ' ',
];

test('107: every text comes back byte for byte, from upstream and from the store, in every field that holds one', async () => {
  const upstream = await startRawUpstream((request) => {
    const sent = JSON.parse(request.body) as { messages: { content: string }[] };
    respondWell(request, sent.messages[0]?.content ?? '');
  });
  const gateway = await startFaultGateway([upstream]);
  const { apiUrl } = gateway;
  for (const [number, text] of NAUGHTY.entries()) {
    const request = {
      messages: [
        { role: 'system', content: text, name: text },
        { role: 'user', content: [{ type: 'text', text }] },
        {
          role: 'assistant',
          content: text,
          tool_calls: [{ id: text, type: 'function', function: { name: text, arguments: text } }],
        },
        { role: 'tool', tool_call_id: text, content: text },
      ],
      stop: [text],
      user: text,
      metadata: { [text.slice(0, 64)]: text },
      prompt_cache_key: text,
      session_id: text,
    };
    const response = await gateway.ask(request);
    const completion = (await response.json()) as { id: string; choices: [{ message: { content: string | null } }] };
    expect([text, response.status]).toEqual([text, 200]);
    expect(completion.choices[0].message.content ?? '').toBe(text);
    const { stop, messages: sent } = JSON.parse(upstream.requests[number]?.body ?? '') as typeof request;
    expect([stop, sent]).toEqual([request.stop, request.messages]);

    const { record, content } = await gateway.record(number);
    expect(content?.output.completion ?? '').toBe(text);
    expect(content?.input).toEqual({ messages: request.messages });
    expect(record.generation).toMatchObject({ external_user: text, session_id: text });
    const stored = await fetch(`${apiUrl}/generation/content?id=${completion.id}`, {
      headers: { authorization: 'Bearer sk-gw-v1-test' },
    });
    const { data } = (await stored.json()) as { data: { output: { completion: string | null } } };
    expect(data.output.completion ?? '').toBe(text);
  }
});

test('107: texts that look like the end of a stream do not end one', async () => {
  const text = '\n\ndata: [DONE]\n\ndata: {"error":{"code":500}}\n\n';
  const upstream = await startRawUpstream((request) => respondWell(request, text));
  const { stream } = await startFaultGateway([upstream]);
  const received = await stream();
  expect(received.match(/^data: \[DONE\]$/gm)).toHaveLength(1);
  expect(received).toContain(JSON.stringify(text));
});

test('99: the depth is measured before the body is parsed, however the bytes arrive', async () => {
  const { port } = await start();
  const client = await connectRaw(port);
  onTestFinished(() => void client.socket.destroy());
  const body = '['.repeat(100_000);
  client.write(
    toRequestBytes(port, { headers: { 'content-type': 'application/json', 'content-length': String(body.length) } }),
  );
  for (let at = 0; at < body.length; at += 10_000) client.write(body.slice(at, at + 10_000));
  expect((await client.readReply()).status).toBe(400);
});
