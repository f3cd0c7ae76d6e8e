import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { IncomingVideo, ArchivedVideo } from '@model-gateway/core';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { createFileVideoArchive } from './file-video-archive.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-videos-'));
});
afterEach(() => rm(dir, { recursive: true }));

async function* piecesOf(text: string, end?: Error): AsyncGenerator<Uint8Array> {
  for (const letter of text) yield Buffer.from(letter);
  if (end !== undefined) throw end;
}

const toVideo = (text: string, rest: Partial<IncomingVideo> = {}): IncomingVideo => ({
  contentType: 'video/mp4',
  bytes: text.length,
  body: piecesOf(text),
  ...rest,
});

async function textOf(
  video: ArchivedVideo | undefined,
  start = 0,
  end = video?.bytes ?? 0,
): Promise<string | undefined> {
  if (video === undefined) return undefined;
  const pieces: Uint8Array[] = [];
  for await (const piece of video.read(start, end)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

test('a video is kept as a file that any player opens, and read whole or in part after a restart', async () => {
  const first = await createFileVideoArchive({ dir, maxBytes: 100 });
  expect(await first.save('job-0', toVideo('0123456789', { contentType: 'video/webm; codecs=x' }))).toBe(true);
  expect(await readdir(dir)).toEqual(['job-0.webm']);
  for (const archive of [first, await createFileVideoArchive({ dir, maxBytes: 100 })]) {
    const video = await archive.find('job-0');
    expect(video).toMatchObject({ contentType: 'video/webm', bytes: 10 });
    expect([await textOf(video), await textOf(video, 3, 5)]).toEqual(['0123456789', '34']);
    expect(await archive.find('job-1')).toBeUndefined();
  }
});

test('the oldest go for a new one, and what is larger than all the room is not kept', async () => {
  const archive = await createFileVideoArchive({ dir, maxBytes: 25 });
  for (const name of ['a-0', 'b-0', 'c-0']) expect(await archive.save(name, toVideo(name.repeat(3)))).toBe(true);
  expect(await textOf(await archive.find('a-0'))).toBeUndefined();
  expect(await textOf(await archive.find('b-0'))).toBe('b-0b-0b-0');
  let isLeft = false;
  const body = (async function* () {
    try {
      yield* piecesOf('x'.repeat(26));
    } finally {
      isLeft = true;
    }
  })();
  expect(await archive.save('d-0', toVideo('', { bytes: undefined, body }))).toBe(false);
  expect(isLeft).toBe(true);
  expect(await archive.save('e-0', toVideo('', { bytes: 26 }))).toBe(false);
  expect(await archive.save('f-0', toVideo('x'.repeat(25), { bytes: undefined }))).toBe(true);
  expect(await readdir(dir)).toEqual(['f-0.mp4']);
});

test.each([
  ['breaks off', toVideo('half', { bytes: 8, body: piecesOf('half', new Error('reset')) }), 'reset'],
  ['ends too soon', toVideo('half', { bytes: 8 }), 'ended after 4 of 8 bytes'],
  ['is empty', toVideo('', { bytes: undefined }), 'ended after 0 of its bytes'],
])('a video that %s leaves nothing, and its room is free', async (_name, video, message) => {
  const archive = await createFileVideoArchive({ dir, maxBytes: 10 });
  await expect(archive.save('a-0', video)).rejects.toThrow(message);
  expect(await readdir(dir)).toEqual([]);
  expect(await archive.find('a-0')).toBeUndefined();
  expect(await archive.save('b-0', toVideo('0123456789'))).toBe(true);
});

test('a start removes what is too old or was never whole, and leaves alone what is not its own', async () => {
  await writeFile(join(dir, 'old-0.mp4'), 'old');
  await utimes(join(dir, 'old-0.mp4'), 0, 0);
  await writeFile(join(dir, 'new-0.mp4'), 'new');
  await writeFile(join(dir, 'half-0.mp4.0123456789ab.gateway-tmp'), 'half');
  await writeFile(join(dir, 'notes.txt'), 'mine');
  const archive = await createFileVideoArchive({ dir, maxBytes: 100, maxAgeMs: 86_400_000 });
  expect((await readdir(dir)).toSorted()).toEqual(['new-0.mp4', 'notes.txt']);
  expect(await textOf(await archive.find('new-0'))).toBe('new');
});

test('ages are judged by the given clock', async () => {
  await writeFile(join(dir, 'old-0.mp4'), 'old');
  const dayMs = 86_400_000;
  await createFileVideoArchive({ dir, maxBytes: 100, maxAgeMs: dayMs, now: () => Date.now() + dayMs / 2 });
  expect(await readdir(dir)).toEqual(['old-0.mp4']);
  await createFileVideoArchive({ dir, maxBytes: 100, maxAgeMs: dayMs, now: () => Date.now() + 2 * dayMs });
  expect(await readdir(dir)).toEqual([]);
});

test('a video that has made room for others while it was found says so instead of ending early', async () => {
  const archive = await createFileVideoArchive({ dir, maxBytes: 10 });
  await archive.save('a-0', toVideo('0123456789'));
  const found = await archive.find('a-0');
  await archive.save('b-0', toVideo('0123456789'));
  await expect(textOf(found)).rejects.toThrow('has had to make room');
});
