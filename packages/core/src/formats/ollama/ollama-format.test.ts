import { expect, test } from 'vitest';

import { ollamaChatFormat, ollamaGenerateFormat } from './ollama-format.ts';

const MODEL = { model: 'test/model' };
const chat = (body: object) => ollamaChatFormat.parse({ ...MODEL, ...body }, {}).request;
const generate = (body: object) => ollamaGenerateFormat.parse({ ...MODEL, ...body }, {}).request;
const user = (content: string, more: object = {}) => ({ messages: [{ role: 'user', content, ...more }] });

test.each([
  ['/9j/4AAQ', 'data:image/jpeg;base64,/9j/4AAQ'],
  ['iVBORw0K', 'data:image/png;base64,iVBORw0K'],
  ['R0lGODlh', 'data:image/gif;base64,R0lGODlh'],
  ['UklGRiQA', 'data:image/webp;base64,UklGRiQA'],
  ['AAAAAAAA', 'data:image/png;base64,AAAAAAAA'],
  ['data:image/webp;base64,AA', 'data:image/webp;base64,AA'],
])('the bytes of an image, %s, say what it is', (data, url) => {
  const image = { type: 'image_url', image_url: { url } };
  const text = { type: 'text', text: 'Look' };
  expect(chat(user('Look', { images: [data] })).messages).toEqual([{ role: 'user', content: [text, image] }]);
  expect(generate({ prompt: '', images: [data] }).messages).toEqual([{ role: 'user', content: [image] }]);
});

test.each([
  [{ think: true }, { reasoning: { enabled: true } }],
  [{ think: false }, { reasoning: { enabled: false } }],
  [{ think: 'low' }, { reasoning: { effort: 'low' } }],
  [{ format: 'json' }, { response_format: { type: 'json_object' } }],
  [
    { format: { type: 'object' } },
    { response_format: { type: 'json_schema', json_schema: { name: 'output', schema: { type: 'object' } } } },
  ],
  [{ options: { repeat_penalty: 1.1, min_p: 0.1, top_k: 40 } }, { repetition_penalty: 1.1, min_p: 0.1, top_k: 40 }],
  [{ options: { temperature: 1 }, temperature: 0 }, { temperature: 0 }],
  [{ stream: false }, { stream: false }],
  [{ think: null, format: '', options: null, tools: [], tool_choice: 'auto', keep_alive: -1 }, {}],
])('%j is read as %j, in both forms', (given, read) => {
  const { messages: _messages, model: _model, ...fields } = chat({ ...user('Hi'), ...given });
  expect(fields).toEqual({ stream: true, ...read });
  expect(generate({ prompt: 'Hi', ...given })).toEqual(chat({ ...user('Hi'), ...given }));
});

test.each([
  [{ raw: true, system: 'Be brief.' }, 'system: must be empty with raw: true'],
  [{ template: '{{ .Prompt }}' }, 'template: is not supported'],
  [{ suffix: 'end' }, 'suffix: is not supported'],
  [{ options: { stop: 7 } }, 'options.stop: must be a string or a list of strings'],
  [{ format: 'xml' }, 'format: must be "json" or a JSON schema'],
  [{ think: 'hard' }, 'think: must be true, false, or an effort'],
])('a prompt with %j is refused by name', (given, message) => {
  expect(() => generate({ prompt: 'Hi', ...given })).toThrow(message);
});

test('a prompt is sent as it is, with what has no effect left out', () => {
  const body = { prompt: '[INST] Hi [/INST]', raw: true, context: [1, 2], suffix: '', template: '', stream: false };
  expect(generate(body)).toEqual({ ...MODEL, messages: [{ role: 'user', content: body.prompt }], stream: false });
});

test('a call of a tool may bring its arguments as text and no id, and a tool no type', () => {
  const calls = [{ id: 'call_1', function: { name: 'f', arguments: '{"a":1}' } }, { function: { name: 'g' } }];
  const messages = [...user('Hi').messages, { role: 'assistant', tool_calls: calls, thinking: 'Hm.' }];
  const { messages: read, tools } = chat({ messages, tools: [{ function: { name: 'f' } }] });
  expect(read[1]).toEqual({
    role: 'assistant',
    content: '',
    reasoning: 'Hm.',
    tool_calls: [
      { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
      { id: 'call_2', type: 'function', function: { name: 'g', arguments: '{}' } },
    ],
  });
  expect(tools).toEqual([{ type: 'function', function: { name: 'f' } }]);
});
