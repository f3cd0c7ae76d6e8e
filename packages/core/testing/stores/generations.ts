import {
  type GenerationReach,
  type GenerationRecord,
  type Store,
  toInterruptedRecord,
  toPreview,
} from '@model-gateway/core';

import { expectEqual, expectMatch, expectRejection, expectThat } from '../contract-case.ts';
import { toContent, toKey, toRecord, toTurns } from '../rows.ts';
import { durableStoreCase, ODD_NAMES, storeCase, type StoreCase } from './store-case.ts';

type Follow = NonNullable<Store['generations']['follow']>;

/** What has just been appended may come a moment later. */
const LIMIT_MS = 10_000;

async function readAll(
  follow: Follow,
  from: { readonly place: string; readonly count: number; readonly page: number },
) {
  const ids: string[] = [];
  let { place } = from;
  const endsAt = Date.now() + LIMIT_MS;
  while (ids.length < from.count && Date.now() < endsAt) {
    const found = await follow(place, from.page);
    ids.push(...found.records.map(({ generation }) => generation.id));
    place = found.place;
  }
  return { ids, place };
}

export const followCases: readonly StoreCase[] = [
  storeCase(
    'A store that shows what comes after a place shows each generation once, in pages too',
    async (store) => {
      const { generations } = store;
      const follow: Follow = (place, limit) =>
        generations.follow?.(place, limit) ?? Promise.reject(new Error('no follow'));
      const start = await follow(null, 10);
      expectEqual(start.records, []);
      const first = ['gen-a', 'gen-b', 'gen-c', 'gen-d', 'gen-e'];
      for (const id of first) await generations.append(toRecord(id), null);
      const read = await readAll(follow, { place: start.place, count: 5, page: 2 });
      expectEqual(read.ids.toSorted(), first);
      expectEqual((await follow(read.place, 10)).records, []);
      await generations.append(toRecord('gen-0'), null);
      expectEqual((await readAll(follow, { place: read.place, count: 1, page: 10 })).ids, ['gen-0']);
      // A place stays valid after another reader has continued from it.
      expectEqual((await readAll(follow, { place: start.place, count: 6, page: 4 })).ids.toSorted(), [
        'gen-0',
        ...first,
      ]);
    },
    'generations.follow',
  ),
];

const TIMELINE = { interval_ms: 40, gaps_ms: [412, 40, 1800], text: [0, 5, 11], reasoning: [7, 0, 0] };
/** The timeline of a call, under the name that former versions stored it by. */
const FORMER = {
  before_ms: { request: 0, guardrails: 1, routing: 0, rate_limits: 2 },
  attempts_ms: [0, 40],
};

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

  storeCase(
    'A store gives back the requests of a conversation, byte for byte, whatever they have in common',
    async (store) => {
      const turns = toTurns(12);
      for (const [turn, content] of turns.entries()) await store.generations.append(toRecord(`gen-${turn}`), content);
      await store.generations.deleteContent('gen-3');
      for (const [turn, content] of turns.entries()) {
        const read = await store.generations.getContent(`gen-${turn}`);
        expectEqual(JSON.stringify(read?.request), turn === 3 ? undefined : JSON.stringify(content.request));
        expectEqual(read, turn === 3 ? undefined : content);
      }
    },
  ),

  storeCase('A store gives back what a response is read from, and notes that it was deleted', async (store) => {
    const items = [
      { type: 'reasoning', $details: [{ type: 'reasoning.text', text: { $text: 'reasoning', at: 0, length: 90 } }] },
      { type: 'message', content: [{ type: 'output_text', text: 'é🎬\u0000"'.repeat(1500), annotations: [] }] },
    ];
    const response = { members: { status: 'completed', previous_response_id: null, usage: { cost: 0.5 } }, items };
    const content = { ...toContent('asked'), response };
    await store.generations.append(toRecord('gen-1'), content);
    expectEqual(await store.generations.getContent('gen-1'), content);
    const deleted = toRecord('gen-1', { generation: { response_deleted: true } });
    await store.generations.update(deleted);
    expectEqual(await store.generations.get('gen-1'), deleted);
    expectEqual(await store.generations.getContent('gen-1'), content);
  }),

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

/** What stores that outlive a restart find again. */
export const restartCases: readonly StoreCase[] = [
  durableStoreCase('A store finds everything again after it was closed and opened', async (store, reopen) => {
    await store.keys.insert(toKey('a'));
    await store.keys.insert(toKey('b'));
    await store.keys.remove('a');
    for (const id of ['gen-1', 'gen-2', 'gen-3']) await store.generations.append(toRecord(id), toContent(id));
    await store.generations.update(toRecord('gen-2', { costNanoUsd: 50 }));
    await store.generations.append(toRecord('gen-4'), { ...toContent('gen-4'), timeline: TIMELINE, course: FORMER });
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
    expectEqual(await store.generations.getContent('gen-4'), {
      ...toContent('gen-4'),
      timeline: TIMELINE,
      course: FORMER,
    });
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

const BUSY = {
  endpoint_id: 'beta:chat-1',
  latency: 30,
  model_permaslug: 'acme/chat-1',
  provider_name: 'Beta',
  status: 503,
  error: { code: 503, error_type: 'provider_overloaded', message: 'try again' },
};
const OK = {
  endpoint_id: 'acme:chat-1',
  latency: 80,
  model_permaslug: 'acme/chat-1',
  provider_name: 'Acme',
  status: 200,
};

const at = (minute: number): string => new Date(Date.UTC(2026, 2, 1, 10, minute)).toISOString();

async function scan(store: Store, from: number, to: number) {
  const seen: { createdAtMs: number; id: string; attempts: unknown }[] = [];
  await store.generations.scan({ fromMs: Date.parse(at(from)), toMs: Date.parse(at(to)) }, (generation) => {
    const { createdAtMs } = generation.readFacts();
    seen.push({ createdAtMs, id: generation.readRecord().generation.id, attempts: generation.readAttempts() });
  });
  return seen.toSorted((a, b) => a.createdAtMs - b.createdAtMs);
}

async function fill(store: Store): Promise<void> {
  for (const [minute, attempts] of [[BUSY, OK], [OK], null, [BUSY]].entries()) {
    const generation = { created_at: at(minute), provider_responses: attempts };
    await store.generations.append(toRecord(`gen-${minute}`, { generation }), toContent('x'));
  }
}

export const scanCases: readonly StoreCase[] = [
  storeCase('A scan of a store shows what began within a span, its end excluded, with all attempts', async (store) => {
    await fill(store);
    const seen = await scan(store, 0, 3);
    expectEqual(
      seen.map(({ id }) => id),
      ['gen-0', 'gen-1', 'gen-2'],
    );
    expectMatch(
      seen.map(({ attempts }) => attempts),
      [
        [
          {
            providerName: 'Beta',
            endpointId: 'beta:chat-1',
            model: 'acme/chat-1',
            status: 503,
            latencyMs: 30,
            errorCode: 503,
            errorType: 'provider_overloaded',
          },
          {
            providerName: 'Acme',
            endpointId: 'acme:chat-1',
            model: 'acme/chat-1',
            status: 200,
            latencyMs: 80,
            errorCode: null,
            errorType: null,
          },
        ],
        [{ endpointId: 'acme:chat-1', status: 200, latencyMs: 80 }],
        [],
      ],
    );
    expectEqual(await scan(store, 4, 9), []);
  }),

  storeCase(
    'A store shows of a reach the calls of its member and of its workspaces, in every list and sum',
    async (store) => {
      const calls = [
        { id: 'gen-own', userId: 'anna', workspace: null },
        { id: 'gen-other', userId: 'Anna', workspace: 'w2' },
        { id: 'gen-nobody', userId: undefined, workspace: null },
        { id: 'gen-of-workspace', userId: 'bert', workspace: 'w1' },
        { id: 'gen-own-elsewhere', userId: 'anna', workspace: 'w2' },
      ];
      for (const [minute, { id, userId, workspace }] of calls.entries()) {
        const generation = { created_at: at(minute), workspace_id: workspace };
        await store.generations.append(toRecord(id, { generation, ...(userId !== undefined && { userId }) }), null);
      }
      const reaches: [GenerationReach, readonly string[]][] = [
        [{ userId: 'anna', workspaceIds: new Set() }, ['gen-own-elsewhere', 'gen-own']],
        [{ userId: 'anna', workspaceIds: new Set(['w1']) }, ['gen-own-elsewhere', 'gen-of-workspace', 'gen-own']],
        [{ userId: null, workspaceIds: new Set(['w1']) }, ['gen-of-workspace']],
        [{ userId: null, workspaceIds: new Set() }, []],
      ];
      const { generations } = store;
      const startMs = Date.parse(at(0));
      const span = { createdFromMs: startMs, createdBeforeMs: Date.parse(at(9)) };
      for (const [reach, ids] of reaches) {
        const filter = { ...span, reach };
        const toIds = (records: readonly GenerationRecord[]): string[] => records.map(({ generation: { id } }) => id);
        expectEqual(toIds((await generations.page({ limit: 9, filter })).records), ids);
        const order = { limit: 9, sort: 'time', order: 'desc' } as const;
        expectEqual(toIds((await generations.sorted({ ...order, filter })).records), ids);
        const buckets = { startMs, bucketMs: 600_000, buckets: 1 };
        expectEqual((await generations.histogram({ filter, ...buckets })).total.requests, ids.length);
        const byModel = { by: 'model', rank: 'requests', limit: 5 } as const;
        const split = await generations.histogram({ filter, ...buckets, split: byModel });
        expectEqual(
          split.parts.map(({ total }) => total.requests),
          ids.length === 0 ? [] : [ids.length],
        );
        expectEqual((await generations.facets(filter)).total, ids.length);
        const seen: GenerationRecord[] = [];
        const scanned = { fromMs: span.createdFromMs, toMs: span.createdBeforeMs, reach };
        await generations.scan(scanned, (generation) => void seen.push(generation.readRecord()));
        expectEqual(toIds(seen).toSorted(), ids.toSorted());
      }
    },
  ),

  durableStoreCase(
    'A scan of a store shows the same after a restart, and what changed since',
    async (store, reopen) => {
      await fill(store);
      const before = await scan(store, 0, 9);
      store = await reopen();
      expectEqual(await scan(store, 0, 9), before);
      const changed = toRecord('gen-1', { generation: { created_at: at(1), provider_responses: [BUSY] } });
      await store.generations.update(changed);
      expectMatch(await scan(store, 1, 2), [{ id: 'gen-1', attempts: [{ status: 503 }] }]);
    },
  ),
];
