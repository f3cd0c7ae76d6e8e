import { expect, test } from 'vitest';

import { toRecord } from '../../../../../test/support/stores/generation-records.ts';
import type { GenerationSplit } from '../../wire/generation-list.ts';
import type { GenerationStatus } from '../../wire/statuses.ts';
import type { GenerationFacts, GenerationHistogram, HistogramQuery } from '../generation-queries.ts';
import { createActivityBook, createHistogram, takePercentile } from './aggregates.ts';
import { appOf, toGenerationFacts } from './filters.ts';

const on = (day: string) => toRecord(`gen-${day}`, { generation: { created_at: `${day}T00:00:00.000Z` } });

test('a book drops the days before one, and removed generations', () => {
  const book = createActivityBook();
  for (const day of ['2026-03-01', '2026-03-02', '2026-03-03']) book.add(on(day));
  book.forgetBefore('2026-03-02');
  book.subtract(on('2026-03-03'));
  expect(book.sums().map(({ date }) => date)).toEqual(['2026-03-02']);
});

test('sums that were read stay as they were', () => {
  const book = createActivityBook();
  book.add(on('2026-03-01'));
  const [before] = book.sums();
  book.add(on('2026-03-01'));
  expect([before?.requests, book.sums()[0]?.requests]).toEqual([1, 2]);
});

const FACTS: GenerationFacts = {
  createdAtMs: 5,
  model: 'm',
  providerName: null,
  sessionId: null,
  status: 'ok',
  principalId: 'p',
  userId: null,
  app: null,
  isCostKnown: true,
  promptTokens: null,
  completionTokens: null,
  cachedTokens: null,
  cacheSavedNanoUsd: 0,
  durationMs: null,
  attempts: 1,
  costNanoUsd: 1,
  firstTokenMs: null,
  tokensPerSecond: null,
  latencyMs: null,
  isStreamed: true,
  finishReason: null,
  userAgent: null,
  externalUser: null,
  errors: [],
};
const unread = (): never => {
  throw new Error('no condition asks for the record');
};

const ONE_SECOND = { filter: {}, startMs: 0, bucketMs: 1000, buckets: 1 };

async function addUp(
  facts: readonly Partial<GenerationFacts>[],
  query: Partial<HistogramQuery> = {},
): Promise<GenerationHistogram> {
  const histogram = createHistogram({ ...ONE_SECOND, ...query });
  for (const one of facts) histogram.add({ ...FACTS, ...one }, unread);
  return histogram.read(() => Promise.resolve());
}

test('counts each call of a span under its own status alone', async () => {
  const ended: GenerationStatus[] = [
    'ok',
    'failed',
    'failed',
    'cancelled',
    'interrupted',
    'interrupted',
    'interrupted',
  ];
  const { total, buckets } = await addUp(ended.map((status) => ({ status })));
  expect(total).toMatchObject({ requests: 7, failed: 2, cancelled: 1, interrupted: 3, costNanoUsd: 7 });
  expect(buckets).toEqual([{ startMs: 0, ...total }]);
});

test('tells the middle and the 95th of 100 of the first tokens, in each bucket and in all', async () => {
  const slow = Array.from({ length: 20 }, (_, at) => ({ createdAtMs: 500, firstTokenMs: (20 - at) * 100 }));
  const { total, buckets } = await addUp([...slow, { createdAtMs: 1500, firstTokenMs: 70 }, { createdAtMs: 1600 }], {
    buckets: 3,
  });
  expect(buckets.map(({ firstTokenP50Ms, firstTokenP95Ms }) => [firstTokenP50Ms, firstTokenP95Ms])).toEqual([
    [1000, 1900],
    [70, 70],
    [null, null],
  ]);
  expect([total.firstTokenP50Ms, total.firstTokenP95Ms, total.requests]).toEqual([1000, 1900, 22]);
});

test('tells the middle of the speeds, and nothing where no call tells', async () => {
  const { total } = await addUp([3, 1, 2].map((tokensPerSecond) => ({ tokensPerSecond })));
  expect(total.tokensPerSecondP50).toBe(2);
  expect((await addUp([{}])).total.tokensPerSecondP50).toBeNull();
});

test('divides by a value, the first by rank, and adds up the others', async () => {
  const calls = [
    { model: 'often', costNanoUsd: 1 },
    { model: 'often', costNanoUsd: 1, createdAtMs: 1500, firstTokenMs: 9 },
    { model: 'dear', costNanoUsd: 10 },
    { model: 'rare-b' },
    { model: 'rare-a', createdAtMs: 1500, status: 'failed' as const },
  ];
  const read = async (rank: 'requests' | 'cost', limit = 2) => {
    const found = await addUp(calls, { buckets: 2, split: { by: 'model', rank, limit } });
    const toRow = ({ total, buckets }: GenerationHistogram['parts'][number]) => [
      total.requests,
      total.costNanoUsd,
      ...buckets.map(({ requests }) => requests),
    ];
    return {
      ...found,
      parts: found.parts.map((part) => [part.value, ...toRow(part)]),
      rest: found.rest && [found.rest.values, ...toRow({ value: null, ...found.rest })],
    };
  };
  expect(await read('requests')).toMatchObject({
    parts: [
      ['often', 2, 2, 1, 1],
      ['dear', 1, 10, 1, 0],
    ],
    rest: [2, 2, 2, 1, 1],
  });
  expect(await read('cost', 3)).toMatchObject({
    parts: [
      ['dear', 1, 10, 1, 0],
      ['often', 2, 2, 1, 1],
      ['rare-a', 1, 1, 0, 1],
    ],
    rest: [1, 1, 1, 1, 0],
  });
  expect((await read('cost', 4)).rest).toBeNull();
  const { parts } = await addUp(calls, { buckets: 2, split: { by: 'model', rank: 'requests', limit: 1 } });
  expect(parts[0]?.buckets.map(({ firstTokenP50Ms }) => firstTokenP50Ms)).toEqual([null, 9]);
});

test.each<[GenerationSplit, string | null]>([
  ['model', 'acme/chat-1'],
  ['provider', 'Acme'],
  ['key', 'key-1'],
  ['member', 'u1'],
  ['app', 'opencode'],
  ['session', null],
])('divides by %s', async (by, value) => {
  const facts = toGenerationFacts(toRecord('gen-1', { userId: 'u1', generation: { user_agent: 'opencode/1.2 (x)' } }));
  const { parts } = await addUp([{ ...facts, createdAtMs: 0 }], { split: { by, rank: 'requests', limit: 8 } });
  expect(parts.map((part) => part.value)).toEqual([value]);
});

test.each([
  ['https://app.example', 'curl/8', 'https://app.example'],
  ['', 'OpenAI/JS 7.57.0', 'OpenAI'],
  ['', null, null],
  ['', '', null],
])('names the app of origin %o and user agent %o as %o', (origin, user_agent, app) => {
  expect(appOf({ origin, user_agent })).toBe(app);
});

test.each([
  ['a stream', {}, 400, 25],
  ['a whole response', { streamed: false }, null, 100 / 4.4],
  ['a stream without a token', { tokens_completion: 0 }, null, null],
  ['a stream of one token', { tokens_completion: 1 }, 400, null],
  ['a call without a time', { generation_time: null }, 400, null],
  ['a stream that came at once', { generation_time: 449 }, 400, null],
  ['a stream that came in 50 ms', { generation_time: 450 }, 400, 2000],
])('measures first token and speed of %s', (_, changes, firstTokenMs, tokensPerSecond) => {
  const generation = { streamed: true, latency: 400, tokens_completion: 100, generation_time: 4400, ...changes };
  const facts = toGenerationFacts(toRecord('gen-1', { generation }));
  expect([facts.firstTokenMs, facts.tokensPerSecond]).toEqual([firstTokenMs, tokensPerSecond]);
});

/** Numbers that look random and are the same each time. */
const scatter = (count: number, kinds: number): number[] =>
  Array.from({ length: count }, (_, at) => ((at * 7919 + 104_729) * 31) % kinds);

test.each([
  ['none', []],
  ['one', [7]],
  ['two', [9, 2]],
  ['equal ones', Array.from({ length: 50 }, () => 3)],
  ['rising ones', Array.from({ length: 101 }, (_, at) => at)],
  ['falling ones', Array.from({ length: 100 }, (_, at) => 100 - at)],
  ['few kinds', scatter(1000, 7)],
  ['many kinds', scatter(1001, 991)],
])('takes from %s what sorting them would show', (_, values) => {
  const sorted = values.toSorted((a, b) => a - b);
  for (const part of [0, 0.01, 0.5, 0.95, 1]) {
    const expected = sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null;
    expect(takePercentile(Float64Array.from(values), part)).toBe(expected);
  }
});
