import { toInterruptedRecord } from '../../stores/kit/records.ts';
import { expectEqual, expectRejection } from '../assertions.ts';
import { toContent, toKey, toRecord } from '../rows/generation-records.ts';
import { ODD_NAMES } from './odd-names.ts';
import { durableStoreCase, type StoreCase } from './store-case.ts';

const TIMELINE = { interval_ms: 40, gaps_ms: [412, 40, 1800], text: [0, 5, 11], reasoning: [7, 0, 0] };

/** What stores that outlive a restart find again. */
export const restartCases: readonly StoreCase[] = [
  durableStoreCase('A store finds everything again after it was closed and opened', async (store, reopen) => {
    await store.keys.insert(toKey('a'));
    await store.keys.insert(toKey('b'));
    await store.keys.remove('a');
    for (const id of ['gen-1', 'gen-2', 'gen-3']) await store.generations.append(toRecord(id), toContent(id));
    await store.generations.update(toRecord('gen-2', { costNanoUsd: 50 }));
    await store.generations.append(toRecord('gen-4'), { ...toContent('gen-4'), timeline: TIMELINE });
    await store.generations.deleteContent('gen-3');
    store = await reopen();
    expectEqual(await store.keys.list(), [toKey('b')]);
    expectEqual((await store.generations.page({ limit: 9 })).records, [
      toRecord('gen-4'),
      toRecord('gen-3'),
      toRecord('gen-2', { costNanoUsd: 50 }),
      toRecord('gen-1'),
    ]);
    expectEqual(await store.generations.getContent('gen-1'), toContent('gen-1'));
    expectEqual(await store.generations.getContent('gen-3'), undefined);
    expectEqual(await store.generations.getContent('gen-4'), { ...toContent('gen-4'), timeline: TIMELINE });
    expectEqual(await store.generations.spentNanoUsd('key-1'), 3_050);
    await expectRejection(store.generations.append(toRecord('gen-1'), null));
  }),

  durableStoreCase('A store goes on where it was left, as often as it is opened', async (store, reopen) => {
    for (let round = 0; round < 3; round += 1) {
      await store.generations.append(toRecord(`gen-${round}`), toContent(`round ${round}`));
      store = await reopen();
    }
    for (let round = 0; round < 3; round += 1) {
      expectEqual(await store.generations.getContent(`gen-${round}`), toContent(`round ${round}`));
    }
  }),

  durableStoreCase(
    'A store records what was noted as under way and never appended, once, as often as it is opened',
    async (store, reopen) => {
      const costs = { costUsd: 0.000002, costNanoUsd: 2000, costKnown: true };
      const figures = { promptTokens: 1, completionTokens: 2, durationMs: 3000, ...costs };
      const [cut, ended] = ['gen-1', 'gen-2'].map((id) => ({ record: toRecord(id, { costNanoUsd: 0 }), figures }));
      if (cut === undefined || ended === undefined) throw new Error('two calls');
      await store.generations.noteRunning?.([cut, ended]);
      await store.generations.append(toRecord('gen-2'), null);
      for (let round = 0; round < 3; round += 1) {
        store = await reopen();
        expectEqual(await store.generations.get('gen-1'), toInterruptedRecord(cut));
        expectEqual(await store.generations.get('gen-2'), toRecord('gen-2'));
        expectEqual(await store.generations.count(), 2);
      }
      await store.generations.noteRunning?.([{ ...cut, record: toRecord('gen-3') }]);
      await store.generations.noteRunning?.([]);
      store = await reopen();
      expectEqual(await store.generations.get('gen-3'), undefined);
    },
    'generations.noteRunning',
  ),

  durableStoreCase('A store tells odd ids apart after it was opened again', async (store, reopen) => {
    for (const name of ODD_NAMES) {
      await store.generations.append(toRecord(name, { principalId: name, costNanoUsd: 3 }), toContent(name));
    }
    store = await reopen();
    for (const name of ODD_NAMES) {
      expectEqual(await store.generations.get(name), toRecord(name, { principalId: name, costNanoUsd: 3 }));
      expectEqual(await store.generations.getContent(name), toContent(name));
      expectEqual(await store.generations.spentNanoUsd(name), 3);
    }
  }),
];
