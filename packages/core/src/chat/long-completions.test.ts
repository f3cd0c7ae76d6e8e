import { expect, test } from 'vitest';

import {
  chunksOf,
  type CoreGateway,
  createCoreGateway,
  readFrames,
} from '../../../../test/support/gateways/core-gateway.ts';
import { toEvent } from '../../../../test/support/upstreams/chunkings.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';
import type { Scratch } from '../foundation/platform.ts';

const PIECE = 'lorem ip'.repeat(10_000);
const TEXT = PIECE.repeat(3);
const toDelta = (content: string): string =>
  toEvent({ id: 'up-1', choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const STOP = toEvent({ id: 'up-1', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
const LONG = [toDelta(PIECE), toDelta(PIECE), toDelta(PIECE), STOP, 'data: [DONE]\n\n'];

/** The amounts that each of a gateway's calls has put aside. */
interface Aside {
  readonly pieces: Uint8Array[];
  /** How many pieces have been read again. */
  taken: number;
  isClosed: boolean;
}

/** Gives a gateway a scratch, which may turn out to be unreadable. */
function watchScratch({ platform }: CoreGateway, isReadable = true): readonly Aside[] {
  const opened: Aside[] = [];
  const openScratch = (): Scratch => {
    const aside: Aside = { pieces: [], taken: 0, isClosed: false };
    opened.push(aside);
    return {
      append: (bytes) => void aside.pieces.push(bytes),
      read: () => (isReadable ? take(aside) : null),
      close: () => void (aside.isClosed = true),
    };
  };
  Object.assign(platform, { openScratch });
  return opened;
}

function* take(aside: Aside): Generator<Uint8Array> {
  for (const piece of aside.pieces) {
    aside.taken += 1;
    yield piece;
  }
}

async function streamText({ chat }: CoreGateway): Promise<string> {
  const chunks = chunksOf(await readFrames(await chat({ stream: true })).rest());
  return chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
}

test('spills a long streamed completion while it lasts, and stores it whole', async () => {
  const core = createCoreGateway(createReplayTransport({ pieces: LONG }));
  const opened = watchScratch(core);
  expect((await streamText(core)) === TEXT).toBe(true);
  expect(opened).toHaveLength(1);
  expect(opened[0]?.pieces.length).toBeGreaterThan(0);
  expect(opened[0]).toMatchObject({ isClosed: true, taken: opened[0]?.pieces.length });
  expect(core.store.appended[0]?.content?.output.completion === TEXT).toBe(true);
});

test('puts nothing aside of what is not to be stored', async () => {
  const core = createCoreGateway(createReplayTransport({ pieces: LONG }), { logging: { inputOutput: false } });
  const opened = watchScratch(core);
  expect((await streamText(core)) === TEXT).toBe(true);
  expect(opened).toEqual([]);
  expect(core.store.appended[0]).toMatchObject({
    content: null,
    record: { generation: { tokens_completion: TEXT.length / 4 } },
  });
});

test('drops the content of a completion above the limit, and relays and counts all of it', async () => {
  const core = createCoreGateway(createReplayTransport({ pieces: LONG }), { logging: { maxContentMb: 0.1 } });
  const opened = watchScratch(core);
  expect((await streamText(core)) === TEXT).toBe(true);
  expect(opened.map(({ pieces, isClosed }) => [pieces.length, isClosed])).toEqual([[1, true]]);
  expect(core.store.appended[0]).toMatchObject({
    content: null,
    record: { generation: { tokens_completion: TEXT.length / 4, finish_reason: 'stop' } },
  });
});

test('records a call without its content when what was put aside cannot be read again', async () => {
  const core = createCoreGateway(createReplayTransport({ pieces: LONG }));
  watchScratch(core, false);
  expect((await streamText(core)) === TEXT).toBe(true);
  expect(core.store.appended[0]).toMatchObject({
    content: null,
    record: { generation: { tokens_completion: TEXT.length / 4 } },
  });
});

test('lets go of what was put aside where the record cannot be stored', async () => {
  const core = createCoreGateway(createReplayTransport({ pieces: LONG }));
  const opened = watchScratch(core);
  core.store.failAppends(new Error('The disk is full'));
  const text = await readFrames(await core.chat({ stream: true })).rest();
  expect(text).toContain('"code":500');
  expect(opened.map(({ isClosed }) => isClosed)).toEqual([true]);
  expect(core.store.appendCalls()).toBe(1);
});

test('settles long completions that end together a few at a time', async () => {
  const core = createCoreGateway(createReplayTransport({ pieces: [...LONG.slice(0, 2), STOP, 'data: [DONE]\n\n'] }));
  const opened = watchScratch(core);
  // What a first call loads is there.
  await streamText(core);
  const open = core.store.holdAppends();
  const before = core.store.appendCalls();
  const streams = Array.from({ length: 20 }, () => streamText(core));
  await core.platform.advance(0);
  // Each has 160,000 characters; none is read again before the store takes it.
  expect(core.store.appendCalls() - before).toBe(3);
  expect(opened.slice(1).map(({ taken, isClosed }) => [taken, isClosed])).toEqual(Array(20).fill([0, false]));
  open();
  for (let turn = 0; turn < 20; turn += 1) await core.platform.advance(0);
  const texts = await Promise.all(streams);
  expect(opened.every(({ taken, pieces, isClosed }) => taken === pieces.length && isClosed)).toBe(true);
  expect(texts.every((text) => text === PIECE.repeat(2))).toBe(true);
  expect(core.store.appended).toHaveLength(1 + 20);
});

test('settles very long completions one after the other, short ones at once', async () => {
  const veryLong = [...Array.from({ length: 8 }, () => toDelta(PIECE)), STOP, 'data: [DONE]\n\n'];
  const core = createCoreGateway(createReplayTransport({ pieces: veryLong }));
  const open = core.store.holdAppends();
  const streams = [streamText(core), streamText(core)];
  await core.platform.advance(0);
  expect(core.store.appendCalls()).toBe(1);
  open();
  await core.platform.advance(0);
  const texts = await Promise.all(streams);
  expect(texts.map(({ length }) => length)).toEqual([PIECE.length * 8, PIECE.length * 8]);
  expect(core.store.appended).toHaveLength(2);

  const short = createCoreGateway(createReplayTransport({ pieces: [toDelta('short'), STOP, 'data: [DONE]\n\n'] }));
  const openShort = short.store.holdAppends();
  const shortStreams = [streamText(short), streamText(short)];
  await short.platform.advance(0);
  expect(short.store.appendCalls()).toBe(2);
  openShort();
  await Promise.all(shortStreams);
});

/** Characters that JSON escapes, and some of several bytes. */
const ODD = `"Wörld"\n漢字 🎈 \\ `.repeat(5000);
const ODD_TEXT = ODD.repeat(3);
const ODD_EVENTS = Array.from({ length: 3 }, () => toDelta(ODD));
const CALL = { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
const TOOL_CALL = toEvent({ id: 'up-1', choices: [{ index: 0, delta: { tool_calls: [CALL] }, finish_reason: null }] });

const askForResponse = async (core: CoreGateway) =>
  readFrames(await core.post('/api/v1/responses', { model: 'acme/chat', input: 'Hello', stream: true }));

interface ReadItem {
  readonly content: readonly { readonly text: string }[];
}

interface ReadEvent {
  readonly type: string;
  readonly text?: string;
  readonly part?: { readonly text: string };
  readonly item?: ReadItem;
  readonly response?: { readonly output: readonly ReadItem[] };
}

/** The last event of each type. */
function toEvents(text: string): ReadonlyMap<string, ReadEvent> {
  const lines = text.split('\n').filter((line) => line.startsWith('data: {'));
  const events = lines.map((line) => JSON.parse(line.slice(6)) as ReadEvent);
  return new Map(events.map((event) => [event.type, event]));
}

test.each([
  ['at its end', []],
  ['before a call of a tool', [TOOL_CALL]],
])('reads the long text of a response again, piece by piece, for the events that repeat it %s', async (_, more) => {
  const core = createCoreGateway(createReplayTransport({ pieces: [...ODD_EVENTS, ...more, STOP] }));
  const opened = watchScratch(core);
  const frames = await askForResponse(core);
  let text = '';
  let longest = 0;
  for (let piece = await frames.next(); piece !== undefined; piece = await frames.next()) {
    text += piece;
    longest = Math.max(longest, piece.length);
  }
  const events = toEvents(text);
  const message = events.get('response.completed')?.response?.output[0];
  const repeated = [
    events.get('response.output_text.done')?.text,
    events.get('response.content_part.done')?.part?.text,
    message?.content[0]?.text,
  ];
  expect(repeated.map((each) => each === ODD_TEXT)).toEqual([true, true, true]);
  if (more.length === 0) expect(events.get('response.output_item.done')?.item).toEqual(message);
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  // Two pieces of upstream at most, as a long text is put aside by tens of kilobytes.
  expect(longest).toBeLessThan(3 * JSON.stringify(ODD).length);
  expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, true]);
  expect(core.store.appended[0]?.content?.output.completion === ODD_TEXT).toBe(true);
});

test('a reader who leaves within the closing events of a response has made only those that it took', async () => {
  const core = createCoreGateway(createReplayTransport({ pieces: [...ODD_EVENTS, STOP] }));
  const opened = watchScratch(core);
  const frames = await askForResponse(core);
  let piece = await frames.next();
  while (piece?.includes('response.output_text.done') === false) piece = await frames.next();
  await frames.next();
  const ofRepeats = opened.find(({ isClosed }) => !isClosed);
  expect(ofRepeats?.taken).toBe(1);
  await frames.leave();
  expect(ofRepeats?.isClosed).toBe(true);
  expect(core.store.appended).toHaveLength(1);
});

test('the stream of a response breaks off where a text that it repeats cannot be read again', async () => {
  const core = createCoreGateway(createReplayTransport({ pieces: [...ODD_EVENTS, STOP] }));
  const opened = watchScratch(core, false);
  const frames = await askForResponse(core);
  await expect(frames.rest()).rejects.toThrow('A text that was put aside cannot be read again');
  await frames.leave();
  expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, true]);
});
