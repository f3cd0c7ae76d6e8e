import { expect, test } from 'vitest';

import { createRun, joinDetails, type RunState } from './create-run.ts';
import type { ChatPiece } from './stream-chat.ts';

/** Frames that come when the test says so. */
function createFrames() {
  const callbacks: (() => void)[] = [];
  return {
    schedule: (callback: () => void) => void callbacks.push(callback),
    count: () => callbacks.length,
    paint: () => callbacks.splice(0).forEach((callback) => callback()),
  };
}

/** A response whose pieces the test hands in. */
function createCompletion() {
  const queue: ChatPiece[] = [];
  let wake: () => void = () => undefined;
  let end: 'open' | 'done' | 'failed' = 'open';
  async function* open(signal: AbortSignal): AsyncGenerator<ChatPiece> {
    for (;;) {
      while (queue.length > 0) yield queue.shift() ?? {};
      if (signal.aborted) throw signal.reason;
      if (end === 'failed') throw new Error('broken');
      if (end === 'done') return;
      await new Promise<void>((resolve) => {
        wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  }
  const settle = async (): Promise<void> => {
    wake();
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  };
  return {
    open,
    push: async (...pieces: ChatPiece[]) => {
      queue.push(...pieces);
      await settle();
    },
    end: async (how: 'done' | 'failed') => {
      end = how;
      await settle();
    },
  };
}

function setUp() {
  const frames = createFrames();
  const completion = createCompletion();
  let time = 0;
  const run = createRun(frames.schedule, () => time);
  const seen: RunState[] = [];
  run.subscribe(() => seen.push(run.getState()));
  return { frames, completion, run, seen, at: (ms: number) => (time = ms) };
}

test('draws many tokens as one, once a frame', async () => {
  const { frames, completion, run, seen, at } = setUp();
  const ended = run.start(completion.open);
  expect(seen.map(({ status }) => status)).toEqual(['waiting']);
  at(80);
  await completion.push({ text: 'a' }, { text: 'b' }, { text: 'c' });
  expect([frames.count(), seen.length]).toEqual([1, 1]);
  at(150);
  frames.paint();
  // The time when it came, not when it is drawn.
  expect(seen.at(-1)).toMatchObject({ status: 'streaming', text: 'abc', firstTokenMs: 80 });
  expect(seen).toHaveLength(2);
  at(200);
  const usage = { prompt_tokens: 1, completion_tokens: 4, total_tokens: 5 };
  await completion.push({ text: 'd', finishReason: 'stop', usage });
  await completion.end('done');
  await ended;
  expect(run.getState()).toMatchObject({
    status: 'done',
    text: 'abcd',
    firstTokenMs: 80,
    elapsedMs: 200,
    finishReason: 'stop',
  });
});

test('keeps what had come when a response breaks off', async () => {
  const { completion, run } = setUp();
  const ended = run.start(completion.open);
  await completion.push({ text: 'half' });
  await completion.end('failed');
  await ended;
  expect(run.getState()).toMatchObject({ status: 'failed', text: 'half', error: new Error('broken') });
});

test('stops when told to, and is not called failed for it', async () => {
  const { completion, run } = setUp();
  const ended = run.start(completion.open);
  await completion.push({ text: 'half' });
  run.stop();
  await ended;
  expect(run.getState()).toMatchObject({ status: 'stopped', text: 'half', error: null });
});

test('shows nothing of a response that a newer one has replaced', async () => {
  const { frames, completion, run } = setUp();
  const first = run.start(completion.open);
  await completion.push({ text: 'old' });
  const newer = createCompletion();
  const second = run.start(newer.open);
  await first;
  frames.paint();
  expect(run.getState()).toMatchObject({ status: 'waiting', text: '' });
  await newer.push({ text: 'new' });
  await newer.end('done');
  await second;
  expect(run.getState()).toMatchObject({ status: 'done', text: 'new' });
});

const piece = (text: string, index = 0) => ({ type: 'reasoning.text', index, text });

test('joins the pieces of one detail, whatever the chunks, with its signature', () => {
  const pieces = [piece('I th'), piece('ink'), { type: 'reasoning.text', index: 0, signature: 's' }, piece('so', 1)];
  const whole = [{ type: 'reasoning.text', index: 0, text: 'I think', signature: 's' }, piece('so', 1)];
  expect(joinDetails([], pieces)).toEqual(whole);
  expect(pieces.reduce<readonly unknown[]>((all, each) => joinDetails(all, [each]), [])).toEqual(whole);
  expect(joinDetails(joinDetails([], pieces.slice(0, 2)), pieces.slice(2))).toEqual(whole);
});

test('leaves alone what has no index, or is of another type', () => {
  const encrypted = { type: 'reasoning.encrypted', data: 'x' };
  expect(joinDetails([encrypted], [encrypted, null, piece('a')])).toEqual([encrypted, encrypted, null, piece('a')]);
});
