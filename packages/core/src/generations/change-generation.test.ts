import { expect, test } from 'vitest';

import { createDeferred } from '../../../../test/support/async/deferred.ts';
import { settle } from '../../../../test/support/async/virtual-platform.ts';
import { toRecord } from '../../testing/rows.ts';
import { createTurnsOf } from '../foundation/queues.ts';
import { createMemoryStore } from '../stores/memory-store.ts';
import { changeGeneration } from './change-generation.ts';

test('a change waits for those of the same record, and for no other', async () => {
  const store = createMemoryStore();
  const [slow, quick] = [toRecord('slow'), toRecord('quick')];
  for (const record of [slow, quick]) await store.generations.append(record, null);
  const held = createDeferred<void>();
  const generations: typeof store.generations = {
    ...store.generations,
    async update(record) {
      if (record.generation.id === 'slow') await held.promise;
      return store.generations.update(record);
    },
  };
  const parts = { store: { generations }, recordTurns: createTurnsOf() };
  const order: string[] = [];
  const change = async (record: typeof slow, name: string): Promise<void> => {
    await changeGeneration(record, parts, (generation) => ({ ...generation, model: `${generation.model}+${name}` }));
    order.push(name);
  };
  const all = [change(slow, 'a'), change(slow, 'b'), change(quick, 'c')];
  await settle();
  expect(order).toEqual(['c']);
  held.resolve();
  await Promise.all(all);
  expect(order).toEqual(['c', 'a', 'b']);
  expect((await store.generations.get('slow'))?.generation.model).toBe(`${slow.generation.model}+a+b`);
});
