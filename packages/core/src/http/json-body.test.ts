import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';

import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import { GatewayError } from '../foundation/errors.ts';
import { parseWith } from '../foundation/parse.ts';
import { readJsonBody } from './json-body.ts';
import type { GatewayRequest } from './request.ts';

function requestOf(body: string | Uint8Array, headers: GatewayRequest['headers'] = {}): GatewayRequest {
  return {
    method: 'POST',
    path: '/',
    query: '',
    headers,
    baseUrl: '',
    signal: new AbortController().signal,
    ...bodyOf(body),
  };
}

const read = async (body: string | Uint8Array, headers?: GatewayRequest['headers']): Promise<unknown> =>
  readJsonBody(requestOf(body, headers));
const refusal = (code: string, message: string): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(message) as string });

test.each(['{"a":[1,"é\\ud800",null,true,-0.5e3]}', '[]', '"text"', '5', 'null', ' {"a":1}\r\n', '\uFEFF{"a":1}'])(
  'reads %s',
  async (text) => {
    expect(await read(text)).toEqual(JSON.parse(text.replace('\uFEFF', '')));
  },
);

test('uses the last of two equal keys, so that the checked value is also the forwarded one', async () => {
  expect(await read('{"model":"a","model":"b","x":{"y":1,"y":2}}')).toEqual({ model: 'b', x: { y: 2 } });
});

test.each([
  ['nothing', '', 'The body is empty'],
  ['white space', '  ', 'not valid JSON: it ends too early'],
  ['a cut document', '{"a":[1,', 'not valid JSON: it ends too early'],
  ['a trailing comma', '{"a":1,}', 'not valid JSON at position 7'],
  ['two documents', '{}{}', 'not valid JSON at position 2'],
  ['single quotes', "{'a':1}", 'not valid JSON at position 1'],
  ['NaN', '{"a":NaN}', "not valid JSON: 'N' is not expected there"],
  ['a comment', '{/* hi */}', 'not valid JSON at position 1'],
])('answers 400 to %s', async (_name, text, message) => {
  await expect(read(text)).rejects.toEqual(refusal('invalid_request', message));
});

test.each(['x position 5', '{"a": x JSON at position 5', 'x "in JSON at position 5 (line 1 column 6)'])(
  'names no place that stands in the body itself (%s)',
  async (text) => {
    await expect(read(text)).rejects.toEqual(refusal('invalid_request', "not valid JSON: 'x' is not expected there"));
  },
);

test('repeats nothing of a broken body in its response', async () => {
  const error: unknown = await read('{"key": sk-secret-value}').catch((thrown: unknown) => thrown);
  expect((error as GatewayError).message).not.toContain('secret');
});

test.each([
  ['a lone continuation byte', Uint8Array.of(0x22, 0x80, 0x22)],
  ['an overlong slash', Uint8Array.of(0x22, 0xc0, 0xaf, 0x22)],
  ['a surrogate as bytes', Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22)],
  ['a character cut in half', Uint8Array.of(0x22, 0xe2, 0x82)],
  ['UTF-16', Uint8Array.of(0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00)],
])('answers 400 to %s', async (_name, bytes) => {
  await expect(read(bytes)).rejects.toEqual(refusal('invalid_request', 'not valid UTF-8'));
});

test('drops keys called __proto__ at every depth, and no others', async () => {
  const text =
    '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}},"a":[{"__proto__":5,"b":1}]}';
  const value = (await read(text)) as Record<string, unknown>;
  expect(Object.keys(value)).toEqual(['constructor', 'a']);
  expect(value['a']).toEqual([{ b: 1 }]);
  expect(Object.hasOwn((value['a'] as object[])[0] ?? {}, '__proto__')).toBe(false);
  expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
  expect((value as { isAdmin?: unknown }).isAdmin).toBeUndefined();
});

const nested = (depth: number, open = '[', close = ']', core = ''): string =>
  open.repeat(depth) + core + close.repeat(depth);

test.each([
  ['lists', (depth: number) => nested(depth)],
  ['objects', (depth: number) => nested(depth, '{"a":', '}', '1')],
  [
    'both',
    (depth: number) =>
      depth % 2 === 1 ? `[${nested((depth - 1) / 2, '{"a":[', ']}')}]` : nested(depth / 2, '{"a":[', ']}'),
  ],
])('takes %s that nest 64 deep and refuses 65, small or large', async (_name, build) => {
  const padding = ' '.repeat(20_000);
  for (const pad of ['', padding]) {
    await expect(read(build(64) + pad)).resolves.toBeDefined();
    await expect(read(build(65) + pad)).rejects.toEqual(refusal('invalid_request', 'nested more than 64 levels deep'));
  }
});

test('refuses a million brackets without parsing them', async () => {
  const reason = 'nested more than 64 levels deep, at position';
  await expect(read('['.repeat(1_000_000))).rejects.toEqual(refusal('invalid_request', `${reason} 64`));
  await expect(read('{"a":'.repeat(1_000_000))).rejects.toEqual(refusal('invalid_request', `${reason} 320`));
});

test('accepts a list or object of 10,000 items and refuses one more, in bodies read here and bodies parsed by the host', async () => {
  const list = (items: number): string => JSON.stringify({ a: [], b: Array.from({ length: items }, () => 100) });
  const object = (items: number): string =>
    JSON.stringify(Object.fromEntries(Array.from({ length: items }, (_, i) => [`k${i}`, i])));
  for (const build of [list, object]) {
    for (const items of [10_000, 10_001]) {
      const value: unknown = JSON.parse(build(items));
      const found = items === 10_000 ? value : refusal('invalid_request', 'a list or object of more than 10000 items');
      const byHost = async (): Promise<unknown> => readJsonBody({ ...requestOf(''), json: value });
      for (const reading of [read(build(items)), byHost()])
        expect(await reading.catch((error: unknown) => error)).toEqual(found);
    }
  }
});

test.each([
  ['values', 90, 110, 'true', '100000 values'],
  ['texts', 90, 110, '"a"', '100000 values'],
  ['numbers', 950, 1050, '1', '1000000 numbers'],
  ['negative numbers after a space', 950, 1050, ' -1', '1000000 numbers'],
])('accepts thousands of %s in lists of their own, %i but not %i', async (_name, few, many, value, limit) => {
  const lists = (count: number): string => {
    const list = `[${Array.from({ length: 1000 }, () => value).join(',')}]`;
    return `[${Array.from({ length: count }, () => list).join(',')}]`;
  };
  expect(await read(lists(few))).toHaveLength(few);
  await expect(read(lists(many))).rejects.toEqual(refusal('invalid_request', `more than ${limit}, at position `));
});

test('counts members of objects as values, although they are numbers', async () => {
  const objects = (count: number): string =>
    JSON.stringify(
      Array.from({ length: count }, () => Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, i]))),
    );
  expect(await read(objects(90))).toHaveLength(90);
  await expect(read(objects(110))).rejects.toEqual(refusal('invalid_request', 'more than 100000 values'));
});

test('counts commas and brackets within texts as text', async () => {
  const text = JSON.stringify({
    a: '['.repeat(20_000),
    c: ','.repeat(200_000),
    b: `\\"${'{'.repeat(100)}`,
    '[[[[': '\\',
  });
  expect(await read(text)).toEqual(JSON.parse(text));
});

test.each(['', '\\', '"', '\\"', '"\\', '\\\\', 'x\\\\"'])(
  'finds the end of a text of any length that ends with %j',
  async (end) => {
    for (let length = 0; length < 200; length += 1) {
      const head = `{"${end === '' ? 'a' : JSON.stringify(end).slice(1, -1)}":${JSON.stringify(`[[${'x'.repeat(length)}${end}`)},"b":`;
      const body = `${head}${nested(64)}}${' '.repeat(20_000)}`;
      await expect(read(body)).rejects.toEqual(refusal('invalid_request', `deep, at position ${head.length + 63}`));
    }
  },
);

test('limits the depth of large and small bodies equally', async () => {
  const tree = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 90, withCrossShrink: true },
      fc.constantFrom(1, 'x', '[', '"', '\\', null),
      fc.array(tie('value'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('a', '{', '\\"'), tie('value'), { maxKeys: 2 }),
    ),
  })).value;
  const chain = fc.tuple(fc.integer({ min: 0, max: 70 }), tree, fc.boolean()).map(([depth, core, isList]) => {
    let value = core;
    for (let i = 0; i < depth; i += 1) value = isList ? [value] : { a: value };
    return value;
  });
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
  await fc.assert(
    fc.asyncProperty(chain, fc.boolean(), async (value, isLarge) => {
      const outcome = await read(JSON.stringify(value) + ' '.repeat(isLarge ? 17_000 : 0)).then(
        (found) => found,
        (error: unknown) => error,
      );
      expect(outcome).toEqual(depthOf(value) > 64 ? refusal('invalid_request', 'nested more than') : value);
    }),
    { numRuns: 200 },
  );
});

test('accepts a body that the host has parsed, under the same rules, without reading it again', async () => {
  const parsedBy = async (json: unknown): Promise<unknown> =>
    readJsonBody({
      ...requestOf(''),
      headers: { 'content-type': 'text/odd' },
      json,
      readBody: () => Promise.reject(new Error('read')),
    });
  expect(await parsedBy({ a: 1 })).toEqual({ a: 1 });
  expect(Object.keys((await parsedBy(JSON.parse('{"__proto__":1,"b":2}'))) as object)).toEqual(['b']);
  expect(await parsedBy(null)).toBeNull();
  await expect(parsedBy(JSON.parse(nested(65)))).rejects.toEqual(refusal('invalid_request', 'nested more than'));
});

test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON', 'application/vnd.api+json'])(
  'accepts the content type %s',
  async (type) => {
    expect(await read('{}', { 'content-type': type })).toEqual({});
  },
);

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'application/jsonp',
  'text/json',
  '',
])('answers 415 to the content type "%s"', async (type) => {
  await expect(read('{}', { 'content-type': type })).rejects.toEqual(
    refusal('unsupported_media_type', `Content-Type "${type}"`),
  );
});

test('responds with 415 to a compressed body', async () => {
  await expect(read('{}', { 'content-encoding': 'gzip' })).rejects.toEqual(
    refusal('unsupported_media_type', 'Content-Encoding "gzip"'),
  );
  expect(await read('{}', { 'content-encoding': 'identity' })).toEqual({});
});

test('passes on the host’s refusal of a body', async () => {
  const tooLarge = new GatewayError('payload_too_large', 'too large');
  await expect(readJsonBody({ ...requestOf(''), readBody: () => Promise.reject(tooLarge) })).rejects.toBe(tooLarge);
});

test('lists every issue with its path, and names the first three in the message', () => {
  const schema = z.strictObject({ a: z.number(), b: z.object({ c: z.string() }), d: z.number(), e: z.number() });
  const check = (value: unknown): unknown => {
    try {
      return parseWith(schema, value);
    } catch (error) {
      return error;
    }
  };
  expect(check({ a: 1, b: { c: 'x' }, d: 1, e: 1 })).toEqual({ a: 1, b: { c: 'x' }, d: 1, e: 1 });
  const error = check({ b: {}, d: 1, f: 1, g: 2 }) as GatewayError;
  expect(error).toMatchObject({ code: 'invalid_request' });
  expect(error.metadata).toEqual({
    issues: [
      { path: 'a', message: 'Invalid input: expected number, received undefined' },
      { path: 'b.c', message: 'Invalid input: expected string, received undefined' },
      { path: 'e', message: 'Invalid input: expected number, received undefined' },
      { path: 'f', message: 'is not a known field' },
      { path: 'g', message: 'is not a known field' },
    ],
  });
  expect(error.message).toMatch(/^a: .*; b\.c: .*; e: .* \(and 2 more\)$/);
  expect((check(5) as GatewayError).message).toBe('body: Invalid input: expected object, received number');
});
