import { expect, test } from 'vitest';

import { type ChatCompletionRequest, chatCompletionRequestSchema } from '../../../wire/chat-request.ts';
import type { ChatCall } from '../../provider.ts';
import { createGoogleCompletionReader } from '../response/google-completion-reader.ts';
import { toGoogleRequest } from './to-google-request.ts';

const HELLO = [{ role: 'user', content: 'Hello' }];

/** The upstream body of a public request. */
function build(body: object, call: Partial<ChatCall> = {}): Record<string, unknown> {
  const request: ChatCompletionRequest = chatCompletionRequestSchema.parse({ messages: HELLO, ...body });
  return toGoogleRequest({
    generationId: 'gen-1',
    request,
    providerModel: 'chat-1',
    stream: request.stream === true,
    supportedParameters: null,
    signal: new AbortController().signal,
    timeouts: { headersMs: 1, nonStreamMs: 1, idleMs: 1, totalMs: 1 },
    ...call,
  });
}

const contentsOf = (messages: readonly object[], call: Partial<ChatCall> = {}): unknown =>
  build({ messages }, call)['contents'];
const partsOf = (content: unknown): unknown =>
  (contentsOf([{ role: 'user', content }]) as { parts: unknown }[])[0]?.parts;
const GEMINI_3 = { providerModel: 'gemini-3-pro-preview' };

test('sends the messages, and invents nothing', () => {
  expect(build({ model: 'google/chat', stream: true })).toMatchInlineSnapshot(`
    {
      "contents": [
        {
          "parts": [
            {
              "text": "Hello",
            },
          ],
          "role": "user",
        },
      ],
    }
  `);
});

test('gathers system and developer messages, and merges neighbours of one role', () => {
  expect(
    build({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'One' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Two' },
            { type: 'text', text: '' },
          ],
        },
        { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
        { role: 'assistant', content: 'Three' },
        { role: 'assistant', refusal: 'No' },
        { role: 'assistant', content: null },
        { role: 'user', content: 'Four' },
      ],
    }),
  ).toEqual({
    systemInstruction: { parts: [{ text: 'Be brief.' }, { text: 'Be kind.' }] },
    contents: [
      { role: 'user', parts: [{ text: 'One' }, { text: 'Two' }] },
      { role: 'model', parts: [{ text: 'Three' }, { text: 'No' }] },
      { role: 'user', parts: [{ text: 'Four' }] },
    ],
  });
});

test('takes instructions that stand alone for the prompt', () => {
  expect(build({ messages: [{ role: 'system', content: 'Say hi.' }] })).toEqual({
    contents: [{ role: 'user', parts: [{ text: 'Say hi.' }] }],
  });
});

test('converts parts with files to data or addresses, with the given or guessed type', () => {
  const image = (url: string): object => ({ type: 'image_url', image_url: { url } });
  expect(
    partsOf([
      image('data:image/png;base64,AA=='),
      image('https://x.example/a/b.JPG?size=large.png#top'),
      image('https://x.example/a'),
      { type: 'video_url', video_url: { url: 'https://video.example/watch?v=1' } },
      { type: 'input_video', video_url: { url: 'gs://bucket/film.mp4' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,BB==' } },
      { type: 'file', file: { file_data: 'https://x.example/report.pdf' } },
      { type: 'input_audio', input_audio: { data: 'CC==', format: 'wav' } },
      { type: 'input_audio', input_audio: { data: 'DD==', format: 'pcm16' } },
      { type: 'input_audio', input_audio: { data: 'data:audio/ogg;base64,EE==', format: 'ogg' } },
    ]),
  ).toEqual([
    { inlineData: { mimeType: 'image/png', data: 'AA==' } },
    { fileData: { fileUri: 'https://x.example/a/b.JPG?size=large.png#top', mimeType: 'image/jpeg' } },
    { fileData: { fileUri: 'https://x.example/a' } },
    { fileData: { fileUri: 'https://video.example/watch?v=1' } },
    { fileData: { fileUri: 'gs://bucket/film.mp4', mimeType: 'video/mp4' } },
    { inlineData: { mimeType: 'application/pdf', data: 'BB==' } },
    { fileData: { fileUri: 'https://x.example/report.pdf', mimeType: 'application/pdf' } },
    { inlineData: { mimeType: 'audio/wav', data: 'CC==' } },
    { inlineData: { mimeType: 'audio/pcm', data: 'DD==' } },
    { inlineData: { mimeType: 'audio/ogg', data: 'EE==' } },
  ]);
});

const call = (id: string, name: string, text: string): object => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});

test('sends calls and their results, by the names of the calls', () => {
  expect(
    contentsOf([
      ...HELLO,
      {
        role: 'assistant',
        content: 'Looking',
        tool_calls: [call('c1', 'f', '{"a":1}'), call('c2', 'g', ''), call('c3', 'h', ' ')],
      },
      { role: 'tool', tool_call_id: 'c1', content: '{"ok":true}' },
      {
        role: 'tool',
        tool_call_id: 'c2',
        content: [
          { type: 'text', text: '[1,' },
          { type: 'text', text: '2]' },
        ],
      },
      { role: 'tool', tool_call_id: 'c3', content: '' },
      { role: 'user', content: 'And?' },
    ]),
  ).toEqual([
    { role: 'user', parts: [{ text: 'Hello' }] },
    {
      role: 'model',
      parts: [
        { text: 'Looking' },
        { functionCall: { id: 'c1', name: 'f', args: { a: 1 } } },
        { functionCall: { id: 'c2', name: 'g', args: {} } },
        { functionCall: { id: 'c3', name: 'h', args: {} } },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { id: 'c1', name: 'f', response: { ok: true } } },
        { functionResponse: { id: 'c2', name: 'g', response: { output: '[1,2]' } } },
        { functionResponse: { id: 'c3', name: 'h', response: { output: '' } } },
      ],
    },
    { role: 'user', parts: [{ text: 'And?' }] },
  ]);
});

test('names a result without a matching call by its own name', () => {
  expect(contentsOf([{ role: 'tool', tool_call_id: 'x', name: 'f', content: 'ok' }])).toEqual([
    { role: 'user', parts: [{ functionResponse: { id: 'x', name: 'f', response: { output: 'ok' } } }] },
  ]);
});

test('puts images of a result into it where the model reads them there, else beside it', () => {
  const messages = [
    { role: 'assistant', tool_calls: [call('c1', 'f', '{}')] },
    {
      role: 'tool',
      tool_call_id: 'c1',
      content: [
        { type: 'text', text: 'see' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
      ],
    },
  ];
  const media = { inlineData: { mimeType: 'image/png', data: 'AA==' } };
  const result = { id: 'c1', name: 'f', response: { output: 'see' } };
  expect(contentsOf(messages)).toMatchObject([{}, { role: 'user', parts: [{ functionResponse: result }, media] }]);
  expect(contentsOf(messages, GEMINI_3)).toMatchObject([
    {},
    { role: 'user', parts: [{ functionResponse: { ...result, parts: [media] } }] },
  ]);
});

test('sends every signature of a completion back on the part it came with', () => {
  const parts = [
    { text: 'Hmm.', thought: true, thoughtSignature: 'aGht' },
    { text: 'Here', thoughtSignature: 'dGV4dA==' },
    { inlineData: { mimeType: 'image/png', data: 'AA==' }, thoughtSignature: 'aW1n' },
    { functionCall: { id: 'c1', name: 'f', args: { a: 1 } }, thoughtSignature: 'Y2FsbA==' },
    { functionCall: { id: 'c2', name: 'g', args: {} } },
  ];
  const events = [...parts, {}].map((part, index) => ({
    candidates: [{ content: { parts: [part] }, ...(index === parts.length && { finishReason: 'STOP' }) }],
  }));
  const whole = { candidates: [{ content: { parts }, finishReason: 'STOP' }] };
  const newReader = (): ReturnType<typeof createGoogleCompletionReader> =>
    createGoogleCompletionReader({ providerName: 'Acme', secrets: [], makeId: String });
  const reader = newReader();
  const deltas = [
    [newReader().readWhole(JSON.stringify(whole))],
    [...events.flatMap((event) => reader.readEvent(JSON.stringify(event)) ?? []), reader.readEnd()],
  ].map((chunks) => chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta)));
  for (const pieces of deltas) {
    const message = {
      role: 'assistant',
      content: pieces.map(({ content }) => content ?? '').join(''),
      reasoning_details: pieces.flatMap((delta) => delta.reasoning_details ?? []),
      images: pieces.flatMap((delta) => delta.images ?? []),
      tool_calls: pieces.flatMap((delta) => delta.tool_calls ?? []),
    };
    expect(contentsOf([...HELLO, message], GEMINI_3)).toEqual([
      { role: 'user', parts: [{ text: 'Hello' }] },
      { role: 'model', parts },
    ]);
  }
});

const signature = (data: string, id: string | null = null): object => ({
  type: 'reasoning.encrypted',
  data,
  id,
  format: 'google-gemini-v1',
});

test.each([
  ['a signature without a text', { reasoning_details: [signature('a')] }, [{ text: '', thoughtSignature: 'a' }]],
  [
    'two signatures of a text',
    { content: 'Hi', reasoning_details: [signature('a'), signature('b')] },
    [
      { text: 'Hi', thoughtSignature: 'a' },
      { text: '', thoughtSignature: 'b' },
    ],
  ],
  [
    'a signature without an id before calls',
    { tool_calls: [call('c1', 'f', '{}')], reasoning_details: [signature('a')] },
    [{ functionCall: { id: 'c1', name: 'f', args: {} }, thoughtSignature: 'a' }],
  ],
  [
    'a signature of a call that is not there',
    { content: 'Hi', reasoning_details: [signature('a', 'gone')] },
    [{ text: 'Hi' }],
  ],
  [
    'thoughts in pieces, signed and not',
    {
      content: 'Hi',
      reasoning_details: [
        { type: 'reasoning.text', text: 'One ', format: 'google-gemini-v1', index: 0 },
        { type: 'reasoning.text', text: 'two', signature: 'a', format: 'google-gemini-v1', index: 0 },
        { type: 'reasoning.text', text: 'unsigned', format: 'google-gemini-v1', index: 1 },
      ],
    },
    [{ text: 'One two', thought: true, thoughtSignature: 'a' }, { text: 'Hi' }],
  ],
  [
    'the reasoning of another provider',
    {
      content: 'Hi',
      reasoning: 'Hmm',
      reasoning_details: [
        { type: 'reasoning.text', text: 'Hmm', signature: 'x', format: 'anthropic-claude-v1' },
        { type: 'reasoning.encrypted', data: 'x', format: 'openai-responses-v1' },
      ],
    },
    [{ text: 'Hi' }],
  ],
])('reads %s', (_name, message, parts) => {
  expect(contentsOf([...HELLO, { role: 'assistant', ...message }])).toEqual([
    { role: 'user', parts: [{ text: 'Hello' }] },
    { role: 'model', parts },
  ]);
});

test('marks calls that Gemini 3 did not make, because it refuses them otherwise', () => {
  const messages = [
    { role: 'assistant', tool_calls: [call('c1', 'f', '{}'), call('c2', 'g', '{}')] },
    { role: 'tool', tool_call_id: 'c1', content: '1' },
    { role: 'tool', tool_call_id: 'c2', content: '2' },
  ];
  const [turn] = contentsOf(messages, GEMINI_3) as { parts: Record<string, unknown>[] }[];
  expect(turn?.parts.map(({ thoughtSignature }) => thoughtSignature)).toEqual([
    'skip_thought_signature_validator',
    undefined,
  ]);
  const [older] = contentsOf(messages, { providerModel: 'gemini-2.5-pro' }) as { parts: Record<string, unknown>[] }[];
  expect(older?.parts.map(({ thoughtSignature }) => thoughtSignature)).toEqual([undefined, undefined]);
});

const nested = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;

test.each([
  ['messages', { messages: [{ role: 'user', content: '' }] }],
  [
    'messages.0.content.0.image_url.url',
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'ftp://x' } }] }] },
  ],
  [
    'messages.0.content.0.video_url.url',
    { messages: [{ role: 'user', content: [{ type: 'video_url', video_url: { url: 'data:,' } }] }] },
  ],
  [
    'messages.0.content.0.file.file_id',
    { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'x' } }] }] },
  ],
  ['messages.0.content.0.file.file_data', { messages: [{ role: 'user', content: [{ type: 'file', file: {} }] }] }],
  [
    'messages.0.content.0.input_audio.data',
    { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: '', format: 'wav' } }] }] },
  ],
  ['messages.0.images.0.image_url.url', { messages: [{ role: 'assistant', images: [{}] }] }],
  ['messages.0.tool_call_id', { messages: [{ role: 'tool', tool_call_id: 'x', content: 'ok' }] }],
  [
    'messages.0.tool_calls.1.function.arguments',
    { messages: [{ role: 'assistant', tool_calls: [call('a', 'f', '{}'), call('b', 'f', '{"a":')] }] },
  ],
  [
    'messages.0.tool_calls.0.function.arguments',
    { messages: [{ role: 'assistant', tool_calls: [call('a', 'f', '[1]')] }] },
  ],
  [
    'messages.0.tool_calls.0.function.arguments',
    { messages: [{ role: 'assistant', tool_calls: [call('a', 'f', nested)] }] },
  ],
  ['tools.1.type', { tools: [{ type: 'function', function: { name: 'f' } }, { type: 'openrouter:web_search' }] }],
  ['tool_choice.type', { tools: [{ type: 'function', function: { name: 'f' } }], tool_choice: { type: 'web_search' } }],
  ['response_format.type', { response_format: { type: 'python' } }],
  ['stop', { stop: [1] }],
])('refuses %s when it cannot be expressed', (path, body) => {
  expect(() => build(body)).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      message: expect.stringMatching(`^${path}: `) as string,
      metadata: { issues: [expect.objectContaining({ path }) as unknown] },
    }) as Error,
  );
});

test('sends a result that is nested without end as text', () => {
  const messages = [
    { role: 'assistant', tool_calls: [call('c1', 'f', '{}')] },
    { role: 'tool', tool_call_id: 'c1', content: nested },
  ];
  expect(contentsOf(messages)).toMatchObject([{}, { parts: [{ functionResponse: { response: { output: nested } } }] }]);
});

test('renames the parameters that both sides know', () => {
  expect(
    build({
      temperature: 0,
      top_p: 0.5,
      top_k: 40,
      frequency_penalty: -1,
      presence_penalty: 1,
      seed: 0,
      stop: ['a', 'b'],
      max_tokens: 10,
      max_completion_tokens: 20,
      logprobs: true,
      top_logprobs: 5,
      modalities: ['text', 'image'],
      image_config: { aspect_ratio: '16:9', image_size: '2K', other: 1 },
    })['generationConfig'],
  ).toEqual({
    temperature: 0,
    topP: 0.5,
    topK: 40,
    frequencyPenalty: -1,
    presencePenalty: 1,
    seed: 0,
    stopSequences: ['a', 'b'],
    maxOutputTokens: 20,
    responseLogprobs: true,
    logprobs: 5,
    responseModalities: ['TEXT', 'IMAGE'],
    imageConfig: { aspectRatio: '16:9', imageSize: '2K' },
  });
});

test('leaves out what is null, what says nothing, and what this wire has no word for', () => {
  expect(
    build({
      temperature: null,
      seed: null,
      stop: null,
      max_tokens: null,
      tools: [],
      tool_choice: 'auto',
      top_k: 0,
      logprobs: false,
      top_logprobs: 3,
      modalities: [],
      response_format: { type: 'text' },
      min_p: 0.1,
      top_a: 0.1,
      repetition_penalty: 1,
      logit_bias: { a: 1 },
      parallel_tool_calls: false,
      prediction: { type: 'content', content: 'x' },
      verbosity: 'low',
      service_tier: 'flex',
      user: 'u',
      metadata: { a: 'b' },
      cache_control: { type: 'ephemeral' },
    }),
  ).toEqual({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] });
  expect(build({ stop: 'a' })['generationConfig']).toEqual({ stopSequences: ['a'] });
});

const schema = { type: 'object', $defs: { x: {} }, additionalProperties: false };

test.each([
  [{ type: 'json_object' }, { responseMimeType: 'application/json' }],
  [{ type: 'json_schema', json_schema: { name: 'x' } }, { responseMimeType: 'application/json' }],
  [
    { type: 'json_schema', json_schema: { name: 'x', schema, strict: true } },
    { responseMimeType: 'application/json', responseJsonSchema: schema },
  ],
])('requests the format %j', (format, config) => {
  expect(build({ response_format: format })['generationConfig']).toEqual(config);
});

const tools = [
  { type: 'function', function: { name: 'f', description: 'Does f.', parameters: schema, strict: true } },
  { type: 'function', function: { name: 'g', description: null, parameters: null } },
];

test('declares functions with their schemas as they are', () => {
  expect(build({ tools })).toMatchObject({
    tools: [
      { functionDeclarations: [{ name: 'f', description: 'Does f.', parametersJsonSchema: schema }, { name: 'g' }] },
    ],
  });
  expect(build({ tools })).not.toHaveProperty('toolConfig');
});

test.each([
  ['none', { mode: 'NONE' }],
  ['auto', { mode: 'AUTO' }],
  ['required', { mode: 'ANY' }],
  [
    { type: 'function', function: { name: 'g' } },
    { mode: 'ANY', allowedFunctionNames: ['g'] },
  ],
])('chooses tools by %j', (choice, functionCallingConfig) => {
  expect(build({ tools, tool_choice: choice })['toolConfig']).toEqual({ functionCallingConfig });
});

test('leaves out what the endpoint does not list, under any of the names that lists use', () => {
  const asked = {
    temperature: 1,
    top_k: 5,
    stop: 'a',
    logprobs: true,
    tools,
    tool_choice: 'auto',
    response_format: { type: 'json_object' },
    reasoning: { effort: 'low' },
    max_tokens: 5000,
  };
  const configWith = (...supported: string[]): Record<string, unknown> =>
    build(asked, { providerModel: 'gemini-2.5-flash', supportedParameters: new Set(supported) });
  expect(configWith()).toEqual({
    contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
    generationConfig: { maxOutputTokens: 5000 },
  });
  expect(configWith('tools')).toHaveProperty('toolConfig');
  expect(configWith('structured_outputs')).toHaveProperty('generationConfig.responseMimeType');
  expect(configWith('reasoning_effort')).toHaveProperty('generationConfig.thinkingConfig.thinkingBudget', 1024);
  expect(configWith('top_k', 'stop', 'logprobs', 'temperature')['generationConfig']).toEqual({
    temperature: 1,
    topK: 5,
    stopSequences: ['a'],
    responseLogprobs: true,
    maxOutputTokens: 5000,
  });
});

test('requests the thoughts of a model that thinks', () => {
  expect(build({}, GEMINI_3)['generationConfig']).toEqual({ thinkingConfig: { includeThoughts: true } });
});

test.each([
  ['gemini-2.5-pro', { includeThoughts: true, thinkingBudget: 6553 }],
  ['gemini-3-flash-preview', { includeThoughts: true, thinkingLevel: 'MINIMAL' }],
  ['gemini-3-pro-preview', { includeThoughts: true, thinkingLevel: 'LOW' }],
  ['gemini-2.5-flash', { thinkingBudget: 0 }],
])('reasons as little as %s can where its family was named and no reasoning is wanted', (providerModel, config) => {
  const body = build({ reasoning: { effort: 'none', max_tokens: 5000 } }, { providerModel, isOfFamily: true });
  expect(body['generationConfig']).toEqual({ thinkingConfig: config });
});
