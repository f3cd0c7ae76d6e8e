import { expect, test } from 'vitest';

import { createVirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
import { toDestination } from '../../../../test/support/broadcast/broadcast-bench.ts';
import { toContent, toRecord } from '../../../../test/support/stores/generation-records.ts';
import { createMemoryStore } from '../stores/memory-store.ts';
import { createTraceLoader } from './deliver-generations.ts';

test('reads the request and the completion, without the parts that the API does not show', async () => {
  const store = createMemoryStore();
  const timeline = { interval_ms: 20, gaps_ms: [5], text: [7] };
  await store.generations.append(toRecord('gen-1'), { ...toContent('x'), timeline });
  const loadFor = createTraceLoader({ store, platform: createVirtualPlatform(), bootstrapKeys: [] });
  const load = await loadFor(toDestination('d', { type: 'webhook', config: {} }));
  expect((await load('gen-1'))?.content).toEqual(toContent('x'));
});
