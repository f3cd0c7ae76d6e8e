import { expect, test } from 'vitest';

import { createVirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
import { createMemoryStore } from '../stores/memory-store.ts';
import type { Store } from '../stores/store.ts';
import { createGuardrailHits } from './hits.ts';

const HOUR_MS = 60 * 60 * 1000;

function prepare() {
  const platform = createVirtualPlatform();
  const store = createMemoryStore();
  const warnings: string[] = [];
  let isDown = false;
  const guardrailHits: Store['guardrailHits'] = {
    ...store.guardrailHits,
    async update(id, change, initial) {
      if (isDown) throw new Error('the database is away');
      return store.guardrailHits.update(id, change, initial);
    },
  };
  const logger = { info: () => undefined, warn: (text: string) => void warnings.push(text), error: () => undefined };
  const hits = createGuardrailHits({ store: { guardrailHits }, platform, logger });
  const refuse = (guardrailId = 'g', principalId = 'p'): void =>
    hits.noteRefused([{ guardrailId, effect: 'blocked', rule: 'r' }], { principalId, model: 'm' });
  return { platform, store, warnings, hits, refuse, setDown: (value: boolean) => void (isDown = value) };
}

test('what the store does not take is kept, and counted with what came meanwhile once it does', async () => {
  const { platform, store, warnings, refuse, setDown } = prepare();
  setDown(true);
  refuse('g', 'first');
  await platform.advance(30_000);
  refuse('g', 'second');
  await platform.advance(30_000);
  expect(warnings).toEqual(['counts of guardrails could not be stored; they are kept and stored later']);
  setDown(false);
  await platform.advance(10_000);
  const rows = await store.guardrailHits.list();
  expect(rows).toMatchObject([{ guardrailId: 'g', hours: { 3: { blocked: 2 } } }]);
  expect(rows[0]?.refusals.map(({ principalId }) => principalId)).toEqual(['second', 'first']);
});

test('a store that is away for long has a bounded number of rows to take, the latest', async () => {
  const { platform, store, refuse, setDown } = prepare();
  setDown(true);
  for (let index = 0; index < 1500; index += 1) refuse(`g${index}`);
  await platform.advance(HOUR_MS / 10);
  setDown(false);
  await platform.advance(10_000);
  const rows = await store.guardrailHits.list();
  expect([rows.length, rows[0]?.guardrailId]).toEqual([1000, 'g500']);
});
