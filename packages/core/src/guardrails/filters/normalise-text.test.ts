import fc from 'fast-check';
import { expect, test } from 'vitest';

import { normaliseSegments, normaliseText } from './normalise-text.ts';

test.each([
  ['plain', 'plain'],
  ['ｌａｕｎｃｈ', 'launch'],
  ['lau\u200Bnch', 'launch'],
  ['se\u00ADcret', 'secret'],
  ['\uFEFFsecret\u2060', 'secret'],
  ['4111\u00A01111', '4111 1111'],
  ['ﬁle', 'file'],
  ['cafe\u0301', 'café'],
  ['①', '1'],
  ['naïve – fine', 'naïve – fine'],
  ['a\u{E0041}b', 'ab'],
  ['\u1112\u1161\u11AB', '한'],
])('sees %j as %j', (original, expected) => {
  expect(normaliseText(original).text).toBe(expected);
});

test('leads back to the whole of what was written, invisible characters inside included', () => {
  const original = 'the ｌau\u200Bnch, ﬁne';
  const { text, originalStart, originalEnd } = normaliseText(original);
  const at = text.indexOf('launch');
  expect(original.slice(originalStart(at), originalEnd(at + 6))).toBe('ｌau\u200Bnch');
  const ligature = text.indexOf('i', at);
  expect(original.slice(originalStart(ligature), originalEnd(ligature + 1))).toBe('ﬁ');
});

const written = fc.string({
  unit: fc.constantFrom(
    'a',
    ' ',
    'é',
    '\u0301',
    '\u0327',
    '\u200B',
    'ﬁ',
    'ｘ',
    '\u1112',
    '\u1161',
    '\u11AB',
    '😀',
    '\uD83D',
    '①',
    '\u00AD',
    'ﷺ',
    '가',
  ),
  maxLength: 40,
});

test('finds the same form in pieces as at once, and as the whole text has without what draws nothing', () => {
  fc.assert(
    fc.property(written, fc.array(fc.nat(40)), (original, cuts) => {
      const whole = { starts: [] as number[], ends: [] as number[] };
      const atOnce = normaliseSegments(original, { ...whole, base: 0, isEnd: true });
      const parts = { starts: [] as number[], ends: [] as number[] };
      let text = '';
      let tail = '';
      let base = 0;
      const points = [...new Set(cuts)].filter((cut) => cut < original.length).toSorted((a, b) => a - b);
      for (const [index, from] of [0, ...points].entries()) {
        tail += original.slice(from, points[index] ?? original.length);
        const step = normaliseSegments(tail, { ...parts, base, isEnd: index === points.length });
        text += step.text;
        tail = tail.slice(step.taken);
        base += step.taken;
      }
      expect({ text, ...parts }).toEqual({ text: atOnce.text, ...whole });
      expect(atOnce.taken).toBe(original.length);
      expect(whole.starts).toHaveLength(text.length);
    }),
    { numRuns: 2000 },
  );
});

test('a flood of marks and one of invisible characters stay short pieces', () => {
  const marks = `a${'\u0301'.repeat(100_000)}`;
  const sink = { starts: [] as number[], ends: [] as number[] };
  const { taken } = normaliseSegments(marks, { ...sink, base: 0, isEnd: false });
  expect(marks.length - taken).toBeLessThanOrEqual(33);
  expect(normaliseText('\u200B'.repeat(100_000)).text).toBe('');
});
