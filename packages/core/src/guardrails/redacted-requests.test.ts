import { expect, test } from 'vitest';

import { createCoreGateway, jsonOf } from '../../../../test/support/gateways/core-gateway.ts';
import { guardKey } from '../../../../test/support/gateways/guard-key.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';

const COMPLETION = JSON.stringify({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] });

/** Sends a request under filters that redact; returns what upstream was sent, and what the caller is told. */
async function askRedacted(
  body: object,
  filters: object = { content_filters: [{ pattern: 'badger', action: 'redact' }] },
) {
  const upstream = createReplayTransport({ headers: { 'content-type': 'application/json' }, pieces: [COMPLETION] });
  const core = createCoreGateway(upstream);
  const { headers } = await guardKey(core, filters);
  const response = await core.chat(body as Record<string, unknown>, { headers });
  return { status: response.status, said: jsonOf(response), sent: upstream.exchanges[0]?.sent };
}

const withParameters = (parameters: object) => ({ tools: [{ type: 'function', function: { name: 'f', parameters } }] });
const MAIL = { content_filter_builtins: [{ slug: 'email', action: 'redact' }] };
const CARD = { content_filter_builtins: [{ slug: 'credit-card', action: 'redact' }] };

async function redactSchema(parameters: object, filters?: object): Promise<unknown> {
  const { sent } = await askRedacted(withParameters(parameters), filters);
  const tools = (sent?.['tools'] ?? []) as { function: { parameters: unknown } }[];
  return tools[0]?.function.parameters;
}

test('a redacted name of a property is the same wherever the schema has it, and two stay two', async () => {
  const text = { type: 'string' };
  expect(
    await redactSchema(
      {
        type: 'object',
        properties: { 'jo@example.com': text, 'ann@example.com': text, EMAIL: text },
        required: ['ann@example.com', 'EMAIL'],
        dependentRequired: { 'jo@example.com': ['ann@example.com'] },
        propertyOrdering: ['jo@example.com', 'ann@example.com', 'EMAIL'],
      },
      MAIL,
    ),
  ).toEqual({
    type: 'object',
    properties: { EMAIL_2: text, EMAIL_3: text, EMAIL: text },
    required: ['EMAIL_3', 'EMAIL'],
    dependentRequired: { EMAIL_2: ['EMAIL_3'] },
    propertyOrdering: ['EMAIL_2', 'EMAIL_3', 'EMAIL'],
  });
});

test('a reference leads to what it led to before, however it is written', async () => {
  expect(
    await redactSchema({
      properties: {
        a: { $ref: '#/$defs/badger' },
        b: { $ref: '#/$defs/b%61dger/properties/x' },
        c: { $ref: '#den' },
        d: { $ref: '#badgers' },
      },
      $defs: { badger: { properties: { x: { $anchor: 'badgers' } } }, other: { $anchor: 'den' } },
    }),
  ).toEqual({
    properties: {
      a: { $ref: '#/$defs/REDACTED' },
      b: { $ref: '#/$defs/REDACTED/properties/x' },
      c: { $ref: '#den' },
      d: { $ref: '#REDACTEDs' },
    },
    $defs: { REDACTED: { properties: { x: { $anchor: 'REDACTEDs' } } }, other: { $anchor: 'den' } },
  });
});

test('values that have become equal are listed once', async () => {
  expect(await redactSchema({ enum: ['jo@example.com', 'ann@example.com', 'none'] }, MAIL)).toEqual({
    enum: ['[EMAIL]', 'none'],
  });
});

const called = (args: string) => ({
  messages: [
    { role: 'user', content: 'x' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: args } }],
    },
    { role: 'tool', tool_call_id: 'c', content: args },
  ],
});

test('a number in arguments and results that is redacted becomes a string, so that they stay JSON', async () => {
  const { sent } = await askRedacted(called('{"card": 4111111111111111, "id": "4111 1111 1111 1111"}'), CARD);
  const redacted = '{"card": "[CREDIT_CARD]", "id": "[CREDIT_CARD]"}';
  expect(sent?.['messages']).toMatchObject([
    {},
    { tool_calls: [{ function: { arguments: redacted } }] },
    { content: redacted },
  ]);
});

test.each<[string, object, string, object?]>([
  ['the name of a tool', { tools: [{ type: 'function', function: { name: 'find_badger' } }] }, 'the name of a tool'],
  [
    'the name of a tool in a choice',
    { tool_choice: { type: 'function', function: { name: 'badger' } } },
    'the name of a tool',
  ],
  ['an id that is no word', { messages: [{ role: 'tool', tool_call_id: 'the badger', content: 'x' }] }, 'an id'],
  [
    'more than a value of arguments',
    { messages: called('{"animal":"badger"}').messages.slice(0, 2) },
    'more than one value in the arguments of a tool',
    { content_filters: [{ pattern: 'animal":"badger', action: 'redact' }] },
  ],
  [
    'a part of a reference that is no name',
    withParameters({ $defs: { a: {} }, items: { $ref: '#/$defs/a' } }),
    'a reference in a schema',
    { content_filters: [{ pattern: 'defs/a', action: 'redact' }] },
  ],
  [
    'a part without which a pattern is none',
    withParameters({ pattern: '\\p{L}' }),
    'a pattern in a schema',
    { content_filters: [{ pattern: 'p\\{L', action: 'redact' }] },
  ],
])('refuses a call with a match in %s, which cannot be redacted', async (_, body, place, filters?: object) => {
  const { status, said, sent } = await askRedacted(body, filters);
  expect(sent).toBeUndefined();
  expect(status).toBe(403);
  const message = `Request blocked by content filter: [BLOCKED]: it matches ${place}, which cannot be redacted`;
  expect(said).toMatchObject({ error: { code: 403, message } });
});

test('a text file is redacted, and other files are left as they are', async () => {
  const toFile = (type: string, text: string) => ({
    type: 'file',
    file: { filename: 'f', file_data: `data:${type};base64,${btoa(text)}` },
  });
  const bodyOf = (text: string) => ({
    messages: [{ role: 'user', content: [toFile('text/csv', text), toFile('application/pdf', text)] }],
  });
  const { sent } = await askRedacted(bodyOf('a badger'));
  expect(sent?.['messages']).toEqual([
    { role: 'user', content: [toFile('text/csv', 'a [REDACTED]'), toFile('application/pdf', 'a badger')] },
  ]);
});

test('a picture between two parts of a text does not hide what they say', async () => {
  const picture = { type: 'image_url', image_url: { url: 'https://pictures.example/a.png' } };
  const parts = [{ type: 'text', text: 'a bad' }, picture, { type: 'text', text: 'ger' }];
  const { sent } = await askRedacted({ messages: [{ role: 'user', content: parts }] });
  expect(sent?.['messages']).toMatchObject([{ content: [{ text: 'a [REDACTED]' }, picture, { text: '' }] }]);
});

test('words of JSON Schema at their place are no texts', async () => {
  const parameters = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { a: { type: ['string', 'null'], format: 'email' } },
    required: ['a'],
    additionalProperties: false,
  };
  const pattern = 'schema|object|properties|string|null|email|required';
  expect(await redactSchema(parameters, { content_filters: [{ pattern, action: 'block' }] })).toEqual(parameters);
});
