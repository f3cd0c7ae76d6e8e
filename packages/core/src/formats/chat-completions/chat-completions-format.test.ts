import { expect, test } from 'vitest';

import { GatewayError, toErrorBody } from '../../foundation/errors.ts';
import { createSseDecoder } from '../../providers/kit/sse-decoder.ts';
import type { ChatChunk, ChatDelta } from '../../wire/chat-chunk.ts';
import { createFrameEncoder, DONE_FRAME, KEEP_ALIVE_FRAME } from './chat-completions-format.ts';

const ENVELOPE = { id: 'gen-1', created: 1700000000, model: 'acme/chat', provider: 'Acme' };

const chunk = (delta: ChatDelta, extra: Partial<ChatChunk['choices'][number]> = {}): ChatChunk => ({
  choices: [{ index: 0, delta, finish_reason: null, native_finish_reason: null, ...extra }],
});

/** Reads frames as a client does; each of them must be a separate event. */
function read(frames: string): unknown[] {
  return createSseDecoder()
    .push(new TextEncoder().encode(frames))
    .map((data): unknown => (data === '[DONE]' ? data : JSON.parse(data)));
}

test('writes a text chunk with everything that clients insist on', () => {
  const frames = createFrameEncoder(ENVELOPE, false).encode([chunk({ content: 'Hi' })]);
  expect(frames).toBe(
    'data: {"id":"gen-1","object":"chat.completion.chunk","created":1700000000,"model":"acme/chat","provider":"Acme",' +
      '"choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"},"finish_reason":null,"native_finish_reason":null,"logprobs":null}]}\n\n',
  );
});

test.each(['\n\n', '\r', 'data: [DONE]', '\u2028', '"}]}', '\\', '\u0000', '\ud800', 'é👩‍👩‍👧', '__proto__', ''])(
  'carries any text unharmed: %j',
  (content) => {
    expect(read(createFrameEncoder(ENVELOPE, false).encode([chunk({ content })]))).toMatchObject([
      { choices: [{ delta: { content } }] },
    ]);
  },
);

test('repeats the fingerprint and the tier where upstream named them, and leaves them out otherwise', () => {
  const encoder = createFrameEncoder({ ...ENVELOPE, systemFingerprint: 'fp_1', serviceTier: 'default' }, false);
  expect(read(encoder.encode([chunk({ content: 'x' })]))).toMatchObject([
    { system_fingerprint: 'fp_1', service_tier: 'default' },
  ]);

  const [plain] = read(createFrameEncoder(ENVELOPE, false).encode([chunk({ content: 'x' })])) as [object];
  expect(plain).not.toHaveProperty('system_fingerprint');
  expect(plain).not.toHaveProperty('service_tier');
});

test('writes one frame a choice, with all that a delta may hold', () => {
  const details = [{ type: 'reasoning.text', text: 'hm' }];
  const call = { index: 0, id: 'c1', type: 'function' as const, function: { name: 'f', arguments: '{}' } };
  const frames = createFrameEncoder(ENVELOPE, false).encode([
    chunk({ reasoning: 'hm', reasoning_details: details }),
    chunk({ tool_calls: [call] }),
    { choices: [...chunk({ refusal: 'no' }).choices, ...chunk({ content: 'b' }, { index: 1 }).choices] },
    chunk({ content: 'x' }, { logprobs: { content: [] } }),
    chunk({ content: 'y', images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] }),
  ]);
  expect(
    (read(frames) as { choices: { index: number; delta: unknown; logprobs: unknown }[] }[]).map(
      ({ choices }) => choices,
    ),
  ).toEqual(
    [
      {
        index: 0,
        delta: { role: 'assistant', content: '', reasoning: 'hm', reasoning_details: details },
        logprobs: null,
      },
      { index: 0, delta: { role: 'assistant', content: '', tool_calls: [call] }, logprobs: null },
      { index: 0, delta: { role: 'assistant', content: '', refusal: 'no' }, logprobs: null },
      { index: 1, delta: { role: 'assistant', content: 'b' }, logprobs: null },
      { index: 0, delta: { role: 'assistant', content: 'x' }, logprobs: { content: [] } },
      {
        index: 0,
        delta: {
          role: 'assistant',
          content: 'y',
          images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }],
        },
        logprobs: null,
      },
    ].map((choice) => [{ ...choice, finish_reason: null, native_finish_reason: null }]),
  );
});

test('leaves reasoning out when it is to be hidden, and writes no frame for nothing else', () => {
  const encoder = createFrameEncoder(ENVELOPE, true);
  expect(
    encoder.encode([chunk({ reasoning: 'secret', reasoning_details: [{ type: 'reasoning.text', text: 'secret' }] })]),
  ).toBe('');
  expect(read(encoder.encode([chunk({ reasoning: 'secret', content: 'shown' })]))).toMatchObject([
    { choices: [{ delta: { content: 'shown' } }] },
  ]);
  expect(encoder.encode([chunk({ reasoning: 'secret', content: 'shown' })])).not.toContain('secret');
});

test('keeps finish reasons and usage for frames of their own', () => {
  const encoder = createFrameEncoder(ENVELOPE, false);
  const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
  expect(encoder.encode([{ ...chunk({}, { finish_reason: 'stop', native_finish_reason: 'end_turn' }), usage }])).toBe(
    '',
  );
  expect(read(encoder.encodeFinish('stop', 'end_turn'))).toEqual([
    {
      id: 'gen-1',
      object: 'chat.completion.chunk',
      created: 17e8,
      model: 'acme/chat',
      provider: 'Acme',
      choices: [
        {
          index: 0,
          delta: {
            role: 'assistant',
            content: '',
          },
          finish_reason: 'stop',
          native_finish_reason: 'end_turn',
          logprobs: null,
        },
      ],
    },
  ]);
  expect(read(encoder.encodeUsage(usage))).toEqual([
    {
      id: 'gen-1',
      object: 'chat.completion.chunk',
      created: 1700000000,
      model: 'acme/chat',
      provider: 'Acme',
      choices: [],
      usage,
    },
  ]);
});

test('writes an error as a chunk with an error at its top', () => {
  const error = new GatewayError('rate_limit_exceeded', 'slow "down"\n', { metadata: { provider_name: 'Acme' } });
  expect(read(createFrameEncoder(ENVELOPE, false).encodeError(toErrorBody(error), null))).toMatchObject([
    {
      id: 'gen-1',
      error: {
        code: 429,
        message: 'slow "down"\n',
        metadata: { error_type: 'rate_limit_exceeded', provider_name: 'Acme' },
      },
      choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error', native_finish_reason: null }],
    },
  ]);
});

test('ends with a marker, and keeps alive with a comment that no reader takes for data', () => {
  expect(DONE_FRAME).toBe('data: [DONE]\n\n');
  expect(KEEP_ALIVE_FRAME).toMatch(/^: .+\n\n$/);
  expect(read(KEEP_ALIVE_FRAME + DONE_FRAME)).toEqual(['[DONE]']);
});
