import { expect, test } from 'vitest';

import { toTurns } from '../../../testing/rows.ts';
import { fromPacked, toPackedJson, toStoredForm } from './content-form.ts';
import { createMemoryBlocks } from './memory-blocks.ts';

test('a block stays as long as something refers to it, and goes with the last that does', () => {
  const blocks = createMemoryBlocks();
  const packed = toTurns(20).map((content) => toPackedJson(toStoredForm(content), blocks.put));
  for (const json of packed) blocks.hold(json);
  const forms = toTurns(20).map(toStoredForm);
  const order = packed.map((_, turn) => (turn * 7) % 20);
  for (const [at, turn] of order.entries()) {
    blocks.letGo(packed[turn] ?? '');
    for (const left of order.slice(at + 1)) {
      expect(fromPacked(JSON.parse(packed[left] ?? ''), blocks.read)).toEqual(JSON.parse(JSON.stringify(forms[left])));
    }
  }
  expect(blocks.size).toBe(0);
});

test('the same block is held once, whoever puts it', () => {
  const blocks = createMemoryBlocks();
  const [one, two] = [1, 2].map(() => toPackedJson({ a: 'x'.repeat(300) }, blocks.put));
  expect(one).toBe(two);
  expect(blocks.size).toBe(1);
});

test('a reference that nothing has is refused', () => {
  expect(() => createMemoryBlocks().read('z')).toThrow('no block z');
});
