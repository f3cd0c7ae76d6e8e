import { expect, test } from 'vitest';

import { createTextSpool } from '../foundation/text-spool.ts';
import type { StoredContent } from '../stores/store.ts';
import { keepLongTexts, LongText, type LongTexts, LostTextError, toContentJson, withLongTexts } from './long-output.ts';

/** Characters that JSON escapes, and of one to four bytes. */
const ODD = '"a\\b"\n\u0000\u001f\u2028 Wörld 漢字 🎈';
const LONG = ODD.repeat(5000);

function toContent(texts: LongTexts): StoredContent {
  const output = {
    completion: 'replaced',
    reasoning: null,
    tool_calls: undefined,
    citations: ['https://example.com/"a"'],
  };
  return {
    input: { messages: [{ role: 'user', content: ODD }] },
    output: withLongTexts(output, texts),
    error: null,
    timeline: undefined,
    callTimeline: { before_ms: { request: 1, guardrails: 0, routing: 0, rate_limits: 0 }, attempts_ms: [2] },
  };
}

/** A text that was put aside in pieces of a length, half a character less where they would cut one; and how often it is read. */
function toLongText(text: string, length: number): { readonly long: LongText; readonly reads: () => number } {
  const pieces: Uint8Array[] = [];
  let reads = 0;
  const spool = createTextSpool(() => ({
    append: (bytes) => void pieces.push(bytes),
    read() {
      reads += 1;
      return pieces;
    },
    close: () => undefined,
  }));
  let rest = '';
  for (let at = 0; at < text.length; at += length) rest = spool.append(rest + text.slice(at, at + length));
  return { long: new LongText(() => spool.read(), rest), reads: () => reads };
}

const joined = (pieces: string | Iterable<string>): string =>
  typeof pieces === 'string' ? pieces : [...pieces].join('');

test.each([
  ['in pieces of 1,000 characters', 1000],
  ['in pieces of 65,536', 65_536],
  ['in one piece', LONG.length],
])('a content with long texts is written as JSON would write it, %s', (_, length) => {
  const { long, reads } = toLongText(`${LONG}\ud83c`, length);
  // What is not put aside may hold halves of characters.
  const reasoning = new LongText(() => [LONG], '"\udc00 Hm.\ud800');
  const content = toContent({ completion: long, reasoning });
  const json = joined(toContentJson(content));
  expect(reads()).toBe(1);
  const { output } = content;
  const expected = { ...output, completion: `${LONG}\ud83c`, reasoning: `${LONG}"\udc00 Hm.\ud800` };
  expect(json === JSON.stringify({ ...content, output: expected })).toBe(true);
});

test('a long text is written in pieces as short as those that were put aside', () => {
  const { long } = toLongText(LONG, 10_000);
  let longest = 0;
  for (const piece of toContentJson(toContent({ completion: long }))) longest = Math.max(longest, piece.length);
  expect(longest).toBeLessThan(2 * JSON.stringify(LONG.slice(0, 10_000)).length);
});

test('a content without long texts is written in one piece', () => {
  const content = toContent({});
  expect(toContentJson(content)).toBe(JSON.stringify(content));
});

test('who knows nothing of long texts reads each as a member, as often as they like', () => {
  const { long, reads } = toLongText(LONG, 1000);
  const content = toContent({ completion: long });
  expect(content.output.completion === LONG).toBe(true);
  expect((JSON.parse(JSON.stringify(content)) as StoredContent).output.completion === LONG).toBe(true);
  expect(structuredClone(content).output.completion === LONG).toBe(true);
  expect({ ...content.output }.completion === LONG).toBe(true);
  expect(Object.keys(content.output)).toEqual(['completion', 'reasoning', 'tool_calls', 'citations']);
  expect(reads()).toBe(1);
});

test('a text that nobody has read is kept, and one that was read in pieces is not read again', () => {
  const unread = toLongText(LONG, 1000);
  const content = toContent({ completion: unread.long });
  keepLongTexts(content);
  expect(unread.reads()).toBe(1);
  expect(content.output.completion === LONG).toBe(true);
  expect(unread.reads()).toBe(1);

  const read = toLongText(LONG, 1000);
  expect(joined(read.long.pieces()) === LONG).toBe(true);
  keepLongTexts(toContent({ completion: read.long }));
  expect(read.reads()).toBe(1);
});

test('a text that cannot be read again is not passed off for another', () => {
  const read = (): Iterable<string> => {
    throw new Error('The disk is gone');
  };
  const content = toContent({ completion: new LongText(read, 'rest') });
  expect(() => content.output.completion).toThrow(LostTextError);
  expect(() => joined(toContentJson(content))).toThrow(LostTextError);
  expect(() => JSON.stringify(content)).toThrow(LostTextError);
  keepLongTexts(content);
  expect(() => content.output.completion).toThrow(LostTextError);
});
