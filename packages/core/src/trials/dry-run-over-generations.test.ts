import { expect, test } from 'vitest';

import { createVirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
import { toRecord } from '../../../../test/support/stores/generation-records.ts';
import { toNewGuardrail } from '../guardrails/change-guardrail.ts';
import { compilePolicy } from '../guardrails/policy.ts';
import { createMemoryStore } from '../stores/memory-store.ts';
import { dryRunOverGenerations } from './dry-run-over-generations.ts';
import type { DryRunParts } from './dry-run.ts';

test('lets others have their turn every few milliseconds, and tells of itself a few times a second', async () => {
  const store = createMemoryStore();
  for (let call = 0; call < 1000; call += 1) await store.generations.append(toRecord(`gen-${call}`), null);
  let nowMs = 0;
  let turnedAt = 0;
  let turns = 0;
  let longestMs = 0;
  const platform = {
    ...createVirtualPlatform(),
    // Each look at the clock takes a millisecond.
    monotonicNow: () => (nowMs += 1),
    async nextTurn() {
      longestMs = Math.max(longestMs, nowMs - turnedAt);
      turnedAt = nowMs;
      turns += 1;
    },
  };
  const catalog = { find: () => undefined, providerNames: { toTags: () => [] } };
  const guardrail = toNewGuardrail({ id: 'g', name: 'g', workspace_id: null, created_at: '2026-03-01T00:00:00Z' });
  const policy = await compilePolicy([{ scope: 'api-key', guardrail }], catalog as unknown as DryRunParts['catalog']);
  const { signal } = new AbortController();
  const run = { guardrail, policy, filter: {}, examples: 0, signal };
  const parts = { store, platform, catalog } as unknown as DryRunParts;
  const progress: number[] = [];
  for await (const line of dryRunOverGenerations(run, parts)) {
    progress.push((JSON.parse(new TextDecoder().decode(line)) as { looked_at: number }).looked_at);
  }
  expect(turns).toBeGreaterThan(100);
  expect(longestMs).toBeLessThan(20);
  expect(progress[0]).toBe(0);
  expect(progress.at(-1)).toBe(1000);
  expect(progress.length).toBeGreaterThan(8);
  expect(progress.length).toBeLessThan(15);
});
