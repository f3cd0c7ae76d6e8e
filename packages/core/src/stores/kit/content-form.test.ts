import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { StoredContent } from '../generations.ts';
import {
  fromPacked,
  fromStoredForm,
  isLongContent,
  referencesIn,
  toPackedJson,
  toStoredForm,
  withReferences,
} from './content-form.ts';

/** Blocks in memory, by the number of their writing. */
function createBlocks() {
  const byText = new Map<string, string>();
  const texts: string[] = [];
  return {
    texts,
    put(json: string): string {
      const known = byText.get(json);
      if (known !== undefined) return known;
      texts.push(json);
      byText.set(json, String(texts.length - 1));
      return String(texts.length - 1);
    },
    read: (reference: string): string => texts[Number(reference)] ?? 'no such block',
  };
}

const write = (content: StoredContent): string => JSON.stringify(toStoredForm(content));
const read = (json: string): StoredContent => fromStoredForm(JSON.parse(json));

const MESSAGES = [
  { role: 'system', content: 'Be short.' },
  { role: 'user', content: [{ type: 'text', text: 'What is in it?' }] },
];
const toContent = (request: StoredContent['request'], messages: unknown[] = MESSAGES): StoredContent => ({
  input: { messages },
  output: { completion: 'No.', reasoning: null },
  error: null,
  request,
});
const clone = <Value>(value: Value): Value => structuredClone(value);

test('a request that repeats the messages of its content is written without them, and read as it was', () => {
  const content = toContent({
    format: 'chat',
    body: { model: 'acme/chat', messages: clone(MESSAGES), tools: [{ type: 'x' }], temperature: 0 },
    headers: {},
    attempts: [
      { endpoint: 'a:1', wire: 'openai', body: { model: '1', messages: clone(MESSAGES), tools: [{ type: 'x' }] } },
      { endpoint: 'b:2', wire: 'anthropic', body: { model: '2', system: ['Be short.'], tools: [{ name: 'x' }] } },
      { endpoint: 'b:2', wire: 'anthropic', body: { model: '2', system: ['Be short.'], tools: [{ name: 'x' }] } },
    ],
  });
  const json = write(content);
  expect(json.match(/What is in it/g)).toHaveLength(1);
  expect(json.match(/"name":"x"/g)).toHaveLength(1);
  expect(JSON.stringify(read(json))).toBe(JSON.stringify(content));
});

test('what a preset has added is written once, and each attempt reads it as it was', () => {
  const whole = { model: 'acme/chat', messages: clone(MESSAGES), tools: [{ type: 'of the preset' }] };
  const content = toContent({
    format: 'chat',
    body: { model: '@preset/help', messages: MESSAGES.slice(1) },
    expanded: whole,
    headers: {},
    attempts: [{ endpoint: 'a:1', wire: 'openai', body: { ...clone(whole), model: '1' } }],
  });
  const json = write(content);
  expect(json.match(/of the preset/g)).toHaveLength(1);
  expect(JSON.stringify(read(json))).toBe(JSON.stringify(content));
});

test('members in another order are not taken for the same: bodies are sent in an order', () => {
  const turned = MESSAGES.map(({ role, content }) => ({ content, role }));
  const content = toContent({ format: 'chat', body: { messages: turned }, headers: {}, attempts: [] });
  expect(JSON.stringify(read(write(content)))).toBe(JSON.stringify(content));
});

test.each([{ $same: 'input.messages' }, { $json: '{}' }, { $same: 1, $json: 2 }])(
  'a value that looks like a reference is read as it was: %j',
  (value) => {
    const content = toContent({ format: 'chat', body: { metadata: value }, headers: {}, attempts: [] });
    expect(read(write(content))).toEqual(content);
  },
);

test('a body that is no object is read as it was', () => {
  const content = toContent({ format: 'embeddings', body: ['one', null], headers: {}, attempts: [] });
  expect(read(write(content))).toEqual(content);
});

test('a value of any shape is packed, and read to the same bytes', () => {
  const words = fc.oneof(
    fc.string({ maxLength: 400, size: 'max' }),
    fc.constantFrom('$block', '$items', '$json', '$same', '{"$block":"0"}', 'x'.repeat(300)),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(words, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
      fc.array(tie('tree'), { maxLength: 40, size: 'max' }),
      fc.dictionary(fc.oneof(words, fc.constantFrom('a', 'b')), tie('tree'), { maxKeys: 6, noNullPrototype: true }),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      const plain = JSON.stringify(value);
      const blocks = createBlocks();
      const packed = toPackedJson(JSON.parse(plain), blocks.put);
      expect(JSON.stringify(fromPacked(JSON.parse(packed), blocks.read))).toBe(plain);
    }),
    { numRuns: 300 },
  );
});

test('forty turns of a conversation take little more than what was new in them', () => {
  const blocks = createBlocks();
  const messages: unknown[] = [{ role: 'system', content: 'You write code. '.repeat(200) }];
  let packed = 0;
  let whole = 0;
  let fresh = 0;
  for (let turn = 0; turn < 40; turn += 1) {
    const added = [
      { role: 'user', content: `Turn ${turn}: ${'what about this? '.repeat(60)}${turn}` },
      { role: 'assistant', content: `Turn ${turn}: ${'consider the other. '.repeat(60)}${turn}` },
    ];
    messages.push(...added);
    fresh += JSON.stringify(added).length;
    const request = { format: 'chat', body: { model: 'm', messages: clone(messages) }, headers: {}, attempts: [] };
    const content = toContent(request, clone(messages));
    expect(isLongContent(content)).toBe(true);
    whole += JSON.stringify(content).length / 2;
    packed += toPackedJson(toStoredForm(content), blocks.put).length;
  }
  const stored = packed + blocks.texts.join('').length;
  expect(stored).toBeLessThan(fresh * 1.5);
  expect(stored).toBeLessThan(whole * 0.15);
});

test('a short content is not looked through for blocks', () => {
  expect(isLongContent(toContent(undefined))).toBe(false);
  expect(isLongContent(toContent(undefined, [{ role: 'user', content: 'x'.repeat(5000) }]))).toBe(true);
});

test('references are found and replaced, and not what looks like them within a text', () => {
  const json = toPackedJson({ a: 'x'.repeat(300), b: '{"$block":"7"}' }, () => '12');
  expect(referencesIn(json)).toEqual(['12']);
  expect(JSON.parse(withReferences(json, (reference) => `${reference}+`))).toEqual({
    a: { $block: '12+' },
    b: '{"$block":"7"}',
  });
});
