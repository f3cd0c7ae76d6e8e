import { expect, test } from 'vitest';

import {
  createCoreGateway,
  jsonOf,
  MANAGEMENT_KEY,
  readFrames,
} from '../../../../test/support/gateways/core-gateway.ts';
import { guardKey } from '../../../../test/support/gateways/guard-key.ts';
import { chunkings, toEventPieces } from '../../../../test/support/upstreams/chunkings.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const WHOLE = JSON.stringify({ choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }] });
const EVENTS = toEventPieces([
  { choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
]);
const MANAGER = { authorization: `Bearer ${MANAGEMENT_KEY}` };
const whole = () => createReplayTransport({ headers: JSON_TYPE, pieces: [WHOLE] });

type Core = ReturnType<typeof createCoreGateway>;
const resend = (core: Core, id: string | undefined, body: object = {}) =>
  core.post(`/admin/v1/generations/${id}/resend`, body, { headers: MANAGER });

test.each([
  ['/api/v1/chat/completions', { messages: [{ role: 'user', content: 'Hi' }], temperature: 0.3, user: 'u-1' }],
  ['/api/v1/messages', { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 9, metadata: { user_id: 'u-1' } }],
  ['/api/v1/responses', { input: 'Hi', temperature: 0.3 }],
  ['/api/v1/completions', { prompt: 'Hi', temperature: 0.3 }],
])('sends a request of %s again as it was, in the same form', async (path, body) => {
  const upstream = whole();
  const core = createCoreGateway(upstream);
  const asked = { model: 'acme/chat', ...body };
  const headers = { authorization: 'Bearer sk-test-api', 'user-agent': 'tool/1', 'x-session-id': 's-1' };
  const first = await core.post(path, asked, { headers });
  const again = await resend(core, first.headers['x-generation-id']);
  expect(again.status).toBe(200);
  expect(upstream.exchanges.map(({ request }) => request.body)).toEqual(
    Array(2).fill(upstream.exchanges[0]?.request.body),
  );
  expect(Object.keys(jsonOf(again))).toEqual(Object.keys(jsonOf(first)));
  const [one, two] = core.store.appended;
  expect(two?.record.generation.id).not.toBe(one?.record.generation.id);
  expect(two?.record.principalId).toBe(one?.record.principalId);
  expect(two?.record.generation).toMatchObject({ user_agent: 'tool/1', session_id: 's-1' });
  expect(two?.content?.request).toEqual(one?.content?.request);
});

test.each(chunkings(EVENTS))('streams again what was streamed (%s)', async (_name, pieces) => {
  const core = createCoreGateway(createReplayTransport({ pieces }));
  const first = await core.chat({ stream: true });
  const text = await readFrames(first).rest();
  const again = await readFrames(await resend(core, first.headers['x-generation-id'])).rest();
  expect(again.replaceAll(/gen-[\w-]+/g, '')).toBe(text.replaceAll(/gen-[\w-]+/g, ''));
});

test('sends it to another model, whole, where that is asked for', async () => {
  const upstream = whole();
  const core = createCoreGateway(upstream);
  const { headers } = await core.chat();
  expect((await resend(core, headers['x-generation-id'], { model: 'acme/other' })).status).toBe(200);
  expect(upstream.latest().sent['model']).toBe('other-b');
});

test('counts for the key that is named, with its guardrails', async () => {
  const core = createCoreGateway(whole());
  const { headers } = await core.chat({ messages: [{ role: 'user', content: 'the purple dragon' }] });
  const guarded = await guardKey(core, { content_filters: [{ pattern: 'purple', action: 'block' }] });
  const id = headers['x-generation-id'];
  expect((await resend(core, id, { key_hash: guarded.hash })).status).toBe(403);
  await guarded.patch({ content_filters: null });
  expect((await resend(core, id, { key_hash: guarded.hash })).status).toBe(200);
  expect(core.store.appended.at(-1)?.record.principalId).toBe(guarded.hash);
});

test('refuses what cannot be sent, and says what to do', async () => {
  const core = createCoreGateway(whole());
  const guarded = await guardKey(core, {});
  const { headers } = await core.chat({}, { headers: guarded.headers });
  const id = headers['x-generation-id'];
  const messageOf = async (body: object) => {
    const response = await resend(core, id, body);
    return [response.status, (jsonOf(response)['error'] as { message: string }).message];
  };
  expect(await messageOf({ key_hash: 'nobody' })).toEqual([404, 'There is no key with the hash nobody']);
  await core.post(`/api/v1/keys/${guarded.hash}`, { disabled: true }, { headers: MANAGER, method: 'PATCH' });
  expect(await messageOf({})).toEqual([409, 'The key “k” is disabled; name another API key in `key_hash`']);
  await core.post(`/api/v1/keys/${guarded.hash}`, {}, { headers: MANAGER, method: 'DELETE' });
  expect(await messageOf({})).toEqual([
    409,
    'The key of this call no longer exists; name another API key in `key_hash`',
  ]);
  await core.store.generations.deleteContent(id ?? '');
  expect((await resend(core, id)).status).toBe(404);
});
