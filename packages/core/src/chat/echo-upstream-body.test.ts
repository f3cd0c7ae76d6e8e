import { expect, test } from 'vitest';

import { chunksOf, createCoreGateway, readFrames } from '../../../../test/support/gateways/core-gateway.ts';
import { toEventPieces } from '../../../../test/support/upstreams/chunkings.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';

const GOOD = {
  pieces: toEventPieces([
    { id: 'up-1', choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: null }] },
    { id: 'up-1', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  ]),
};
const DOWN = { status: 500, pieces: ['{}'] };
const IMAGE = { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } };
const ASKED = {
  stream: true,
  debug: { echo_upstream_body: true },
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Is key-of-acme a key?' }, IMAGE] }],
};

test('shows the body sent to each endpoint before the completion, without keys and media', async () => {
  const upstream = createReplayTransport(DOWN, GOOD);
  const { chat } = createCoreGateway(upstream);
  const chunks = chunksOf(await readFrames(await chat(ASKED)).rest());
  const bodyFor = (model: string, text: string): object => ({
    model,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,[4 characters]' } },
        ],
      },
    ],
    stream: true,
    stream_options: { include_usage: true },
  });
  expect(chunks.slice(0, 2)).toMatchObject([
    { choices: [], debug: { echo_upstream_body: bodyFor('chat-1', 'Is [redacted] a key?') } },
    { choices: [], debug: { echo_upstream_body: bodyFor('chat-b', 'Is key-of-acme a key?') } },
  ]);
  expect(chunks[2]).toMatchObject({ choices: [{ delta: { content: 'Hello' } }] });
  expect(chunks.filter((chunk) => 'debug' in chunk)).toHaveLength(2);
  // The body that is sent is complete.
  expect(upstream.latest().sent).toMatchObject({ messages: ASKED.messages });
});

test.each([
  ['is not asked', { debug: undefined }],
  ['is asked not to', { debug: { echo_upstream_body: false } }],
])('shows nothing of it when it %s', async (_, change) => {
  const { chat } = createCoreGateway(createReplayTransport(GOOD));
  const text = await readFrames(await chat({ ...ASKED, ...change })).rest();
  expect(text).toContain('Hello');
  expect(text).not.toContain('debug');
});

test('shows none of it in an unstreamed response', async () => {
  const completion = {
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  };
  const transport = createReplayTransport({
    headers: { 'content-type': 'application/json' },
    pieces: [JSON.stringify(completion)],
  });
  const { chat } = createCoreGateway(transport);
  const { status, body } = await chat({ ...ASKED, stream: false });
  expect(status).toBe(200);
  expect(body).not.toContain('echo_upstream_body');
});
