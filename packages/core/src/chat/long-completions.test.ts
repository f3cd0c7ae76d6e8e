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
  isClosed: boolean;
}

/** Gives a gateway a scratch, which may turn out to be unreadable. */
function watchScratch({ platform }: CoreGateway, isReadable = true): readonly Aside[] {
  const opened: Aside[] = [];
  const openScratch = (): Scratch => {
    const aside: Aside = { pieces: [], isClosed: false };
    opened.push(aside);
    return {
      append: (bytes) => void aside.pieces.push(bytes),
      read: () => (isReadable ? aside.pieces : null),
      close: () => void (aside.isClosed = true),
    };
  };
  Object.assign(platform, { openScratch });
  return opened;
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
  expect(opened[0]?.isClosed).toBe(true);
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
