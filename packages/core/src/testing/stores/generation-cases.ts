import { toPreview } from '../../stores/kit/records.ts';
import { expectEqual, expectRejection, expectThat } from '../assertions.ts';
import { toContent, toRecord } from '../rows/generation-records.ts';
import { ODD_NAMES } from './odd-names.ts';
import { storeCase, type StoreCase } from './store-case.ts';

const TIMELINE = { interval_ms: 40, gaps_ms: [412, 40, 1800], text: [0, 5, 11], reasoning: [7, 0, 0] };

/** Generations one by one, their contents and their pages. */
export const generationCases: readonly StoreCase[] = [
  storeCase('A store gives back a generation and its content once append has resolved', async (store) => {
    const record = toRecord('gen-1', { generation: { provider_responses: [{ status: 200, id: 'é🎬\u0000"' }] } });
    await store.generations.append(record, toContent('Grüße 🎬 \u2028 \u0000 "quoted" \\ \n'));
    expectEqual(await store.generations.get('gen-1'), record);
    expectEqual(await store.generations.getContent('gen-1'), toContent('Grüße 🎬 \u2028 \u0000 "quoted" \\ \n'));
  }),

  storeCase(
    'A store gives back when the text came with the content, and neither once that is deleted',
    async (store) => {
      const content = { ...toContent('streamed'), timeline: TIMELINE };
      await store.generations.append(toRecord('gen-1'), content);
      expectEqual(await store.generations.getContent('gen-1'), content);
      expectEqual(await store.generations.get('gen-1'), toRecord('gen-1'));
      await store.generations.deleteContent('gen-1');
      expectEqual(await store.generations.getContent('gen-1'), undefined);
    },
  ),

  storeCase('A store knows nothing of an id that was never appended', async (store) => {
    expectEqual(await store.generations.get('gen-1'), undefined);
    expectEqual(await store.generations.getContent('gen-1'), undefined);
    expectEqual(await store.generations.deleteContent('gen-1'), false);
    expectEqual(await store.generations.update(toRecord('gen-1')), false);
  }),

  storeCase('A store shows the beginning of a prompt for as long as its content is stored', async (store) => {
    const id = 'gen-1';
    const text = 'Tell "me"\nabout \\ 🦩 and so on, '.repeat(20);
    await store.generations.append(toRecord(id), toContent(text));
    await store.generations.append(toRecord('gen-2'), null);
    const preview = await store.generations.getPreview(id);
    expectEqual(preview, toPreview(toContent(text)));
    expectThat(
      preview?.startsWith('Question: Tell "me" about \\ 🦩 and so on, Tell') === true,
      `the preview begins as the prompt does, in one line, not as ${preview}`,
    );
    expectEqual(await store.generations.getContent(id), toContent(text));
    expectEqual(await store.generations.getPreview('gen-2'), undefined);
    expectEqual(await store.generations.getPreview('unknown'), undefined);
    await store.generations.deleteContent(id);
    expectEqual(await store.generations.getPreview(id), undefined);
  }),

  storeCase('A store has no content for a generation appended without', async (store) => {
    await store.generations.append(toRecord('gen-1'), null);
    expectEqual(await store.generations.getContent('gen-1'), undefined);
    expectEqual(await store.generations.deleteContent('gen-1'), false);
  }),

  storeCase('A store refuses an id that exists, also one that is just being appended', async (store) => {
    const first = store.generations.append(toRecord('gen-1', { costNanoUsd: 5 }), toContent('first'));
    await expectRejection(store.generations.append(toRecord('gen-1'), toContent('second')));
    await first;
    await expectRejection(store.generations.append(toRecord('gen-1'), null));
    expectEqual(await store.generations.getContent('gen-1'), toContent('first'));
    expectEqual(await store.generations.spentNanoUsd('key-1'), 5);
  }),

  storeCase(
    'A store gives back the last version of an updated generation, at its place and with its content',
    async (store) => {
      for (const id of ['gen-1', 'gen-2']) await store.generations.append(toRecord(id), toContent(id));
      const later = toRecord('gen-1', { generation: { finish_reason: 'error', cancelled: true } });
      expectEqual(await store.generations.update(later), true);
      expectEqual(await store.generations.get('gen-1'), later);
      expectEqual(await store.generations.getContent('gen-1'), toContent('gen-1'));
      const { records } = await store.generations.page({ limit: 10 });
      expectEqual(
        records.map(({ generation }) => generation.id),
        ['gen-2', 'gen-1'],
      );
    },
  ),

  storeCase('A store cannot give back content that was deleted', async (store) => {
    await store.generations.append(toRecord('gen-1'), toContent('secret'));
    expectEqual(await store.generations.deleteContent('gen-1'), true);
    expectEqual(await store.generations.getContent('gen-1'), undefined);
    expectEqual(await store.generations.deleteContent('gen-1'), false);
    expectEqual(await store.generations.get('gen-1'), toRecord('gen-1'));
  }),

  storeCase('A store pages through all generations newest first', async (store) => {
    for (let index = 1; index <= 5; index += 1) await store.generations.append(toRecord(`gen-${index}`), null);
    const seen: string[][] = [];
    let before: string | undefined;
    do {
      const page = await store.generations.page({ limit: 2, before });
      seen.push(page.records.map(({ generation }) => generation.id));
      before = page.next ?? undefined;
    } while (before !== undefined);
    expectEqual(seen, [['gen-5', 'gen-4'], ['gen-3', 'gen-2'], ['gen-1']]);
  }),

  storeCase('A store does not show a generation twice when others are appended between two pages', async (store) => {
    for (const id of ['gen-1', 'gen-2', 'gen-3']) await store.generations.append(toRecord(id), null);
    const first = await store.generations.page({ limit: 2 });
    await store.generations.append(toRecord('gen-4'), null);
    const second = await store.generations.page({ limit: 2, before: first.next ?? undefined });
    expectEqual(
      second.records.map(({ generation }) => generation.id),
      ['gen-1'],
    );
    expectEqual(second.next, null);
  }),

  storeCase('A store answers an empty page when there is nothing, or nothing older', async (store) => {
    expectEqual(await store.generations.page({ limit: 5 }), { records: [], next: null });
    await store.generations.append(toRecord('gen-1'), null);
    expectEqual(await store.generations.page({ limit: 5, before: 'gen-1' }), { records: [], next: null });
    expectEqual(await store.generations.page({ limit: 5, before: 'unknown' }), { records: [], next: null });
    expectEqual(await store.generations.page({ limit: 1 }), { records: [toRecord('gen-1')], next: null });
  }),

  storeCase('A store sums what each principal has spent, by the last version of each generation', async (store) => {
    await store.generations.append(toRecord('gen-1', { costNanoUsd: 10 }), null);
    await store.generations.append(toRecord('gen-2', { costNanoUsd: 5 }), null);
    await store.generations.append(toRecord('gen-3', { costNanoUsd: 7, principalId: 'key-2' }), null);
    await store.generations.update(toRecord('gen-1', { costNanoUsd: 100 }));
    expectEqual(await store.generations.spentNanoUsd('key-1'), 105);
    expectEqual(await store.generations.spentNanoUsd('key-2'), 7);
    expectEqual(await store.generations.spentNanoUsd('key-3'), 0);
  }),

  storeCase('A store keeps every generation of many appended at once', async (store) => {
    const ids = Array.from({ length: 500 }, (_, index) => `gen-${index}`);
    await Promise.all(ids.map((id) => store.generations.append(toRecord(id), toContent(id))));
    for (const id of ids) expectEqual(await store.generations.getContent(id), toContent(id));
    expectEqual(await store.generations.spentNanoUsd('key-1'), 500_000);
  }),

  storeCase('A store is not confused by ids and principals that look like something else', async (store) => {
    for (const name of ODD_NAMES) {
      await store.generations.append(toRecord(name, { principalId: name, costNanoUsd: 3 }), toContent(name));
    }
    for (const name of ODD_NAMES) {
      expectEqual(await store.generations.get(name), toRecord(name, { principalId: name, costNanoUsd: 3 }));
      expectEqual(await store.generations.getContent(name), toContent(name));
      expectEqual(await store.generations.spentNanoUsd(name), 3);
    }
  }),
];
