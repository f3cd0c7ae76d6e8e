import { expect, test } from 'vitest';

import { createNodePlatform } from '../../../node/src/node-platform.ts';
import { cut, redact, toDifference, withoutKeys } from './redact.ts';

const platform = createNodePlatform();

test('hides who stands in an address, in texts of any length', async () => {
  const clean = await withoutKeys('see postgres+ssl://me:secret@db.example/x and a@b', platform);
  expect(clean).toBe('see postgres+ssl://…@db.example/x and a@b');
  // Each word could begin an address.
  const words = 'a-'.repeat(500_000);
  await expect(withoutKeys(words, platform)).resolves.toBe(words);
});

const differenceOf = async (before: object, after: object) => {
  const [was, is] = [await redact('scimGroups', before, platform), await redact('scimGroups', after, platform)];
  const difference = toDifference(was, is);
  return { before: cut(difference.before), after: cut(difference.after) };
};

test('shows what differs in rows that are too large to be shown as a whole', async () => {
  const members = Array.from({ length: 5000 }, (_, index) => `member-${index}`);
  const group = { displayName: 'All', members };
  expect(await differenceOf(group, { ...group, members: [...members.slice(1), 'new', 'new'] })).toEqual({
    before: { members: ['member-0'] },
    after: { members: ['new', 'new'] },
  });
  const moved = await differenceOf(group, { ...group, members: members.toReversed() });
  expect(moved.after).toEqual({ members: expect.stringMatching(/^… \(\d+ characters\)$/) as string });
  const text = 'x'.repeat(3000);
  const changed = await differenceOf({ text: `${text}a` }, { text: `${text}b` });
  expect(changed.before).toEqual({ text: `${'x'.repeat(2000)}… (3001 characters)` });
  expect(changed.after).toEqual(changed.before);
});

test('shows short lists as a whole', async () => {
  const lists = { before: { members: ['a', 'b'] }, after: { members: ['b'] } };
  expect(await differenceOf(lists.before, lists.after)).toEqual(lists);
});
