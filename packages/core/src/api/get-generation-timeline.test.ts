import { expect, test } from 'vitest';

import {
  API_KEY,
  createCoreGateway,
  jsonOf,
  MANAGEMENT_KEY,
  readFrames,
} from '../../../../test/support/gateways/core-gateway.ts';
import { startFaultGateway } from '../../../../test/support/gateways/fault-gateway.ts';
import { TEST_KEY, TEST_MANAGEMENT_KEY } from '../../../../test/support/gateways/test-gateway.ts';
import { chunkings, toEventPieces } from '../../../../test/support/upstreams/chunkings.ts';
import {
  DONE_EVENT,
  FINISH_EVENT,
  LAST_HTTP_CHUNK,
  startRawUpstream,
  STREAM_HEAD,
  toHttpChunk,
  toTextEvent,
} from '../../../../test/support/upstreams/raw-upstream.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';
import { createTurnTransport } from '../../../../test/support/upstreams/scripted-turns.ts';
import type { ServerTool } from '../chat/stages/server-tools/server-tool.ts';
import { createWebPlatform } from '../foundation/platform.ts';

const COMPLETION = toEventPieces([
  { choices: [{ index: 0, delta: { reasoning: 'Hm.' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
]);
const WHOLE = JSON.stringify({ choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }] });
const LOOKUP: ServerTool = {
  name: 'lookup',
  description: 'Looks up.',
  inputSchema: { type: 'object' },
  open: () => ({ run: () => ({ content: 'green' }) }),
};
const path = (id: string): string => `/admin/v1/generations/${id}/timeline`;

test.each(chunkings(COMPLETION))(
  'returns the times at which the text of a streamed completion arrived (%s)',
  async (_name, pieces) => {
    const { chat, get, store } = createCoreGateway(createReplayTransport({ pieces }));
    await readFrames(await chat({ stream: true })).rest();
    const id = store.appended[0]?.record.generation.id ?? '';
    const response = await get(path(id), MANAGEMENT_KEY);
    expect([response.status, jsonOf(response)]).toEqual([
      200,
      { data: { interval_ms: 20, gaps_ms: [0], text: [5], reasoning: [3] } },
    ]);
    expect(store.appended[0]?.record.generation).not.toHaveProperty('timeline');
  },
);

test('accounts for the text of all turns of a completion that uses tools', async () => {
  const said = 'Let me see.';
  const upstream = createTurnTransport([{ content: said, calls: [['lookup', {}]] }, { content: 'It is green.' }]);
  const { chat, get, store } = createCoreGateway(upstream, { serverTools: [LOOKUP] });
  await readFrames(await chat({ stream: true, tools: [{ type: 'service:lookup' }] })).rest();
  const completion = store.appended[0]?.content?.output.completion ?? '';
  const { data } = jsonOf(await get(path(store.appended[0]?.record.generation.id ?? ''), MANAGEMENT_KEY));
  expect(completion.length).toBeGreaterThan(said.length + 12);
  expect(data).toEqual({ interval_ms: 20, gaps_ms: [0], text: [completion.length] });
});

test('shows the timeline nowhere else: not with the content, not in lists, not in an export', async () => {
  const { chat, get, store } = createCoreGateway(createReplayTransport({ pieces: COMPLETION }));
  await readFrames(await chat({ stream: true })).rest();
  const id = store.appended[0]?.record.generation.id ?? '';
  expect(store.appended[0]?.content).toHaveProperty('timeline');
  const content = jsonOf(await get(`/api/v1/generation/content?id=${id}`))['data'] as object;
  expect(Object.keys(content)).toEqual(['input', 'output', 'error']);
  const texts = [
    JSON.stringify(jsonOf(await get('/admin/v1/generations', MANAGEMENT_KEY))),
    await readFrames(await get('/admin/v1/generations/export?content=true', MANAGEMENT_KEY)).rest(),
  ];
  for (const text of texts) {
    expect(text).toContain(id);
    expect(text).not.toContain('gaps_ms');
  }
});

test('returns null for an unstreamed completion, which has no timeline', async () => {
  const { chat, get, store } = createCoreGateway(createReplayTransport({ pieces: [WHOLE] }));
  await chat();
  const response = await get(path(store.appended[0]?.record.generation.id ?? ''), MANAGEMENT_KEY);
  expect([response.status, jsonOf(response)]).toEqual([200, { data: null }]);
  expect(store.appended[0]?.content).not.toHaveProperty('timeline');
});

test('knows none where contents are not stored, or were deleted', async () => {
  const silent = createCoreGateway(createReplayTransport({ pieces: COMPLETION }), { logging: { inputOutput: false } });
  await readFrames(await silent.chat({ stream: true })).rest();
  expect(silent.store.appended[0]?.content).toBeNull();
  const refused = await silent.get(path(silent.store.appended[0]?.record.generation.id ?? ''), MANAGEMENT_KEY);
  expect([refused.status, refused.body]).toEqual([404, expect.stringContaining('No content is stored')]);

  const { chat, get, store } = createCoreGateway(createReplayTransport({ pieces: COMPLETION }));
  await readFrames(await chat({ stream: true })).rest();
  const id = store.appended[0]?.record.generation.id ?? '';
  await store.generations.deleteContent(id);
  expect((await get(path(id), MANAGEMENT_KEY)).status).toBe(404);
});

test('is for management alone, with 404 for an unknown id', async () => {
  const { chat, get, store } = createCoreGateway(createReplayTransport({ pieces: COMPLETION }));
  await readFrames(await chat({ stream: true })).rest();
  const id = store.appended[0]?.record.generation.id ?? '';
  const statuses = [await get(path(id), null), await get(path(id), API_KEY), await get(path('gen-x'), MANAGEMENT_KEY)];
  expect(statuses.map(({ status }) => status)).toEqual([401, 403, 404]);
});

test('shows over the network how long upstream paused between two pieces', { timeout: 20_000 }, async () => {
  const platform = createWebPlatform();
  let skippedMs = 0;
  const upstream = await startRawUpstream(({ socket }) => {
    socket.write(STREAM_HEAD);
    socket.write(toHttpChunk(toTextEvent('First. ')));
  });
  const gateway = await startFaultGateway([upstream], {
    gateway: { platform: { ...platform, monotonicNow: () => platform.monotonicNow() + skippedMs } },
  });
  const response = await gateway.ask({ stream: true });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toContain('First. ');
  // Only the test clock advances; no real time passes.
  skippedMs = 3000;
  for (const event of [toTextEvent('Second.'), FINISH_EVENT, DONE_EVENT]) {
    upstream.requests[0]?.socket.write(toHttpChunk(event));
  }
  upstream.requests[0]?.socket.write(LAST_HTTP_CHUNK);
  while ((await reader?.read())?.done === false);

  const id = response.headers.get('x-generation-id') ?? '';
  const ask = (key: string): Promise<Response> =>
    fetch(`${gateway.listener.url}${path(id)}`, { headers: { authorization: `Bearer ${key}` } });
  const { data } = (await (await ask(TEST_MANAGEMENT_KEY)).json()) as { data: { gaps_ms: number[]; text: number[] } };
  expect(data.text).toEqual([7, 7]);
  expect(data.gaps_ms[0]).toBeLessThan(3000);
  expect(data.gaps_ms[1]).toBeGreaterThanOrEqual(3000);
  expect((await ask(TEST_KEY)).status).toBe(403);
  expect((await ask('sk-unknown')).status).toBe(401);
});
