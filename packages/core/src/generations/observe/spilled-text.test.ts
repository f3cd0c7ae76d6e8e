import { expect, test } from 'vitest';

import type { Scratch } from '../../foundation/platform.ts';
import { createSpilledText } from './spilled-text.ts';

const MAX_LENGTH = 10_000_000;

test('gives back what it was given, in one piece', () => {
  const packed = createSpilledText({ maxLength: MAX_LENGTH });
  expect(packed.append('\uFEFFHallo, ')).toBe('');
  expect(packed.append('Wörld 漢字 🎈')).toBe('');
  expect(packed.unpack()).toBe('\uFEFFHallo, Wörld 漢字 🎈');
});

test('leaves half a character to whoever has the other half', () => {
  const packed = createSpilledText({ maxLength: MAX_LENGTH });
  const [high, low] = ['🎈'.slice(0, 1), '🎈'.slice(1)];
  const rest = packed.append(`a${high}`);
  expect(rest).toBe(high);
  expect(packed.append(rest + low)).toBe('');
  expect(packed.unpack()).toBe('a🎈');
});

test('gives back megabytes of characters of every size', () => {
  const packed = createSpilledText({ maxLength: MAX_LENGTH });
  const piece = `${'Wörld 漢字 🎈'.repeat(9000)}x`;
  for (let i = 0; i < 12; i += 1) packed.append(piece);
  expect(packed.unpack() === piece.repeat(12)).toBe(true);
});

test('knows the length and the weight of what it was given, half characters left out', () => {
  const packed = createSpilledText({ maxLength: MAX_LENGTH });
  packed.append('abcd');
  packed.append(`漢${'🎈'.slice(0, 1)}`);
  expect(packed).toMatchObject({ length: 5, weight: 1.75 });
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
  const packed = createSpilledText({ maxLength: MAX_LENGTH, openScratch: () => scratch });
  packed.append('Wörld ');
  packed.append('漢字');
  expect(scratch.pieces.map((bytes) => bytes.length)).toEqual([7, 6]);
  expect(scratch.isClosed).toBe(false);
  expect(packed.unpack()).toBe('Wörld 漢字');
  expect(scratch.isClosed).toBe(true);
});

test('lets go of a text that grows too long, and still knows how long it was', () => {
  const scratch = createListScratch();
  const packed = createSpilledText({ maxLength: 8, openScratch: () => scratch });
  packed.append('12345678');
  expect(scratch.isClosed).toBe(false);
  packed.append('9');
  expect(scratch.isClosed).toBe(true);
  packed.append('more');
  expect(scratch.pieces).toHaveLength(1);
  expect(packed.unpack()).toBeNull();
  expect(packed).toMatchObject({ length: 13, weight: 13 / 4 });
});

test('does not pass off what could not be read again for an empty text', () => {
  const scratch = createListScratch();
  const packed = createSpilledText({ maxLength: MAX_LENGTH, openScratch: () => scratch });
  packed.append('text');
  scratch.isReadable = false;
  expect(packed.unpack()).toBeNull();
  expect(scratch.isClosed).toBe(true);
});
