import { expect, test } from 'vitest';

import { createMemoryStore } from '../stores/memory-store.ts';
import type { LiveSetup } from './live-setup.ts';
import { createOwnKeys } from './own-keys.ts';

test('nothing is waited for where no key is stored', () => {
  const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const liveSetup = {} as LiveSetup;
  const ownKeys = createOwnKeys({ store: createMemoryStore(), liveSetup, keepLimits: (provider) => provider, logger });
  expect(ownKeys.of({ workspaceId: 'w', keyHash: 'k', userId: undefined })).toBeUndefined();
});
