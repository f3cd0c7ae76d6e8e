import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

import type { Scratch } from '@model-gateway/core';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { openScratchFile } from './node-platform.ts';

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'scratch-file-'));
});
afterEach(() => rm(dir, { recursive: true }));

const PIECES = Array.from({ length: 20 }, (_, index) => new Uint8Array(70_000).fill(index));

function fill(scratch: Scratch): void {
  for (const piece of PIECES) scratch.append(piece.slice());
}

const toText = (pieces: Iterable<Uint8Array> | null): string =>
  Buffer.concat(Array.from(pieces ?? [])).toString('latin1');

test('gives back what was put aside, whether or not it has reached the file', async () => {
  const scratch = openScratchFile(dir);
  fill(scratch);
  expect(toText(scratch.read()) === toText(PIECES)).toBe(true);
  for (let turn = 0; turn < 50; turn += 1) await setImmediate();
  expect(toText(scratch.read()) === toText(PIECES)).toBe(true);
  scratch.close();
});

test('leaves no name behind in the folder, from the first moment on', async () => {
  const scratch = openScratchFile(dir);
  expect(await readdir(dir)).toEqual([]);
  fill(scratch);
  scratch.close();
  expect(await readdir(dir)).toEqual([]);
});

test('keeps in memory what no file can be made for', () => {
  const scratch = openScratchFile(join(dir, 'missing'));
  fill(scratch);
  expect(toText(scratch.read()) === toText(PIECES)).toBe(true);
  scratch.close();
});
