import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createOpenAiCompletionReader, createTextEventTemplate } from './openai-completion-reader.ts';

const eventOf = (content: string, extra: object = {}): string =>
  JSON.stringify({
    id: 'x',
    choices: [{ index: 0, delta: { content }, logprobs: null, finish_reason: null }],
    usage: null,
    ...extra,
  });

/** A template that was made from an event with this text. */
function learntFrom(data: string, text: string): ReturnType<typeof createTextEventTemplate> {
  const template = createTextEventTemplate();
  template.learn(data, text);
  return template;
}

test('matches nothing without a template', () => {
  expect(createTextEventTemplate().match(eventOf('a'))).toBeUndefined();
});

test.each(['b', 'é👩‍👩‍👧', ' ', '{[', 'content', 'x'.repeat(512)])(
  'reads the text %j out of an event like its template',
  (text) => {
    expect(learntFrom(eventOf('a'), 'a').match(eventOf(text))).toBe(text);
  },
);

test.each([
  ['a quote in the text', eventOf('say "hi"')],
  ['a backslash in the text', eventOf('a\\b')],
  ['a line end in the text', eventOf('a\nb')],
  ['a text of 513 characters', eventOf('x'.repeat(513))],
  ['another id', eventOf('a').replace('"x"', '"y"')],
  ['a finish reason', eventOf('a').replace('"finish_reason":null', '"finish_reason":"stop"')],
  ['usage', eventOf('a', { usage: { prompt_tokens: 1 } })],
  ['an error', '{"error":{"message":"no"}}'],
  ['something cut short', eventOf('a').slice(0, -1)],
  ['its beginning and its end overlapping', eventOf('').replace('""', '"')],
  ['nothing', ''],
])('leaves an event with %s to be parsed', (_name, data) => {
  expect(learntFrom(eventOf('a'), 'a').match(data)).toBeUndefined();
});

test('accepts a template with a space after the colon, too', () => {
  const data = '{"choices": [{"index": 0, "delta": {"content": "a"}}]}';
  expect(learntFrom(data, 'a').match(data.replace('"a"', '"b"'))).toBe('b');
});

test('does not take the same words in another place for the text', () => {
  const data = '{"note":{"content":"a"},"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}';
  const template = learntFrom(data, 'a');
  expect(template.match(data.replace('"note":{"content":"a"}', '"note":{"content":"b"}'))).toBeUndefined();
});

test('gives up on an upstream that changes something with every event', () => {
  const template = createTextEventTemplate();
  for (let i = 0; i < 10; i += 1) template.learn(eventOf('a', { obfuscation: String(i) }), 'a');
  expect(template.match(eventOf('b', { obfuscation: '9' }))).toBeUndefined();
});

test('makes no difference to what a reader reads, whatever comes in whatever order', () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom('', 'a', '"', '\\', '"content":"a"', 'é', '\ud800', '\u2028', 'null'),
  );
  const shapes: ((content: string) => object)[] = [
    (content) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
    (content) => ({ choices: [{ index: 0, delta: { content, role: 'assistant' }, finish_reason: null }], usage: null }),
    (content) => ({ note: { content: 'a' }, choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
    (content) => ({ choices: [{ index: 0, delta: { content: 'a', refusal: content }, finish_reason: null }] }),
    (content) => ({ choices: [{ index: 1, delta: { content }, finish_reason: null }] }),
    (content) => ({ choices: [{ index: 0, delta: { content: [{ type: 'text', text: content, content: 'a' }] } }] }),
    (content) => ({ choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] }),
    (content) => ({ choices: [{ index: 0, delta: { content, reasoning: 'a' } }] }),
    (content) => ({ choices: [{ index: 0, delta: { content }, logprobs: { content: 'a' } }] }),
    (content) => ({ choices: [{ index: 0, delta: {}, message: { content } }] }),
    (content) => ({
      choices: [
        { index: 0, delta: { content } },
        { index: 1, delta: { content: 'a' } },
      ],
    }),
    () => ({ choices: [] }),
  ];
  const spaced = (value: object): string => JSON.stringify(value, null, 1).replaceAll('\n', '');
  const event = fc
    .tuple(text, fc.constantFrom(...shapes), fc.constantFrom<(value: object) => string>(JSON.stringify, spaced))
    .map(([content, shape, write]) => write(shape(content)));
  const newReader = (): ReturnType<typeof createOpenAiCompletionReader> =>
    createOpenAiCompletionReader({ providerName: 'Acme', secrets: [], makeId: String });
  fc.assert(
    fc.property(fc.array(event, { minLength: 2, maxLength: 8 }), (events) => {
      const reader = newReader();
      // A reader of a single event has no template yet.
      expect(events.map((data) => reader.readEvent(data))).toEqual(events.map((data) => newReader().readEvent(data)));
    }),
    { numRuns: 2000 },
  );
});
