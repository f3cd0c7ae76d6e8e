import { expect, test } from 'vitest';

import type { AssistantTurn, Turn, UserTurn } from '../../../features/playground/experiment.ts';
import { fromRows } from '../../../features/playground/setup/schema-draft.ts';
import { EMPTY_SETUP, type Setup } from '../../../features/playground/setup/setup.ts';
import { toRequest } from './to-request.ts';

const asked: UserTurn = { type: 'user', id: 'u', text: 'Hi', attached: [], kept: [] };
const completed: AssistantTurn = {
  type: 'assistant',
  id: 'a',
  text: '',
  reasoning: 'Hm',
  reasoningDetails: [{ type: 'reasoning.text', signature: 's' }],
  toolCalls: [{ id: 'c1', name: 'look', arguments: '{"at":1}' }],
  images: ['data:image/png;base64,AAAA', ''],
  audio: null,
  outcome: null,
};
const outcome = { model: 'a/b' } as AssistantTurn['outcome'];

const send = (
  setup: Partial<Setup> = {},
  turns: readonly Turn[] = [asked],
  outputs?: Parameters<typeof toRequest>[2],
) => toRequest({ ...EMPTY_SETUP, ...setup }, { model: 'a/b', turns }, outputs);

test('sends what is set and nothing else', () => {
  expect(send()).toEqual({
    model: 'a/b',
    messages: [{ role: 'user', content: 'Hi' }],
    stream: true,
    user: 'playground',
  });
  expect(
    send({
      system: 'Be brief',
      temperature: '0',
      topP: '0.5',
      maxTokens: '5',
      seed: '-7',
      effort: 'low',
      isStreamed: false,
      providerSort: 'price',
      providerOnly: ' one, two,',
      hasFallbacks: false,
      more: '{"stop":["END"],"seed":1}',
    }),
  ).toEqual({
    model: 'a/b',
    messages: [
      { role: 'system', content: 'Be brief' },
      { role: 'user', content: 'Hi' },
    ],
    stream: false,
    user: 'playground',
    temperature: 0,
    top_p: 0.5,
    max_tokens: 5,
    seed: -7,
    stop: ['END'],
    reasoning: { effort: 'low' },
    provider: { sort: 'price', only: ['one', 'two'], allow_fallbacks: false },
  });
});

test('sends a conversation with what was attached, called and typed as a result', () => {
  const attached = [{ name: 'a.png', kind: 'image' as const, url: 'data:image/png;base64,AAAA', bytes: 3 }];
  const kept = [{ type: 'image_url', image_url: { url: 'https://a.example/a.png' } }];
  const turns: Turn[] = [
    { ...asked, attached, kept },
    { ...completed, outcome },
    { type: 'tool', id: 't', callId: 'c1', name: 'look', text: '7' },
  ];
  expect(send({}, turns)).toMatchObject({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          { type: 'image_url', image_url: { url: 'https://a.example/a.png' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
        reasoning_details: [{ type: 'reasoning.text', signature: 's' }],
        images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '7' },
    ],
  });
  const other = send({}, [asked, { ...completed, outcome: { ...outcome, model: 'c/d' } as AssistantTurn['outcome'] }]);
  expect(JSON.stringify(other)).not.toContain('reasoning_details');
});

test('leaves out a completion that had failed before it said anything', () => {
  const failed: Turn = { ...completed, toolCalls: [], images: [] };
  expect(send({}, [asked, failed, { ...asked, id: 'u2' }])).toMatchObject({
    messages: [{ role: 'user' }, { role: 'user' }],
  });
});

test('sends tools and the format of the response', () => {
  const schema = fromRows([{ name: 'city', type: 'string', isRequired: true, description: '', choices: '' }]);
  const json = {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  };
  const tools = [{ name: 'weather', description: 'Looks outside', schema }];
  expect(send({ tools, format: { type: 'json_schema', name: 'place', isStrict: true, schema } })).toMatchObject({
    tools: [{ type: 'function', function: { name: 'weather', description: 'Looks outside', parameters: json } }],
    response_format: { type: 'json_schema', json_schema: { name: 'place', strict: true, schema: json } },
  });
  expect(send({ format: { ...EMPTY_SETUP.format, type: 'json_object' } })).toMatchObject({
    response_format: { type: 'json_object' },
  });
});

test('asks for images and speech where the model makes them', () => {
  const outputs = (words: string[]) => ({
    supported_voices: ['nova'],
    architecture: {
      input_modalities: [],
      output_modalities: words,
      modality: null,
      instruct_type: null,
      tokenizer: '',
    },
  });
  expect(send({}, [asked], outputs(['text']))).not.toHaveProperty('modalities');
  expect(send({}, [asked], outputs(['image', 'text']))).toMatchObject({ modalities: ['image', 'text'] });
  expect(send({}, [asked], outputs(['text', 'audio']))).toMatchObject({ audio: { voice: 'nova', format: 'pcm16' } });
  expect(send({ isStreamed: false }, [asked], outputs(['text', 'audio']))).toMatchObject({ audio: { format: 'mp3' } });
});

test.each([
  [{}, [], 'No message yet'],
  [{ more: '{' }, [asked], 'Settings: more are not JSON'],
  [{ temperature: '3' }, [asked], 'Settings: temperature must be a number from 0 to 2'],
  [
    {},
    [{ ...asked, attached: [{ name: 'a.png', kind: 'image', url: '', bytes: 9 }] }],
    '“a.png” was too large to store: attach it again, or remove its message',
  ],
] as const)('says why it cannot be sent', (setup, turns, problem) => {
  expect(send(setup, turns)).toBe(problem);
});

test('fills in variables where the user has written them, and nowhere else', () => {
  const said = { ...completed, text: '{{name}}', toolCalls: [], images: [], reasoningDetails: [] };
  const request = toRequest(
    { ...EMPTY_SETUP, system: 'Be {{tone}}' },
    { model: 'a/b', turns: [{ ...asked, text: 'Hi {{ name }}, {{open}}' }, said, { ...said, outcome }] },
    undefined,
    { name: 'Ada', tone: 'brief' },
  );
  expect(request).toMatchObject({
    messages: [
      { role: 'system', content: 'Be brief' },
      { role: 'user', content: 'Hi Ada, {{open}}' },
      { role: 'assistant', content: 'Ada' },
      { role: 'assistant', content: '{{name}}' },
    ],
  });
});
