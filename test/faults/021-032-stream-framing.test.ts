import { expect, test } from 'vitest';

import { chunksOf, parseFrames } from '../support/gateways/core-gateway.ts';
import { startFaultGateway } from '../support/gateways/fault-gateway.ts';
import { chunkings, toEvent } from '../support/upstreams/chunkings.ts';
import {
  DONE_EVENT,
  FINISH_EVENT,
  sendStream,
  startRawUpstream,
  toEvents,
  toTextEvent,
  USAGE,
  USAGE_EVENT,
} from '../support/upstreams/raw-upstream.ts';

/** Outcome of a stream, described the same way for every chunking. */
interface Outcome {
  readonly text: string;
  readonly stored: string | null;
  readonly finish: string | null;
  readonly errorCode: number | undefined;
  readonly usage: unknown;
  /** The last frames, by kind. */
  readonly doneCount: number;
  readonly isDoneLast: boolean;
}

/** Streams these bytes in every chunking and returns what came of it, which must be the same in all. */
async function outcomeOf(pieces: readonly (string | Uint8Array)[]): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (const [, cut] of chunkings(pieces)) {
    const upstream = await startRawUpstream(({ socket }) => void sendStream(socket, cut));
    const { stream, record } = await startFaultGateway([upstream]);
    const received = await stream();
    // An error that came before anything else is a response of its own.
    const frames = received.startsWith('{') ? [] : parseFrames(received);
    const chunks = received.startsWith('{') ? [] : chunksOf(received);
    const { record: written, content } = await record();
    const failure = received.startsWith('{')
      ? (JSON.parse(received) as { error: { code: number } })
      : chunks.find(({ error }) => error);
    outcomes.push({
      text: chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''),
      stored: content?.output.completion ?? null,
      finish: written.generation.finish_reason,
      errorCode: failure?.error?.code,
      usage: chunks.find(({ usage }) => usage)?.usage,
      doneCount: frames.filter((frame) => frame === 'done').length,
      isDoneLast: frames.at(-1) === 'done',
    });
  }
  const [first] = outcomes;
  for (const outcome of outcomes) expect(outcome).toEqual(first);
  return first as Outcome;
}

const whole = (text: string): object => ({
  text,
  stored: text,
  finish: 'stop',
  errorCode: undefined,
  doneCount: 1,
  isDoneLast: true,
  usage: expect.objectContaining(USAGE) as unknown,
});

test('21: characters of two, three and four bytes and joined emoji survive being cut anywhere', async () => {
  const text = 'é ß ☕ 你好 𝄞 😀 👩‍👩‍👧‍👦 🏳️‍🌈 z̲a̸l̷';
  expect(await outcomeOf([toEvents(text)])).toEqual(whole(text));
});

test('21: the same, where upstream escapes nothing and sends a character a piece', async () => {
  const bytes = Buffer.from(toEvents('naïve ', '☕👩‍👩‍👧‍👦'));
  expect(
    await outcomeOf(Array.from({ length: Math.ceil(bytes.length / 3) }, (_, i) => bytes.subarray(i * 3, i * 3 + 3))),
  ).toEqual(whole('naïve ☕👩‍👩‍👧‍👦'));
});

const LINES = toEvents('One ', 'two');

test.each([
  ['CR', LINES.replaceAll('\n', '\r')],
  ['LF', LINES],
  ['CRLF', LINES.replaceAll('\n', '\r\n')],
  ['all of them mixed', ['\n', '\r', '\r\n', '\n\r\n'].reduce((text, end, i) => replaceNth(text, i, end), LINES)],
])('22: lines that end in %s give the same events', async (_name, bytes) => {
  expect(await outcomeOf([bytes])).toEqual(whole('One two'));
});

/** Puts another line end in place of every fourth blank line's. */
function replaceNth(text: string, nth: number, end: string): string {
  let seen = 0;
  return text.replace(/\n\n/g, () => {
    seen += 1;
    return seen % 4 === nth ? end + end : '\n\n';
  });
}

test('23: one byte order mark at the beginning is no part of the stream', async () => {
  expect(await outcomeOf([`\uFEFF${LINES}`])).toEqual(whole('One two'));
});

test('23: a second byte order mark makes the first line one of an unknown field', async () => {
  expect(await outcomeOf([`\uFEFF\uFEFF${LINES}`])).toEqual(whole('two'));
});

test('23: a byte order mark later on is part of its line, or of its text', async () => {
  expect(await outcomeOf([`${toTextEvent('One ')}\uFEFF${toTextEvent('lost ')}${toEvents('two\uFEFF')}`])).toEqual(
    whole('One two\uFEFF'),
  );
});

test.each([
  ['no space after the colon', toEvents('Hi').replaceAll('data: ', 'data:')],
  ['two spaces after the colon', toEvents('Hi').replaceAll('data: ', 'data:  ')],
  ['events of a bare field name', `data\n\n${toEvents('Hi')}`],
  ['empty data', `data:\n\ndata: \n\n${toEvents('Hi')}`],
  ['unknown fields', `foo: bar\ndata-x: 1\nDATA: {}\n data: {}\n${toEvents('Hi')}`],
  ['an id with NUL', `id: a\0b\n${toEvents('Hi')}`],
  ['a retry that is no number', `retry: soon\nretry: -1\nretry: 10\n${toEvents('Hi')}`],
  ['an event name', toEvents('Hi').replaceAll('data: {', 'event: message\ndata: {')],
  ['a colon alone', `:\n:\n\n${toEvents('Hi')}`],
])('24: %s is read as the standard says', async (_name, bytes) => {
  expect(await outcomeOf([bytes])).toEqual(whole('Hi'));
});

test('25: several data lines of one event are one text with line feeds between them', async () => {
  const event = JSON.stringify(JSON.parse(toTextEvent('Hi').slice(6)), null, 1)
    .split('\n')
    .map((line) => `data:${line}\n`)
    .join('');
  expect(await outcomeOf([`${event}\n${toEvents('!')}`])).toEqual(whole('Hi!'));
});

test('26: comments between and inside events say nothing', async () => {
  const bytes = `: first\n\n${toTextEvent('One ').replace('data', ': inside\ndata')}:data: {"x":1}\n\n${toEvents('two')}`;
  expect(await outcomeOf([bytes])).toEqual(whole('One two'));
});

test('27: a last event without its blank line counts when it parses and says how the response ended', async () => {
  const { usage, ...expected } = whole('Hi') as { usage: unknown };
  expect(usage).toBeDefined();
  expect(await outcomeOf([toTextEvent('Hi') + FINISH_EVENT.trimEnd()])).toMatchObject(expected);
});

test('27: a last event without its blank line that says nothing of an end is a response cut short', async () => {
  expect(await outcomeOf([toTextEvent('One ') + toTextEvent('two').trimEnd()])).toMatchObject({
    text: 'One two',
    finish: 'error',
    errorCode: 502,
    isDoneLast: true,
  });
});

test('28: an end without [DONE] but with a finish reason is complete, and the client gets its [DONE]', async () => {
  expect(await outcomeOf([toTextEvent('Hi') + FINISH_EVENT + USAGE_EVENT])).toEqual(whole('Hi'));
});

test('29: an end without [DONE] and without a finish reason is an error', async () => {
  expect(await outcomeOf([toTextEvent('Hi')])).toMatchObject({
    text: 'Hi',
    stored: 'Hi',
    finish: 'error',
    errorCode: 502,
    isDoneLast: true,
  });
});

test('29: so is one with [DONE] and no finish reason', async () => {
  expect(await outcomeOf([toTextEvent('Hi') + DONE_EVENT])).toMatchObject({
    text: 'Hi',
    finish: 'error',
    errorCode: 502,
  });
});

test('30: an end in the middle of JSON is an error', async () => {
  const cut = toTextEvent('never shown').slice(0, 40);
  expect(await outcomeOf([toTextEvent('Hi') + cut])).toMatchObject({
    text: 'Hi',
    finish: 'error',
    errorCode: 502,
    isDoneLast: true,
  });
});

test('30: an end in the middle of a character is an error, and half a character is never shown', async () => {
  const event = Buffer.from(toTextEvent('☕'));
  expect(await outcomeOf([toTextEvent('Hi'), event.subarray(0, event.indexOf(0xe2) + 2)])).toMatchObject({
    text: 'Hi',
    stored: 'Hi',
    finish: 'error',
    errorCode: 502,
  });
});

test('31: bytes after [DONE] are ignored, and their connection is not used again', async () => {
  const upstream = await startRawUpstream(
    ({ socket }) => void sendStream(socket, [toEvents('Hi'), toTextEvent('too late'), toTextEvent('again')]),
  );
  const { stream } = await startFaultGateway([upstream]);

  for (let call = 0; call < 3; call += 1) {
    const text = await stream();
    expect(text).not.toMatch(/too late|again/);
    expect(parseFrames(text).at(-1)).toBe('done');
    await upstream.requests[call]?.closed;
  }
  expect(upstream.requests.map(({ connection }) => connection)).toEqual([0, 1, 2]);
});

test('31: data after [DONE] in the same piece is ignored, too', async () => {
  expect(await outcomeOf([toEvents('Hi') + toTextEvent('too late') + toEvent({ error: { message: 'x' } })])).toEqual(
    whole('Hi'),
  );
});

test.each([
  ['twice', DONE_EVENT],
  ['with spaces around it', 'data:   [DONE]  \n\n'],
  ['in small letters', 'data: [done]\n\n'],
])('32: [DONE] %s is one [DONE] to the client', async (_name, done) => {
  const bytes = toTextEvent('Hi') + FINISH_EVENT + USAGE_EVENT + done + (done === DONE_EVENT ? done : '');
  expect(await outcomeOf([bytes])).toEqual(whole('Hi'));
});
