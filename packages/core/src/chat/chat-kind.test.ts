import { expect, test } from 'vitest';

import type { ChatCompletionRequest } from '../wire/chat-request.ts';
import { chatBoundOf, chatNeedsOf, parametersOf } from './chat-kind.ts';
import { MAX_URL_CHARACTERS, toSearchPrompt } from './web/search-prompt.ts';

const user = (content: ChatCompletionRequest['messages'][number]['content']): ChatCompletionRequest['messages'] => [
  { role: 'user', content: content ?? '' },
];

test('names the parameters of a request, and no other fields', () => {
  const request: ChatCompletionRequest = {
    messages: user('x'),
    model: 'a/b',
    stream: true,
    user: 'u',
    temperature: 0,
    seed: null,
    stop: undefined,
    tools: [],
    include_reasoning: false,
  };
  expect(parametersOf(request)).toEqual(['temperature', 'tools', 'include_reasoning']);
});

test('names each kind of input and output beside text once, and no files', () => {
  const needs = chatNeedsOf({
    messages: user([
      { type: 'text', text: 'x' },
      { type: 'image_url', image_url: { url: 'u' } },
      { type: 'image_url', image_url: { url: 'v' } },
      { type: 'input_audio', input_audio: { data: '', format: 'wav' } },
      { type: 'video_url', video_url: { url: 'u' } },
      { type: 'input_video', video_url: { url: 'u' } },
      { type: 'file', file: {} },
    ]),
    modalities: ['text', 'image'],
  });
  expect(needs.inputModalities).toEqual(['image', 'audio', 'video']);
  expect(needs.outputModalities).toEqual(['image']);
});

test('counts text alone, and rather too little of it', () => {
  const picture = { type: 'image_url' as const, image_url: { url: `data:${'x'.repeat(6000)}` } };
  const messages = [
    { role: 'system' as const, content: 'x'.repeat(600) },
    ...user([{ type: 'text', text: 'x'.repeat(600) }, picture]),
  ];
  expect(chatNeedsOf({ messages }).minPromptTokens).toBe(200);
});

test('prefers the newer name of the output limit', () => {
  expect(chatNeedsOf({ messages: user('x') }).outputTokens).toBe(0);
  expect(chatNeedsOf({ messages: user('x'), max_tokens: 5 }).outputTokens).toBe(5);
  expect(chatNeedsOf({ messages: user('x'), max_tokens: 5, max_completion_tokens: 7 }).outputTokens).toBe(7);
});

const textTokensOf = (request: ChatCompletionRequest): number => {
  const bound = chatBoundOf(request);
  return 'textTokens' in bound ? bound.textTokens : Number.NaN;
};

test.each([
  ['the plugin', { plugins: [{ id: 'web' }] }, 5],
  ['the plugin with a number of results', { plugins: [{ id: 'web', max_results: 20 }] }, 20],
  ['the variant', { model: 'acme/chat:online' }, 5],
])('bounds a prompt with the results of a search that %s asks for', (_name, asked, results) => {
  const plain = { model: 'acme/chat', messages: user('news?') };
  const page = { title: '題'.repeat(1000), url: '題'.repeat(MAX_URL_CHARACTERS), snippet: '題'.repeat(1000) };
  const added = toSearchPrompt(
    Array.from({ length: results }, () => page),
    { introduction: undefined, now: 0 },
  );
  const searched = textTokensOf({ ...plain, ...asked }) - textTokensOf(plain);
  expect(searched).toBeGreaterThanOrEqual(new TextEncoder().encode(added).length);
  expect(searched).toBeLessThan(new TextEncoder().encode(added).length + 1000);
});

test('bounds no search where none is asked for', () => {
  const off = { messages: user('news?'), plugins: [{ id: 'web', enabled: false }] };
  expect(textTokensOf(off)).toBe(new TextEncoder().encode(JSON.stringify(off)).length);
});
