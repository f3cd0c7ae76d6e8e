import type {
  GenerationFilter,
  GenerationRecord,
  GenerationRepository,
  HistogramFigures,
  HistogramQuery,
  SortedPlace,
  Store,
} from '@model-gateway/core';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { createPostgresStore } from '@model-gateway/postgres';
import { expect, onTestFinished, test } from 'vitest';

import { toRecord } from '../support/stores/generation-records.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { runStatement } from './support/postgres-server.ts';
import { withWholeReads } from './support/whole-reads.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 2, 1, 7, 13, 11);
/** More than of which percentiles are exact. */
const RECORDS = 2600;

/** Numbers that look random and are the same in every run. */
function createDraw(): (below: number) => number {
  let state = 12_345;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Five days of calls, with names that are hard to find. */
function createRecords(): GenerationRecord[] {
  const draw = createDraw();
  const pick = <Value>(...values: readonly Value[]): Value => values[draw(values.length)] as Value;
  return Array.from({ length: RECORDS }, (_, index) => {
    const createdMs = START_MS + Math.floor((index * 5 * DAY_MS) / RECORDS);
    const ending = draw(20);
    return toRecord(`gen-${Math.floor(createdMs / 1000)}-${String(index).padStart(8, '0')}`, {
      principalId: pick('key-1', 'key-2', 'key\\3', 'key\u00004'),
      ...(draw(3) > 0 && { userId: pick('ada', 'bob') }),
      costNanoUsd: draw(5_000),
      generation: {
        created_at: new Date(createdMs).toISOString(),
        model: pick('acme/chat', 'acme/100%_\\', 'b/İstanbul', 'b/model*x', 'b/Kelvin\u212A'),
        provider_name: pick('Acme', 'Beta', null),
        session_id: pick(null, `s-${index >> 3}`, `s-${index >> 4}`),
        origin: pick('', 'https://app.example'),
        user_agent: pick(null, 'curl/8.1', 'Ünïcode/2'),
        workspace_id: pick(null, 'w1'),
        preset_id: pick(null, 'p1'),
        is_byok: draw(4) === 0,
        streamed: draw(5) > 0,
        cancelled: ending === 1,
        interrupted: ending === 2,
        finish_reason: ending === 0 ? 'error' : 'stop',
        cost_known: draw(10) > 0,
        latency: 100 + draw(4_000),
        generation_time: 5_000 + draw(20_000),
        tokens_prompt: pick(null, draw(100)),
        tokens_completion: draw(1_000),
        native_tokens_reasoning: draw(50),
        native_tokens_cached: pick(null, 0, draw(50)),
        cache_discount: pick(null, draw(1_000) / 1e6, -draw(1_000) / 1e7),
        provider_responses: pick(null, [{ status: 200, endpoint_id: 'a:b' }], [{ status: 503 }, { status: 200 }]),
      },
    });
  });
}

const at = (hours: number): number => START_MS + hours * HOUR_MS;
const is = (field: string, values: readonly (string | number | boolean)[], sign = ':', isNegated = false) =>
  ({ field, sign, values, isNegated }) as NonNullable<GenerationFilter['conditions']>[number];

const FILTERS: readonly GenerationFilter[] = [
  {},
  { createdFromMs: at(10.3), createdBeforeMs: at(80.7) },
  { models: new Set(['acme/100%_\\']) },
  { principalIds: new Set(['key\\3', 'key\u00004']) },
  { principalIds: new Set(['key-1']), models: new Set(['acme/chat', 'b/İstanbul']), createdFromMs: at(5) },
  { providerNames: new Set(['', 'Beta']), statuses: new Set(['failed', 'cancelled']) },
  { userIds: new Set(['']), apps: new Set(['https://app.example', '']) },
  { minCostNanoUsd: 2_000, maxCostNanoUsd: 4_000 },
  { sessionId: '' },
  { conditions: [is('model', ['*istanbul', '*kelvink'])] },
  { conditions: [is('model', ['i*']), is('model', ['acme/100%*'], ':', true)] },
  { conditions: [is('model', ['*%_\\'])] },
  { conditions: [is('model', ['b/i\u0307*'])] },
  { conditions: [is('agent', ['ünï*'])] },
  { conditions: [is('agent', ['curl*'], ':', true), is('streamed', [true])] },
  { conditions: [is('byok', [true]), is('latency', [2_000], '>=')] },
  { conditions: [is('cost', [0.000002], '>'), is('in', [50], '<', true)] },
  { conditions: [is('preset', ['p1']), is('status', ['ok', 'failed'])] },
];

const describeFilter = (filter: GenerationFilter): string =>
  JSON.stringify(filter, (_key, value: unknown) => (value instanceof Set ? [...value] : value));

async function fill(stores: readonly Store[], records: readonly GenerationRecord[]): Promise<void> {
  for (const { generations } of stores) await Promise.all(records.map((record) => generations.append(record, null)));
}

/** A store in memory and one in PostgreSQL with the same generations, of which some are in the sums and some not yet. */
async function openStores(): Promise<{ memory: GenerationRepository; postgres: GenerationRepository }> {
  const url = await openDatabase();
  const postgres = await createPostgresStore({ url, retentionDays: 100_000 });
  onTestFinished(() => postgres.close());
  const memory = createMemoryStore({ maxGenerations: 10_000 });
  const records = createRecords();
  await fill([memory, postgres], records.slice(0, 2_000));
  await postgres.generations.page({ limit: 1 });
  await runStatement(url, 'select gateway.fold_generation_changes(100000)');
  await fill([memory, postgres], records.slice(2_000));
  for (const record of records.filter((_, index) => index % 97 === 0)) {
    const changed = {
      ...record,
      costNanoUsd: record.costNanoUsd + 7,
      generation: { ...record.generation, cancelled: true },
    };
    for (const { generations } of [memory, postgres]) await generations.update(changed);
  }
  return { memory: memory.generations, postgres: withWholeReads(postgres.generations) };
}

async function listAll(generations: GenerationRepository, filter: GenerationFilter): Promise<string[]> {
  const ids: string[] = [];
  let before: string | undefined;
  do {
    const { records, next } = await generations.page({ limit: 200, before, filter });
    ids.push(...records.map(({ generation }) => generation.id));
    before = next ?? undefined;
  } while (before !== undefined);
  return ids;
}

async function sortSome(generations: GenerationRepository, query: Parameters<GenerationRepository['sorted']>[0]) {
  const ids: string[] = [];
  let after: SortedPlace | undefined;
  for (let page = 0; page < 4; page += 1) {
    const { records, next } = await generations.sorted({ ...query, after });
    ids.push(...records.map(({ generation }) => generation.id));
    if (next === null) break;
    after = next;
  }
  return ids;
}

const sumsOf = (figures: HistogramFigures): string =>
  Object.entries(figures)
    .filter(([name]) => !/P\d\d|startMs/.test(name))
    .map(([name, value]) => `${name} ${value}`)
    .toSorted()
    .join(', ');

function expectNear(found: number | null, exact: number | null): void {
  if (exact === null || found === null) expect(found).toBe(exact);
  else expect(Math.abs(found - exact)).toBeLessThanOrEqual(0.021 * exact);
}

test.skipIf(missingPostgres)(
  'lists, counts and sums of PostgreSQL are those of memory under every filter, whether or not they are summed yet',
  { timeout: 240_000 },
  async () => {
    const { memory, postgres } = await openStores();
    for (const filter of FILTERS) {
      const name = describeFilter(filter);
      expect((await listAll(postgres, filter)).toSorted(), name).toEqual((await listAll(memory, filter)).toSorted());
      expect(await postgres.facets(filter), name).toEqual(await memory.facets(filter));
      for (const [sort, order] of [
        ['cost', 'desc'],
        ['provider', 'asc'],
        ['model', 'desc'],
        ['latency', 'asc'],
      ] as const) {
        const query = { limit: 40, sort, order, filter };
        expect(await sortSome(postgres, query), `${sort} ${order} ${name}`).toEqual(await sortSome(memory, query));
      }
      const sessions = { limit: 30, filter };
      expect((await postgres.sessions(sessions)).sessions, name).toEqual((await memory.sessions(sessions)).sessions);
    }
  },
);

const CHARTS: readonly Omit<HistogramQuery, 'filter'>[] = [
  { startMs: Date.UTC(2026, 2, 1), bucketMs: DAY_MS, buckets: 6 },
  { startMs: Date.UTC(2026, 2, 1, 21, 30), bucketMs: DAY_MS, buckets: 4 },
  { startMs: at(1.23), bucketMs: 7 * HOUR_MS + 1, buckets: 15 },
  { startMs: at(20), bucketMs: 60_000, buckets: 300 },
];

test.skipIf(missingPostgres)(
  'charts of PostgreSQL are those of memory, percentiles of many calls within 2 in 100',
  { timeout: 240_000 },
  async () => {
    const { memory, postgres } = await openStores();
    for (const chart of CHARTS) {
      for (const by of [undefined, 'model', 'provider', 'key', 'member', 'app', 'session'] as const) {
        for (const filter of FILTERS.slice(0, 7)) {
          const name = `${by} ${chart.bucketMs} ${describeFilter(filter)}`;
          const split = by === undefined ? undefined : ({ by, rank: 'cost', limit: 2 } as const);
          const found = await postgres.histogram({ ...chart, filter, split });
          const exact = await memory.histogram({ ...chart, filter, split });
          expect(found.buckets.map(sumsOf), name).toEqual(exact.buckets.map(sumsOf));
          expect(sumsOf(found.total), name).toBe(sumsOf(exact.total));
          expectNear(found.total.firstTokenP50Ms, exact.total.firstTokenP50Ms);
          expectNear(found.total.firstTokenP95Ms, exact.total.firstTokenP95Ms);
          expectNear(found.total.tokensPerSecondP50, exact.total.tokensPerSecondP50);
          expectNear(found.total.durationP50Ms, exact.total.durationP50Ms);
          expectNear(found.total.durationP95Ms, exact.total.durationP95Ms);
          expectNear(found.total.durationP99Ms, exact.total.durationP99Ms);
          expect(
            found.parts.map(({ value, buckets }) => [value, ...buckets.map(sumsOf)]),
            name,
          ).toEqual(exact.parts.map(({ value, buckets }) => [value, ...buckets.map(sumsOf)]));
          expect([found.rest?.values, found.rest?.buckets.map(sumsOf)], name).toEqual([
            exact.rest?.values,
            exact.rest?.buckets.map(sumsOf),
          ]);
        }
      }
    }
  },
);

const compareTexts = (left: string, right: string): number => (left < right ? -1 : 1);

test.skipIf(missingPostgres)('the activity of PostgreSQL is that of memory, of all keys and of some', async () => {
  const { memory, postgres } = await openStores();
  const read = async (generations: GenerationRepository, principalIds?: ReadonlySet<string>) =>
    (await generations.activity({ since: '2026-03-02', principalIds }))
      .map((sum) => JSON.stringify(sum, Object.keys(sum).toSorted(compareTexts)))
      .toSorted();
  expect(await read(postgres)).toEqual(await read(memory));
  const some = new Set(['key\\3', 'key-2']);
  expect(await read(postgres, some)).toEqual(await read(memory, some));
});
