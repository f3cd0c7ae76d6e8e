import { createAiSdkProvider } from '@model-gateway/ai-sdk';
import type { ChatCall, Provider, Transport } from '@model-gateway/core';
import { createGuardedTransport } from '@model-gateway/node/guarded';
import { describe, expect, onTestFinished, test } from 'vitest';

import { askProvider, toChatCall } from '../../support/ai-sdk/ask-provider.ts';
import { CHAT_SUBJECTS, createOf } from '../../support/ai-sdk/chat-packages.ts';
import { BEDROCK_TURN, FRAMES_TYPE } from '../../support/ai-sdk/event-stream.ts';
import { chunkings, toEvent } from '../../support/upstreams/chunkings.ts';
import { createReplayTransport, createScriptedTransport } from '../../support/upstreams/scripted-transport.ts';
import { startScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const createBedrock = createOf('@ai-sdk/amazon-bedrock', { region: 'us-east-1' });
const CLAUDE = 'anthropic.claude-sonnet-4-5-20250929-v1:0';
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const wholeOf = (index: number): string => CHAT_SUBJECTS[index]?.[1].completion.whole ?? '';
const COHERE = wholeOf(0);
const GEMINI = wholeOf(4);

const tools = [
  {
    type: 'function' as const,
    function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  },
];

/** The error of a call. */
async function failureOf(provider: Provider, call: ChatCall): Promise<unknown> {
  return askProvider(provider, call).then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('the thoughts of a model', () => {
  const expected = {
    content: 'One moment.',
    reasoning: 'Which city? Paris.',
    toolCalls: [{ id: 't1', name: 'get_weather', arguments: '{"city":"Paris"}' }],
  };

  test.for(chunkings(BEDROCK_TURN.frames))(
    'come from Bedrock with calls, caches and the signature, %s',
    async ([, pieces]) => {
      const transport = createReplayTransport({ headers: { 'content-type': FRAMES_TYPE }, pieces });
      const asked = await askProvider(
        createBedrock(transport),
        toChatCall({ providerModel: CLAUDE, request: { tools } }),
      );
      expect(asked).toMatchObject(expected);
      expect(asked.last?.choices[0]).toMatchObject({ finish_reason: 'tool_calls', native_finish_reason: 'tool_use' });
      expect(asked.last?.usage).toMatchObject({
        prompt_tokens_details: { cached_tokens: 25, cache_write_tokens: 5 },
        completion_tokens: 12,
      });
    },
  );

  test.for([false, true])('go back to Bedrock with their signature at the next turn; streamed: %s', async (stream) => {
    const transport = createReplayTransport(
      stream
        ? { headers: { 'content-type': FRAMES_TYPE }, pieces: BEDROCK_TURN.frames }
        : { headers: JSON_TYPE, pieces: [JSON.stringify(BEDROCK_TURN.whole)] },
      { headers: JSON_TYPE, pieces: [JSON.stringify(BEDROCK_TURN.whole)] },
    );
    const provider = createBedrock(transport);
    const asked = await askProvider(provider, toChatCall({ providerModel: CLAUDE, stream, request: { tools } }));
    expect(asked).toMatchObject(expected);
    await askProvider(
      provider,
      toChatCall({
        providerModel: CLAUDE,
        stream: false,
        request: { tools },
        messages: [
          { role: 'user', content: 'Is it warm?' },
          {
            role: 'assistant',
            content: asked.content,
            reasoning: asked.reasoning,
            reasoning_details: asked.details as { type: string }[],
            tool_calls: [
              { id: 't1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
            ],
          },
          { role: 'tool', tool_call_id: 't1', content: '21 degrees' },
        ],
      }),
    );
    const { messages } = transport.latest().sent as { messages: { role: string; content: object[] }[] };
    expect(messages[1]?.content).toEqual([
      { reasoningContent: { reasoningText: { text: 'Which city? Paris.', signature: 'signed-1' } } },
      { text: 'One moment.' },
      { toolUse: { toolUseId: 't1', name: 'get_weather', input: { city: 'Paris' } } },
    ]);
    expect(messages[2]?.content).toMatchObject([
      { toolResult: { toolUseId: 't1', content: [{ text: '21 degrees' }] } },
    ]);
  });

  test('go back to Vertex with the signature that stands beside a tool call', async () => {
    const part = { functionCall: { name: 'get_weather', args: { city: 'Paris' } }, thoughtSignature: 'c2lnbmVk' };
    const candidate = { index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' };
    const transport = createReplayTransport(
      { pieces: [toEvent({ candidates: [candidate] })] },
      { headers: JSON_TYPE, pieces: [GEMINI] },
    );
    const provider = createOf('@ai-sdk/google-vertex')(transport);
    const asked = await askProvider(provider, toChatCall({ request: { tools } }));
    const [call] = asked.toolCalls;
    await askProvider(
      provider,
      toChatCall({
        stream: false,
        messages: [
          { role: 'user', content: 'Hi' },
          {
            role: 'assistant',
            content: null,
            reasoning_details: asked.details as { type: string }[],
            tool_calls: [{ id: call?.id ?? '', type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: call?.id ?? '', content: 'warm' },
        ],
      }),
    );
    expect(JSON.stringify(transport.latest().sent)).toContain('"thoughtSignature":"c2lnbmVk"');
  });

  test('of another provider, or damaged ones, go on as text and break nothing', async () => {
    const transport = createReplayTransport({ headers: JSON_TYPE, pieces: [JSON.stringify(BEDROCK_TURN.whole)] });
    const details = [
      { type: 'reasoning.text', text: 'Hm.', signature: 'of-another', format: 'anthropic-claude-v1' },
      { type: 'reasoning.encrypted', data: '[1', format: 'ai-sdk', id: null },
      { type: 'reasoning.text', text: 'So.', signature: '{"bedrock":1}', format: 'ai-sdk', index: 4 },
    ];
    const messages = [
      { role: 'user' as const, content: 'Hi' },
      { role: 'assistant' as const, content: 'Hello', reasoning_details: details },
      { role: 'user' as const, content: 'Well?' },
    ];
    await askProvider(createBedrock(transport), toChatCall({ providerModel: CLAUDE, stream: false, messages }));
    expect(JSON.stringify(transport.latest().sent)).not.toContain('of-another');
  });
});

describe('a request', () => {
  test('has its parameters in the words of the package, without those that the endpoint does not support', async () => {
    const transport = createReplayTransport({ headers: JSON_TYPE, pieces: [COHERE] });
    const request = {
      tools,
      tool_choice: 'required' as const,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 4,
      seed: 7,
      max_tokens: 50,
      stop: ['END'],
      presence_penalty: 0.1,
      frequency_penalty: 0.2,
    };
    const supported = new Set(['tools', 'temperature', 'top_k', 'top_p', 'max_tokens', 'stop', 'seed']);
    const call = toChatCall({ stream: false, request, supportedParameters: supported });
    await askProvider(createOf('@ai-sdk/cohere')(transport), call);
    const { sent, request: asked } = transport.latest();
    expect(asked.headers['authorization']).toBe('Bearer key-of-sdk');
    expect(sent).toMatchObject({
      temperature: 0.5,
      p: 0.9,
      k: 4,
      seed: 7,
      max_tokens: 50,
      stop_sequences: ['END'],
      tool_choice: 'REQUIRED',
      tools: [{ function: { name: 'get_weather' } }],
    });
    expect(sent).not.toHaveProperty('presence_penalty');
  });

  test('carries pictures and documents, and has what a model does not fetch fetched by the gateway', async () => {
    const transport = createReplayTransport({ headers: JSON_TYPE, pieces: [JSON.stringify(BEDROCK_TURN.whole)] });
    const downloads = createReplayTransport({
      headers: { 'content-type': 'image/png' },
      pieces: [Buffer.from(PIXEL, 'base64')],
    });
    const provider = createAiSdkProvider({
      slug: 'sdk',
      package: '@ai-sdk/amazon-bedrock',
      options: { apiKey: 'key-of-sdk', region: 'us-east-1' },
      transport,
      downloads,
    });
    const content = [
      { type: 'text' as const, text: 'What is this?' },
      { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${PIXEL}` } },
      { type: 'image_url' as const, image_url: { url: 'https://pictures.example/a.png' } },
      { type: 'file' as const, file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
    ];
    await askProvider(
      provider,
      toChatCall({ providerModel: CLAUDE, stream: false, messages: [{ role: 'user', content }] }),
    );
    const [{ content: sent }] = transport.latest().sent['messages'] as [{ content: object[] }];
    const image = { image: { format: 'png', source: { bytes: PIXEL } } };
    expect(sent).toMatchObject([
      { text: 'What is this?' },
      image,
      image,
      { document: { format: 'pdf', source: { bytes: 'JVBERi0=' } } },
    ]);
    expect(downloads.exchanges.map(({ request }) => request.url)).toEqual(['https://pictures.example/a.png']);
    expect(downloads.latest().request.headers).toEqual({});
  });

  test('that a package cannot express is a mistake of its caller, with the field or the words of the package', async () => {
    const provider = createOf('@ai-sdk/mistral')(createScriptedTransport());
    const video = [{ type: 'video_url' as const, video_url: { url: 'data:video/mp4;base64,AAAA' } }];
    expect(await failureOf(provider, toChatCall({ messages: [{ role: 'user', content: video }] }))).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('not supported') as string,
    });
    const grammar = { response_format: { type: 'grammar' as const, grammar: 'a' } };
    expect(await failureOf(provider, toChatCall({ request: grammar }))).toMatchObject({ code: 'invalid_request' });
    const file = [{ type: 'file' as const, file: { file_id: 'file-1' } }];
    expect(await failureOf(provider, toChatCall({ messages: [{ role: 'user', content: file }] }))).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('messages.0.content.0.file') as string,
    });
  });

  test('is stored as the package has sent it', async () => {
    const stored: unknown[] = [];
    const transport = createReplayTransport({ headers: JSON_TYPE, pieces: [COHERE] });
    const onSent = (wire: string, body: unknown): void => void stored.push([wire, body]);
    await askProvider(createOf('@ai-sdk/cohere')(transport), toChatCall({ stream: false, onSent }));
    expect(stored).toEqual([['ai-sdk', transport.latest().sent]]);
  });

  test('tells by warnings what the package has left out', async () => {
    const transport = createReplayTransport({ headers: JSON_TYPE, pieces: [wholeOf(3)] });
    const call = toChatCall({ stream: false, request: { top_k: 3 } });
    const { chunks } = await askProvider(createOf('@ai-sdk/groq')(transport), call);
    expect(chunks[0]?.upstream?.warnings).toEqual([expect.stringContaining('unsupported: topK')]);
  });
});

describe('an upstream that fails', () => {
  test.for(CHAT_SUBJECTS)('before the end of a stream of %s is no success', async ([, { create, completion }]) => {
    const isEnd = (event: string | Uint8Array): boolean =>
      /finish_reason":"|finishReason|response\.completed|message-end|DONE/.test(String(event));
    const pieces = completion.events.filter((event) => !isEnd(event));
    expect(pieces.length).toBeLessThan(completion.events.length);
    const failed = await failureOf(create(createReplayTransport({ pieces })), toChatCall());
    expect(failed).toMatchObject({ code: 'provider_unavailable' });
  });

  test('never has its words shown with the key in them', async () => {
    const body = JSON.stringify({ message: 'The key key-of-sdk may not do this' });
    const transport = createReplayTransport({ status: 400, headers: JSON_TYPE, pieces: [body] });
    const error = await failureOf(createOf('@ai-sdk/cohere')(transport), toChatCall());
    expect(error).toMatchObject({ code: 'invalid_request', upstreamStatus: 400 });
    expect(JSON.stringify([error, (error as Error).message])).not.toContain('key-of-sdk');
  });

  test('may be asked again where the package says so, whatever the status', async () => {
    const transport = createReplayTransport({ status: 409, headers: JSON_TYPE, pieces: ['{"message":"Busy"}'] });
    const error = await failureOf(createOf('@ai-sdk/cohere')(transport), toChatCall());
    expect(error).toMatchObject({ code: 'provider_unavailable', upstreamStatus: 409 });
  });

  test('is left at once when the caller goes, before the response and within it', async () => {
    const up = await startScriptedUpstream();
    onTestFinished(() => up.close());
    const { createUndiciTransport } = await import('@model-gateway/node/undici');
    const provider = createOf('@ai-sdk/mistral', { baseURL: up.baseUrl })(createUndiciTransport());
    for (const providerModel of ['hang', 'held']) {
      const leaving = new AbortController();
      const calling = up.nextCall();
      const asked = failureOf(provider, toChatCall({ providerModel, signal: leaving.signal }));
      const { closed } = await calling;
      leaving.abort(new Error('gone'));
      expect(await closed).toBe(false);
      expect(await asked).toMatchObject({ message: 'gone' });
    }
  });

  test('cannot be at an address that the transport refuses', async () => {
    const up = await startScriptedUpstream();
    onTestFinished(() => up.close());
    const provider = createOf('@ai-sdk/mistral', { baseURL: up.baseUrl })(createGuardedTransport());
    expect(await failureOf(provider, toChatCall())).toMatchObject({ name: 'TransportError' });
    expect(up.calls).toEqual([]);
  });
});

test('A sign of life that is no part of the completion restarts the limit between two chunks', async () => {
  let signs = 0;
  const pieces = [': still here\n\n', ...(CHAT_SUBJECTS[3]?.[1].completion.events ?? [])];
  const provider = createOf('@ai-sdk/groq')(createReplayTransport({ pieces }));
  await askProvider(provider, toChatCall({ onSignOfLife: () => (signs += 1) }));
  expect(signs).toBe(pieces.length);
});

describe('a package', () => {
  const unused: Transport = createScriptedTransport();

  test('that is not installed is named with the command that installs it', async () => {
    const provider = createOf('@ai-sdk/perplexity')(unused);
    expect(await failureOf(provider, toChatCall())).toMatchObject({
      code: 'provider_unavailable',
      message: expect.stringMatching(/@ai-sdk\/perplexity is not installed.*npm install @ai-sdk\/perplexity/) as string,
    });
  });

  test('without a key says so to callers without the name of a variable', async () => {
    const provider = createAiSdkProvider({ slug: 'sdk', name: 'Cohere', package: '@ai-sdk/cohere', transport: unused });
    expect(await failureOf(provider, toChatCall())).toMatchObject({
      code: 'provider_unavailable',
      message: 'Cohere has no key; the operator must set it',
    });
  });

  test('without the kind of model is no provider of it', async () => {
    const provider = createOf('@ai-sdk/elevenlabs')(unused);
    expect(await failureOf(provider, toChatCall())).toMatchObject({ code: 'not_found' });
  });
});
