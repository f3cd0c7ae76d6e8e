import { expect, test } from 'vitest';

import type { Scratch } from '../../foundation/platform.ts';
import { createSpilledText } from './spilled-text.ts';

const MAX_LENGTH = 10_000_000;

test('gives back what it was given, in one piece', () => {
  const spilled = createSpilledText({ maxLength: MAX_LENGTH });
  expect(spilled.append('\uFEFFHallo, ')).toBe('');
  expect(spilled.append('Wörld 漢字 🎈')).toBe('');
  expect(spilled.readBack()).toBe('\uFEFFHallo, Wörld 漢字 🎈');
});

test('does not split a surrogate pair', () => {
  const spilled = createSpilledText({ maxLength: MAX_LENGTH });
  const [high, low] = ['🎈'.slice(0, 1), '🎈'.slice(1)];
  const rest = spilled.append(`a${high}`);
  expect(rest).toBe(high);
  expect(spilled.append(rest + low)).toBe('');
  expect(spilled.readBack()).toBe('a🎈');
});

test('gives back megabytes of characters of every size', () => {
  const spilled = createSpilledText({ maxLength: MAX_LENGTH });
  const piece = `${'Wörld 漢字 🎈'.repeat(9000)}x`;
  for (let i = 0; i < 12; i += 1) spilled.append(piece);
  expect(spilled.readBack() === piece.repeat(12)).toBe(true);
});

test('knows the length and the weight of what it was given, half characters left out', () => {
  const spilled = createSpilledText({ maxLength: MAX_LENGTH });
  spilled.append('abcd');
  spilled.append(`漢${'🎈'.slice(0, 1)}`);
  expect(spilled).toMatchObject({ length: 5, weight: 1.75 });
});

/** A scratch in a list, and whether it was closed. */
function createListScratch(): Scratch & { readonly pieces: Uint8Array[]; isClosed: boolean; isReadable: boolean } {
  const scratch = {
    pieces: [] as Uint8Array[],
    isClosed: false,
    isReadable: true,
    append: (bytes: Uint8Array) => void scratch.pieces.push(bytes),
    read: () => (scratch.isReadable ? scratch.pieces : null),
    close: () => void (scratch.isClosed = true),
  };
  return scratch;
}

test('keeps a text in the scratch that it is given, and closes it once it has been read', () => {
  const scratch = createListScratch();
  const spilled = createSpilledText({ maxLength: MAX_LENGTH, openScratch: () => scratch });
  spilled.append('Wörld ');
  spilled.append('漢字');
  expect(scratch.pieces.map((bytes) => bytes.length)).toEqual([7, 6]);
  expect(scratch.isClosed).toBe(false);
  expect(spilled.readBack()).toBe('Wörld 漢字');
  expect(scratch.isClosed).toBe(true);
});

test('lets go of a text that grows too long, and still knows how long it was', () => {
  const scratch = createListScratch();
  const spilled = createSpilledText({ maxLength: 8, openScratch: () => scratch });
  spilled.append('12345678');
  expect(scratch.isClosed).toBe(false);
  spilled.append('9');
  expect(scratch.isClosed).toBe(true);
  spilled.append('more');
  expect(scratch.pieces).toHaveLength(1);
  expect(spilled.readBack()).toBeNull();
  expect(spilled).toMatchObject({ length: 13, weight: 13 / 4 });
});

test('does not pass off what could not be read again for an empty text', () => {
  const scratch = createListScratch();
  const spilled = createSpilledText({ maxLength: MAX_LENGTH, openScratch: () => scratch });
  spilled.append('text');
  scratch.isReadable = false;
  expect(spilled.readBack()).toBeNull();
  expect(scratch.isClosed).toBe(true);
});
