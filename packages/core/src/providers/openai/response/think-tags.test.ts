import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createThinkTagSplitter } from './think-tags.ts';

/** Splits a text that comes in these pieces. */
function split(pieces: readonly string[]): { reasoning: string; content: string } {
  const splitter = createThinkTagSplitter();
  const parts = [...pieces.map((piece) => splitter.push(piece)), splitter.flush()];
  return {
    reasoning: parts.map(({ reasoning }) => reasoning).join(''),
    content: parts.map(({ content }) => content).join(''),
  };
}

test.each([
  ['<think>hm</think>Hi', 'hm', 'Hi'],
  ['\n<think>\nhm\n</think>\n\nHi\n', 'hm\n', 'Hi\n'],
  ['<think>\n\n</think>\n\nHi', '', 'Hi'],
  ['<think>1 < 2 and </thin </think>Hi', '1 < 2 and </thin ', 'Hi'],
  ['<think>cut', 'cut', ''],
  ['<think>cut</thi', 'cut</thi', ''],
  ['Hi <think>no</think>', '', 'Hi <think>no</think>'],
  ['<think>a</think>b<think>c</think>', 'a', 'b<think>c</think>'],
  ['<thinking>no</thinking>', '', '<thinking>no</thinking>'],
  ['  <thin', '', '  <thin'],
  [' Hi', '', ' Hi'],
  ['', '', ''],
])('splits %j the same in one piece and letter by letter', (text, reasoning, content) => {
  expect(split([text])).toEqual({ reasoning, content });
  expect(split(text.split(''))).toEqual({ reasoning, content });
});

test('splits the same wherever a text is cut, and loses nothing but the tags and the blank around them', () => {
  const token = fc.constantFrom('<think>', '</think>', '<', '/', 'think', '>', ' ', '\n', 'a', 'b');
  fc.assert(
    fc.property(fc.array(token, { maxLength: 12 }), fc.array(fc.nat(40), { maxLength: 6 }), (tokens, cuts) => {
      const text = tokens.join('');
      const places = [0, ...cuts.filter((cut) => cut < text.length).toSorted((a, b) => a - b), text.length];
      const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
      expect(split(pieces)).toEqual(split([text]));
      const { reasoning, content } = split([text]);
      const bare = (part: string): string => part.replaceAll(/<\/?think>|\s/g, '');
      expect(bare(reasoning + content)).toBe(bare(text));
    }),
  );
});

test('hands on every text at once as soon as it knows that no block comes', () => {
  const splitter = createThinkTagSplitter();
  expect(splitter.push('<')).toEqual({ reasoning: '', content: '' });
  expect(splitter.push('b')).toEqual({ reasoning: '', content: '<b' });
  expect(splitter.push('<think>')).toEqual({ reasoning: '', content: '<think>' });
});
