import { expect, test } from 'vitest';

import { createEntry } from './generation-entry.ts';
import { createGenerationIndex } from './generation-index.ts';

const version = {
  principalId: 'key-1',
  userId: undefined,
  workspaceId: undefined,
  costNanoUsd: 0,
  day: '2026-03-01',
  isByok: false,
  record: undefined,
  text: undefined,
  facts: undefined,
};

test('an id is found and taken in every segment, in whatever order ids have come', () => {
  const index = createGenerationIndex();
  const ids = ['m', 'z', 'a', 'mm', 'b', '~', 'y', 'aa'];
  for (const [at, id] of ids.entries()) index.add(createEntry(id, `2026-03-0${1 + (at % 3)}`, version, null));
  for (const id of ids) expect([id, index.find(id)?.id, index.has(id)]).toEqual([id, id, true]);
  for (const id of ['', 'c', 'n', '~~']) expect([id, index.find(id), index.has(id)]).toEqual([id, undefined, false]);
});

test('an id that was given back can be taken again, and is found once it is written', () => {
  const index = createGenerationIndex();
  const entry = createEntry('b', '2026-03-01', version, null);
  index.reserve(entry);
  expect([index.has('b'), index.find('b')]).toEqual([true, undefined]);
  index.release(entry);
  expect(index.has('b')).toBe(false);
  index.add(createEntry('a', '2026-03-01', version, null));
  index.reserve(entry);
  index.settle(entry);
  expect([index.find('b'), index.find('a')?.id]).toEqual([entry, 'a']);
});

test('ids go with the segment that is dropped', () => {
  const index = createGenerationIndex();
  index.add(createEntry('a', '2026-03-01', version, null));
  index.add(createEntry('b', '2026-03-02', version, null));
  index.removeThrough('2026-03-01');
  expect([index.has('a'), index.find('b')?.position, index.size]).toEqual([false, 0, 1]);
});
