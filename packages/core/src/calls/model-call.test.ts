import { expect, test } from 'vitest';

import { createVirtualPlatform, VIRTUAL_EPOCH_MS } from '../../../../test/support/async/virtual-platform.ts';
import { createGenerationId } from './model-call.ts';

test('makes ids of generations that sort by second and never repeat', () => {
  const platform = createVirtualPlatform();
  const ids = Array.from({ length: 3 }, () => createGenerationId(platform));
  for (const id of ids) expect(id).toMatch(new RegExp(`^gen-${VIRTUAL_EPOCH_MS / 1000}-[0-9a-f]{32}$`));
  expect(new Set(ids).size).toBe(3);
});
