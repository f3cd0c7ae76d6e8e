import { expect, test } from 'vitest';

import { createNodePlatform } from '../../../node/src/node-platform.ts';
import { withoutKeys } from './redact.ts';

const platform = createNodePlatform();

test('hides who stands in an address, in texts of any length', async () => {
  const clean = await withoutKeys('see postgres+ssl://me:secret@db.example/x and a@b', platform);
  expect(clean).toBe('see postgres+ssl://…@db.example/x and a@b');
  // Each word could begin an address.
  const words = 'a-'.repeat(500_000);
  await expect(withoutKeys(words, platform)).resolves.toBe(words);
});
