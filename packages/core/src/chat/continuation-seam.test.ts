import fc from 'fast-check';
import { expect, test } from 'vitest';

import { joinAtSeam, type Seam } from './continuation-seam.ts';

const SENTENCE = 'The quick brown fox jumps over the lazy dog';

/** The whole text after a seam, when the continuation comes in pieces of this length. */
function join(seam: Partial<Seam> & { readonly prefill: string }, continuation: string, length: number): string {
  const joint = joinAtSeam({ gap: '', mayRepeatAll: false, ...seam });
  let text = seam.prefill + (seam.gap ?? '');
  for (let at = 0; at < continuation.length; at += length) text += joint.push(continuation.slice(at, at + length));
  return text + joint.end();
}

const LENGTHS = [1, 2, 7, 1000];

test.each(LENGTHS)('joins what follows, in pieces of %i', (length) => {
  expect(join({ prefill: 'The qui' }, 'ck brown fox', length)).toBe('The quick brown fox');
  expect(join({ prefill: 'ha' }, 'haha', length)).toBe('hahaha');
  expect(join({ prefill: '' }, 'Hello', length)).toBe('Hello');
  expect(join({ prefill: 'done' }, '', length)).toBe('done');
});

test.each(LENGTHS)('brings white space once, in pieces of %i', (length) => {
  expect(join({ prefill: 'one', gap: ' ' }, ' two', length)).toBe('one two');
  expect(join({ prefill: 'one', gap: ' ' }, 'two', length)).toBe('one two');
  expect(join({ prefill: 'one', gap: '\n' }, '\n\ntwo', length)).toBe('one\n\ntwo');
  expect(join({ prefill: 'one', gap: '\n\n' }, '\ntwo', length)).toBe('one\n\ntwo');
  expect(join({ prefill: 'one', gap: '\n\n' }, '\n', length)).toBe('one\n\n');
});

test.each(LENGTHS)('leaves out the end of the text where it is repeated, in pieces of %i', (length) => {
  const prefill = `${SENTENCE}, they say`;
  expect(join({ prefill }, `${prefill.slice(-20)} again.`, length)).toBe(`${prefill} again.`);
  expect(join({ prefill }, `${prefill.slice(-50)} again.`, length)).toBe(`${prefill} again.`);
  expect(join({ prefill, gap: ' ' }, `${prefill.slice(-30)} again.`, length)).toBe(`${prefill} again.`);
  expect(join({ prefill }, prefill.slice(-30), length)).toBe(prefill);
  // A few words may well come twice.
  expect(join({ prefill }, ', they say again.', length)).toBe(`${prefill}, they say again.`);
});

test.each(LENGTHS)('leaves out the whole text where it is repeated, in pieces of %i', (length) => {
  const prefill = `${SENTENCE}, they say, again and again. Who would believe it?`;
  expect(join({ prefill }, `${prefill}. The end.`, length)).toBe(`${prefill}. The end.`);
  expect(join({ prefill: 'Hel', mayRepeatAll: true }, 'Hello', length)).toBe('Hello');
  expect(join({ prefill: 'Hel', mayRepeatAll: true }, 'lo', length)).toBe('Hello');
  expect(join({ prefill: 'Hel', mayRepeatAll: true }, 'He', length)).toBe('HelHe');
});

test('holds back nothing that cannot be a repetition', () => {
  const joint = joinAtSeam({ prefill: `${SENTENCE}, they say`, gap: ' ', mayRepeatAll: false });
  expect(joint.push('Zebra')).toBe('Zebra');
  expect(joint.push('The quick')).toBe('The quick');
});

test.each(LENGTHS)('takes more of a line of dashes for no repetition, in pieces of %i', (length) => {
  expect(join({ prefill: '-'.repeat(30) }, '-'.repeat(40), length)).toBe('-'.repeat(70));
  expect(join({ prefill: '| --- | --- | --- | --- |' }, ' --- | --- | --- | --- |', length)).toBe(
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
  );
});

test('joins a text that broke anywhere to the same text', () => {
  const texts = fc.oneof(
    fc.string({ minLength: 1, maxLength: 80, unit: 'grapheme' }),
    fc.array(fc.constantFrom('a', 'b', ' ', '\n', '-', '🎈'), { maxLength: 19 }).map((units) => units.join('')),
    fc.constantFrom(SENTENCE, 'one\n\n  two   three\n', '#'.repeat(100)),
  );
  fc.assert(
    fc.property(texts, fc.nat(), fc.constantFrom(...LENGTHS), (text, place, length) => {
      const sent = text.slice(0, place % (text.length + 1));
      const prefill = sent.trimEnd();
      const gap = sent.slice(prefill.length);
      expect(join({ prefill, gap }, text.slice(prefill.length), length)).toBe(text);
    }),
    { numRuns: 1000 },
  );
});
