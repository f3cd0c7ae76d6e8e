import { expect, test } from 'vitest';

import { createPackedText } from './packed-text.ts';

test('gives back what it was given, in one piece', () => {
  const packed = createPackedText();
  expect(packed.unpack()).toBe('');
  expect(packed.append('\uFEFFHallo, ')).toBe('');
  expect(packed.append('Wörld 漢字 🎈')).toBe('');
  expect(packed.unpack()).toBe('\uFEFFHallo, Wörld 漢字 🎈');
});

test('leaves half a character to whoever has the other half', () => {
  const packed = createPackedText();
  const [high, low] = ['🎈'.slice(0, 1), '🎈'.slice(1)];
  const rest = packed.append(`a${high}`);
  expect(rest).toBe(high);
  expect(packed.append(rest + low)).toBe('');
  expect(packed.unpack()).toBe('a🎈');
});
