import { expect, test } from 'vitest';

import { settle } from '../../../../test/support/async/virtual-platform.ts';
import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import {
  type CoreGateway,
  createCoreGateway,
  createScriptedProvider,
  jsonOf,
  MANAGEMENT_KEY,
  readFrames,
} from '../../../../test/support/gateways/core-gateway.ts';
import { createScriptedVideos } from '../../../../test/support/videos/scripted-videos.ts';
import { createKeyRecord } from '../auth/keys.ts';
import type { VideoProgress } from '../providers/video-contract.ts';
import type { ChatChunk } from '../wire/chat-chunk.ts';

const COMPLETION: readonly ChatChunk[] = [
  {
    choices: [
      { index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop', native_finish_reason: 'stop' },
    ],
  },
];

const createCompleting = (): CoreGateway =>
  createCoreGateway(['acme', 'beta'].map((slug) => createScriptedProvider(slug, [COMPLETION])));

function follow(
  { gateway }: Pick<CoreGateway, 'gateway'>,
  headers = {},
  signal = new AbortController().signal,
  query = '',
) {
  return gateway.handle({
    method: 'GET',
    path: '/admin/v1/generations/feed',
    query,
    headers: { authorization: `Bearer ${MANAGEMENT_KEY}`, ...headers },
    baseUrl: '',
    signal,
    ...bodyOf(),
  });
}

const eventsOf = (text = ''): string[] =>
  text.split('\n\n').flatMap((frame) => /^id: .*?-(\d+)\nevent: (\w+)/.exec(frame)?.slice(1, 3).join(' ') ?? []);

test('sends every call that ends to followers, and the missed ones after a reconnect', async () => {
  const core = createCompleting();
  const frames = readFrames(await follow(core));
  expect(await frames.next()).toBe('retry: 3000\n\n');
  const pending = frames.next();
  expect((await core.chat()).status).toBe(200);
  const text = await pending;
  expect(eventsOf(text)).toEqual(['1 generation']);
  const data = JSON.parse(/data: (.*)/.exec(text ?? '')?.[1] ?? '') as Record<string, unknown>;
  expect(data).toMatchObject({ status: 'ok', model: 'acme/chat', key_hash: expect.any(String) });
  await frames.leave();
  for (let count = 0; count < 3; count += 1) await core.chat();
  const id = /id: (.*)/.exec(text ?? '')?.[1];
  expect(eventsOf(await readFrames(await follow(core, { 'last-event-id': id })).next())).toEqual([
    '2 generation',
    '3 generation',
    '4 generation',
  ]);
  expect(eventsOf(await readFrames(await follow(core, { 'last-event-id': 'abc-1' })).next())).toEqual(['4 reset']);
});

test('sends only the selected fields of a call to followers', async () => {
  const core = createCompleting();
  const frames = readFrames(await follow(core, {}, undefined, 'fields=model,attempts,status'));
  await frames.next();
  const pending = frames.next();
  await core.chat();
  const text = (await pending) ?? '';
  expect(eventsOf(text)).toEqual(['1 generation']);
  expect(/data: (.*)/.exec(text)?.[1]).toBe('{"model":"acme/chat","attempts":1,"status":"ok"}');
  await frames.leave();
});

test.each([
  ['fields=id,colour', 'fields.1: "colour" is not a known field'],
  ['colour=red', 'colour: is not a known field'],
])('refuses to be followed with %s and says where it is wrong', async (query, message) => {
  const refused = await follow(createCompleting(), {}, undefined, query);
  expect([refused.status, jsonOf(refused)['error']]).toEqual([400, expect.objectContaining({ message })]);
});

test('sends a reset to a follower that reads too slowly, without a queue per follower', async () => {
  const core = createCompleting();
  const frames = readFrames(await follow(core));
  await frames.next();
  for (let count = 0; count < 501; count += 1) await core.chat();
  expect(eventsOf(await frames.next())).toEqual(['501 reset']);
});

test('sends a sign of life to followers, and ends when the gateway closes or the client leaves', async () => {
  const core = createCompleting();
  const frames = readFrames(await follow(core));
  await frames.next();
  const heartbeat = frames.next();
  await core.platform.advance(10_100);
  expect(await heartbeat).toBe(': still here\n\n');
  const client = new AbortController();
  const other = readFrames(await follow(core, {}, client.signal));
  await other.next();
  const left = other.next();
  client.abort();
  expect(await left).toBeUndefined();
  const ended = frames.next();
  const closed = core.gateway.close();
  expect(await ended).toBeUndefined();
  await core.platform.advance(100);
  await closed;
});

test('sends nothing more to a follower whose key was revoked', async () => {
  const core = createCompleting();
  const { key, record } = await createKeyRecord({
    platform: core.platform,
    name: 'm',
    kind: 'management',
    limitUsd: null,
  });
  await core.store.keys.insert(record);
  const frames = readFrames(await follow(core, { authorization: `Bearer ${key}` }));
  await frames.next();
  const told = frames.next();
  await core.chat();
  expect(eventsOf(await told)).toEqual(['1 generation']);
  const after = frames.next();
  await core.store.keys.update(record.hash, (found) => ({ ...found, disabled: true }));
  await core.chat();
  expect(await after).toBeUndefined();
});

test('ends with the key it was opened with, though nothing happens', async () => {
  const core = createCompleting();
  const { key, record } = await createKeyRecord({
    platform: core.platform,
    name: 'm',
    kind: 'management',
    limitUsd: null,
  });
  await core.store.keys.insert(record);
  const frames = readFrames(await follow(core, { authorization: `Bearer ${key}` }));
  await frames.next();
  const after = frames.next();
  await core.store.keys.remove(record.hash);
  await core.platform.advance(10_100);
  expect(await after).toBeUndefined();
});

test('takes no more followers than it may', async () => {
  const core = createCompleting();
  const clients = await Promise.all(Array.from({ length: 64 }, () => follow(core)));
  const refused = await follow(core);
  expect([refused.status, jsonOf(refused)['error']]).toEqual([429, expect.objectContaining({ code: 429 })]);
  const [first] = clients;
  if (first !== undefined) await readFrames(first).leave();
  await settle();
  expect((await follow(core)).status).toBe(200);
});

test('sends every change of a video job, and its generation at the end', async () => {
  const progress = (_: string, number: number): VideoProgress =>
    number === 0 ? { status: 'in_progress' } : { status: 'completed', outputs: [{}] };
  const core = createCoreGateway([createScriptedVideos({ progress }).provider], {
    models: [
      {
        id: 'acme/film',
        architecture: { input_modalities: ['text'], output_modalities: ['video'] },
        endpoints: [{ provider: 'film', providerModel: 'film-1', pricing: { video_second: '0.1' } }],
      },
    ],
  });
  const starting = core.gateway.start();
  await core.platform.advance(0);
  await starting;
  const frames = readFrames(await follow(core));
  await frames.next();
  const submitted = core.post('/api/v1/videos', { model: 'acme/film', prompt: 'a fox', duration: 4 });
  const { id } = jsonOf(await submitted) as { id: string };
  let text = '';
  for (let look = 0; look < 20 && !text.includes('"completed"'); look += 1) {
    const pending = frames.next();
    await core.platform.advance(30_000);
    text += (await pending) ?? '';
  }
  const names = eventsOf(text).map((event) => event.split(' ')[1]);
  expect([names.at(0), names.at(-2), names.at(-1)]).toEqual(['video', 'generation', 'video']);
  const data = [...text.matchAll(/event: video\ndata: (.*)/g)].map(([, json = '']) => JSON.parse(json) as object);
  expect(data.at(-1)).toMatchObject({ id, status: 'completed', model: 'acme/film', usage: { cost: 0.4 } });
  expect(text).toContain('"api_type":"video"');
});
