import { expect, test } from 'vitest';

import type { ChatMessage } from '../../../wire/chat-request.ts';
import { toAnthropicConversation } from './to-anthropic-conversation.ts';

const text = (value: string): object => ({ type: 'text', text: value });
const PIXEL = 'data:image/png;base64,AAAA';

/** The blocks of one user message with these parts. */
const partsOf = (...parts: object[]): unknown =>
  toAnthropicConversation([{ role: 'user', content: parts } as ChatMessage]).messages[0]?.content;

const refusalOf = (messages: readonly object[]): unknown => {
  try {
    return toAnthropicConversation(messages as ChatMessage[]);
  } catch (error) {
    return error;
  }
};

test('moves system and developer messages to the system prompt, wherever they stand', () => {
  expect(
    toAnthropicConversation([
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Hello' },
      { role: 'developer', content: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }] },
      { role: 'user', content: 'Well?' },
    ]),
  ).toEqual({
    system: [text('Be kind.'), { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    messages: [{ role: 'user', content: [text('Hello'), text('Well?')] }],
  });
});

test('makes one turn of neighbours of one role, and leaves blank messages out', () => {
  expect(
    toAnthropicConversation([
      { role: 'user', content: 'a', name: 'ann' },
      { role: 'user', content: [text('b')] as never },
      { role: 'assistant', content: 'c' },
      { role: 'user', content: ' \n' },
      { role: 'assistant', content: [text(''), text('d')] as never },
      { role: 'assistant', content: null },
      { role: 'user', content: 'e' },
    ]).messages,
  ).toEqual([
    { role: 'user', content: [text('a'), text('b')] },
    { role: 'assistant', content: [text('c'), text('d')] },
    { role: 'user', content: [text('e')] },
  ]);
});

test('turns tool calls into uses, and their results into one user turn that they lead', () => {
  const call = (id: string, name: string, args: string): never =>
    ({ id, type: 'function', function: { name, arguments: args } }) as never;
  expect(
    toAnthropicConversation([
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [call('call_1', 'look', '{"city":"Oslo"}'), call('functions.now:0', 'now', '')],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
      { role: 'user', content: 'Hurry' },
      {
        role: 'tool',
        tool_call_id: 'functions.now:0',
        content: [text('noon'), { type: 'image_url', image_url: { url: PIXEL } }] as never,
      },
      { role: 'tool', tool_call_id: 'call_3', content: '' },
    ]).messages,
  ).toEqual([
    { role: 'user', content: [text('Weather?')] },
    {
      role: 'assistant',
      content: [
        text('I look.'),
        { type: 'tool_use', id: 'call_1', name: 'look', input: { city: 'Oslo' } },
        { type: 'tool_use', id: 'functions_now_0', name: 'now', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call_1', content: 'rain' },
        {
          type: 'tool_result',
          tool_use_id: 'functions_now_0',
          content: [text('noon'), { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }],
        },
        { type: 'tool_result', tool_use_id: 'call_3' },
        text('Hurry'),
      ],
    },
  ]);
});

const result = (content: ChatMessage['content']): unknown =>
  toAnthropicConversation([{ role: 'tool', tool_call_id: 'a', content } as ChatMessage]).messages[0]?.content;

test('puts a mark at the end of the result of a tool on the whole result, whose text keeps its form', () => {
  const cache_control = { type: 'ephemeral' as const };
  const block = { type: 'tool_result', tool_use_id: 'a', content: 'seen', cache_control };
  expect(result([{ type: 'text', text: 'seen', cache_control }])).toEqual([block]);
  expect(
    result([
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two', cache_control },
    ]),
  ).toEqual([{ ...block, content: [text('one'), text('two')] }]);
});

test('puts the results of tools first although something was said before them', () => {
  const call = { id: 'a', type: 'function' as const, function: { name: 'f', arguments: '{}' } };
  const said = [{ type: 'text' as const, text: 'seen' }];
  expect(
    toAnthropicConversation([
      { role: 'assistant', tool_calls: [call] },
      { role: 'user', content: 'Hurry' },
      { role: 'tool', tool_call_id: 'a', content: said },
    ]).messages[1]?.content,
  ).toEqual([{ type: 'tool_result', tool_use_id: 'a', content: 'seen' }, text('Hurry')]);
});

const reasoned = (...details: object[]): unknown =>
  toAnthropicConversation([{ role: 'assistant', content: 'ok', reasoning_details: details } as ChatMessage]).messages[0]
    ?.content;
const ours = { format: 'anthropic-claude-v1' };

test('hands signed and encrypted reasoning back as the blocks it came as, first and in order', () => {
  expect(
    reasoned(
      { type: 'reasoning.text', text: 'hm', signature: 's1', ...ours, index: 0 },
      { type: 'reasoning.encrypted', data: 'AAAA', ...ours, index: 1 },
      { type: 'reasoning.text', text: null, signature: 's2', ...ours, index: 2 },
    ),
  ).toEqual([
    { type: 'thinking', thinking: 'hm', signature: 's1' },
    { type: 'redacted_thinking', data: 'AAAA' },
    { type: 'thinking', thinking: '', signature: 's2' },
    text('ok'),
  ]);
});

test('joins the pieces of a stream that a client hands back as they came', () => {
  expect(
    reasoned(
      { type: 'reasoning.text', text: 'h', ...ours, index: 0 },
      { type: 'reasoning.text', text: 'm', ...ours, index: 0 },
      { type: 'reasoning.text', text: '', signature: 's1', ...ours, index: 0 },
      { type: 'reasoning.text', text: 'so', signature: 's2', ...ours, index: 0 },
    ),
  ).toEqual([
    { type: 'thinking', thinking: 'hm', signature: 's1' },
    { type: 'thinking', thinking: 'so', signature: 's2' },
    text('ok'),
  ]);
});

test.each([
  ['unsigned reasoning', { type: 'reasoning.text', text: 'hm', ...ours }],
  ['reasoning of another wire', { type: 'reasoning.text', text: 'hm', signature: 's', format: 'google-gemini-v1' }],
  ['encrypted reasoning of another wire', { type: 'reasoning.encrypted', data: 'A', format: 'openai-responses-v1' }],
  ['a summary', { type: 'reasoning.summary', summary: 'hm', data: 'A', ...ours }],
])('leaves out %s, which would be refused', (_name, detail) => {
  expect(reasoned(detail)).toEqual([text('ok')]);
});

test('keeps unsigned reasoning apart from the block that follows it', () => {
  expect(
    reasoned(
      { type: 'reasoning.text', text: 'lost', ...ours, index: 0 },
      { type: 'reasoning.text', text: 'kept', signature: 's', ...ours, index: 1 },
    ),
  ).toEqual([{ type: 'thinking', thinking: 'kept', signature: 's' }, text('ok')]);
});

test('sends what an assistant refused to say where it said nothing else', () => {
  expect(
    toAnthropicConversation([{ role: 'assistant', content: null, refusal: 'I cannot.' }] as ChatMessage[]).messages,
  ).toEqual([{ role: 'assistant', content: [text('I cannot.')] }]);
});

test('removes white space at the end of a completion that is to be continued', () => {
  const prefill = (role: 'user' | 'assistant'): unknown =>
    toAnthropicConversation([{ role, content: 'Once upon \n' }]).messages[0]?.content[0];
  expect(prefill('assistant')).toEqual(text('Once upon'));
  expect(prefill('user')).toEqual(text('Once upon \n'));
});

test('sends images and documents by address and by value, with their names and breakpoints', () => {
  expect(
    partsOf(
      { type: 'image_url', image_url: { url: 'https://x.example/a.png', detail: 'high' } },
      { type: 'image_url', image_url: { url: PIXEL }, cache_control: { type: 'ephemeral', ttl: '1h' } },
      { type: 'file', file: { file_data: 'https://x.example/a.pdf', filename: 'a.pdf' } },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBE' }, cache_control: { type: 'ephemeral' } },
      { type: 'file', file: { file_data: 'data:text/markdown;base64,xbxh' } },
      { type: 'file', file: { file_data: PIXEL, filename: 'a.png' } },
    ),
  ).toEqual([
    { type: 'image', source: { type: 'url', url: 'https://x.example/a.png' } },
    {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'AAAA' },
      cache_control: { type: 'ephemeral', ttl: '1h' },
    },
    { type: 'document', source: { type: 'url', url: 'https://x.example/a.pdf' }, title: 'a.pdf' },
    {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
      cache_control: { type: 'ephemeral' },
    },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'ża' } },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
  ]);
});

test("reads the other family's breakpoints, and no lifetime that is null", () => {
  expect(
    partsOf(
      { ...text('a'), prompt_cache_breakpoint: { mode: 'explicit' } },
      { ...text('b'), prompt_cache_breakpoint: { mode: 'other' } },
      { ...text('c'), cache_control: { type: 'ephemeral', ttl: null } },
    ),
  ).toEqual([
    { ...text('a'), cache_control: { type: 'ephemeral' } },
    text('b'),
    { ...text('c'), cache_control: { type: 'ephemeral' } },
  ]);
});

const user = (...content: object[]): object => ({ role: 'user', content: [text('Look'), ...content] });
const asks = (args: string): object => ({
  role: 'assistant',
  tool_calls: [{ id: 'a', function: { name: 'f', arguments: args } }],
});
const file = (value: object): object => user({ type: 'file', file: value });

test.each([
  ['audio', user({ type: 'input_audio', input_audio: { data: '', format: 'mp3' } }), 'messages.0.content.1.type'],
  ['video', user({ type: 'video_url', video_url: { url: 'https://x.example' } }), 'messages.0.content.1.type'],
  ['video of the older name', user({ type: 'input_video', video_url: { url: '' } }), 'messages.0.content.1.type'],
  [
    'a vector image',
    user({ type: 'image_url', image_url: { url: 'data:image/svg+xml;base64,AAAA' } }),
    'image_url.url',
  ],
  ['an image without data', user({ type: 'image_url', image_url: { url: 'data:image/png;base64,' } }), 'image_url.url'],
  ['an image on a disk', user({ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }), 'image_url.url'],
  ['a file by id', file({ file_id: 'file-1' }), 'messages.0.content.1.file.file_id'],
  ['a file without data', file({}), 'messages.0.content.1.file.file_data'],
  ['a file that is no URL', file({ file_data: 'JVBE' }), 'messages.0.content.1.file.file_data'],
  ['a spreadsheet', file({ file_data: 'data:application/vnd.ms-excel;base64,AAAA' }), 'file.file_data'],
  ['a text that is no base64', file({ file_data: 'data:text/plain;base64,%%%' }), 'file.file_data'],
  [
    'an image of the assistant',
    { role: 'assistant', content: [{ type: 'image_url', image_url: { url: PIXEL } }] },
    'messages.0.content',
  ],
  ['arguments that are no JSON', asks('{"a":'), 'messages.0.tool_calls.0.function.arguments'],
  ['arguments that are a list', asks('[]'), 'messages.0.tool_calls.0.function.arguments'],
  ['arguments that are null', asks('null'), 'messages.0.tool_calls.0.function.arguments'],
  ['nothing but a system prompt', { role: 'system', content: 'Be kind.' }, 'messages'],
])('refuses %s and names it', (_name, message, path) => {
  expect(refusalOf([message])).toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining(`${path}: `) as string,
    metadata: { issues: [{ path: expect.stringContaining(path) as string }] },
  });
});
