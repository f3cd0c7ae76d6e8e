import { describe, expect, test } from 'vitest';

import { readMessageStream, readResponseStream } from '../../support/formats/read-by-clients.ts';
import { type CoreGateway, createCoreGateway, jsonOf, readFrames } from '../../support/gateways/core-gateway.ts';
import { type Capture, findCaptures, missingCaptures } from '../../support/upstreams/captures.ts';
import { chunkings, toEventPieces } from '../../support/upstreams/chunkings.ts';
import { createReplayTransport, type ScriptedTransport } from '../../support/upstreams/scripted-transport.ts';
import { script as anthropic } from '../../support/wires/anthropic.ts';
import { script as google } from '../../support/wires/google.ts';
import { script as openai } from '../../support/wires/openai.ts';
import type { WireScript } from '../../support/wires/wire-script.ts';

/** Recordings of completions, by their wire. */
const WIRES: readonly (readonly [string, WireScript, (payload: Readonly<Record<string, unknown>>) => boolean])[] = [
  ['anthropic', anthropic, ({ type }) => type === 'message' || type === 'message_start'],
  ['openai', openai, ({ choices }) => Array.isArray(choices)],
  ['google', google, ({ candidates }) => Array.isArray(candidates)],
];
const RECORDED = WIRES.flatMap(([wire, script, accepts]) =>
  findCaptures(accepts).map((capture) => ({ wire, script, ...capture })),
);
type Recorded = (typeof RECORDED)[number];

const streams = RECORDED.filter(({ isStream }) => isStream);
const wholes = RECORDED.filter(({ isStream }) => !isStream);

function openGateway({ script }: Recorded, transport: ScriptedTransport): CoreGateway {
  return createCoreGateway([script.createProvider(transport)], {
    models: [{ id: 'test/model', endpoints: [{ provider: 'up', providerModel: script.model }] }],
  });
}

/** The stream as it was recorded, in the three chunkings. */
const replaysOf = ({ wire, script, payloads }: Recorded): ScriptedTransport[] => {
  const pieces =
    wire === 'openai'
      ? toEventPieces(payloads)
      : payloads.map((payload) => script.toEvent(JSON.parse(payload) as object));
  return chunkings(pieces).map(([, chunks]) => createReplayTransport({ pieces: chunks }));
};

const replayWhole = ({ payloads }: Capture): ScriptedTransport =>
  createReplayTransport({ headers: { 'content-type': 'application/json' }, pieces: [...payloads] });

const MESSAGES = { max_tokens: 1000, messages: [{ role: 'user', content: 'Hello' }] };
const BODIES = { messages: MESSAGES, responses: { input: 'Hello', include: ['reasoning.encrypted_content'] } };

const send = (recorded: Recorded, transport: ScriptedTransport, format: keyof typeof BODIES, more: object = {}) =>
  openGateway(recorded, transport).post(`/api/v1/${format}`, { model: 'test/model', ...BODIES[format], ...more });

/** The text of a stream on its way to a client, once for each chunking; each has to be the same. */
async function streamOf(recorded: Recorded, format: keyof typeof BODIES): Promise<Uint8Array[]> {
  const texts = await Promise.all(
    replaysOf(recorded).map(async (transport) => {
      const response = await send(recorded, transport, format, { stream: true });
      return (await readFrames(response).rest()).replaceAll(/gen-\d+-\w+/g, 'gen-1').replaceAll(/_\d+-\w{12}/g, '_1');
    }),
  );
  expect(new Set(texts.map((text) => JSON.stringify(eventsOf(text).filter(({ type }) => type !== 'ping')))).size).toBe(
    1,
  );
  return [new TextEncoder().encode(texts[0])];
}

interface Event {
  readonly type: string;
  readonly message?: { readonly usage: object };
  readonly usage?: object;
  readonly [member: string]: unknown;
}

const eventsOf = (text: string): Event[] =>
  text
    .split('\n\n')
    .map((frame) => /^data: (.+)$/m.exec(frame)?.[1] ?? '')
    .filter((data) => data.startsWith('{'))
    .map((data) => JSON.parse(data) as Event);

test.skipIf(missingCaptures !== undefined)(
  `finds recordings of every wire${missingCaptures === undefined ? '' : `: ${missingCaptures}`}`,
  () => {
    expect(new Set(RECORDED.map(({ wire }) => wire))).toEqual(new Set(WIRES.map(([wire]) => wire)));
  },
);

describe.skipIf(missingCaptures !== undefined)('Recordings of the Anthropic wire through /messages', () => {
  const own = (list: readonly Recorded[]): readonly Recorded[] => list.filter(({ wire }) => wire === 'anthropic');

  test.each(own(streams))('$name: every event as it was sent, in any chunking', async (recorded) => {
    const [bytes] = await streamOf(recorded, 'messages');
    const given = eventsOf(new TextDecoder().decode(bytes));
    const sent = recorded.payloads.map((payload) => JSON.parse(payload) as Event);
    const blocks = (events: readonly Event[]): readonly Event[] =>
      events.filter(({ type }) => /^content_block|ping/.test(type));
    expect(blocks(given)).toEqual(blocks(sent));
    const [start, ...ending] = given.filter(({ type }) => type.startsWith('message'));
    const first = sent.find(({ type }) => type === 'message_start');
    expect(start?.message?.usage).toMatchObject(first?.message?.usage ?? {});
    const last = sent.findLast(({ type }) => type === 'message_delta');
    expect(ending.map(({ type }) => type)).toEqual(['message_delta', 'message_stop']);
    expect(ending[0]).toMatchObject({ delta: last?.['delta'], usage: last?.usage });
  });

  test.each(own(wholes))('$name: the message as it was sent', async (recorded) => {
    const {
      id: _id,
      model: _model,
      usage,
      ...sent
    } = JSON.parse(recorded.payloads[0] ?? '') as Record<string, unknown>;
    const given = jsonOf(await send(recorded, replayWhole(recorded), 'messages'));
    expect(given).toMatchObject({ ...sent, usage, model: 'test/model' });
    expect(given['content']).toEqual(sent['content']);
  });
});

describe.skipIf(missingCaptures !== undefined)('Recordings of every wire, read by the official clients', () => {
  test.each(streams)('$name through /messages', async (recorded) => {
    const message = await readMessageStream(await streamOf(recorded, 'messages'));
    expect(message).toMatchObject({ type: 'message', stop_reason: expect.any(String) });
    expect(message.usage.output_tokens).toBeGreaterThan(0);
    expect(message.content.every(({ type }) => ['text', 'thinking', 'tool_use'].includes(type))).toBe(true);
  });

  test.each(streams)('$name through /responses, with ids and indexes that do not change', async (recorded) => {
    const [bytes] = await streamOf(recorded, 'responses');
    const events = eventsOf(new TextDecoder().decode(bytes));
    expect(events.map((event) => event['sequence_number'])).toEqual(events.map((_, index) => index));
    const ids = new Map<unknown, Set<unknown>>();
    for (const { output_index: index, item_id: id, item } of events) {
      if (index === undefined) continue;
      ids.set(index, (ids.get(index) ?? new Set()).add(id ?? (item as { id: string }).id));
    }
    expect([...ids.keys()]).toEqual(Array.from(ids, (_, index) => index));
    expect([...ids.values()].every((known) => known.size === 1)).toBe(true);

    const response = await readResponseStream([bytes as Uint8Array]);
    expect(response.output).toHaveLength(ids.size);
    expect(['completed', 'incomplete']).toContain(response.status);
    expect(response.usage?.output_tokens).toBeGreaterThan(0);
  });

  test.each(wholes)('$name whole, through both', async (recorded) => {
    const message = jsonOf(await send(recorded, replayWhole(recorded), 'messages'));
    expect(message).toMatchObject({ type: 'message', stop_reason: expect.any(String), content: expect.any(Array) });
    const response = jsonOf(await send(recorded, replayWhole(recorded), 'responses'));
    expect(response).toMatchObject({ object: 'response', output: expect.any(Array) });
  });
});
