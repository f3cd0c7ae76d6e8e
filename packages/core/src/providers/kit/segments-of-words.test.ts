import { expect, test } from 'vitest';

import { segmentsOfWords } from './segments-of-words.ts';

/** Words of half a second each, without a pause. */
const wordsOf = (text: string) =>
  text.split(' ').map((word, index) => ({ word, start: index / 2, end: (index + 1) / 2 }));
const textsOf = (...args: Parameters<typeof segmentsOfWords>) => segmentsOfWords(...args).map(({ text }) => text);

test('makes a segment of each sentence, with the time of its first and last word', () => {
  expect(segmentsOfWords(wordsOf('Hello there. “Who is it?” A fox'))).toEqual([
    { id: 0, start: 0, end: 1, text: 'Hello there.' },
    { id: 1, start: 1, end: 2.5, text: '“Who is it?”' },
    { id: 2, start: 2.5, end: 3.5, text: 'A fox' },
  ]);
});

test('cuts where somebody pauses, and where a subtitle would be too long', () => {
  const [one, other] = [
    { word: 'one', start: 0, end: 1 },
    { word: 'two', start: 2, end: 3 },
  ] as const;
  expect(textsOf([one, other])).toEqual(['one', 'two']);
  expect(textsOf([one, { ...other, start: 1.9 }])).toEqual(['one two']);
  const texts = textsOf(wordsOf(Array(40).fill('word').join(' ')));
  expect(texts.map(({ length }) => length)).toEqual([84, 84, 29]);
});

test('puts nothing between words of a language without spaces', () => {
  expect(textsOf(wordsOf('狐 狸。 雪'), '')).toEqual(['狐狸。', '雪']);
  expect(textsOf([])).toEqual([]);
});
