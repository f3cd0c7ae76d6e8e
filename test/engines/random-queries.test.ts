import type {
  ActivityQuery,
  GenerationCondition,
  GenerationFilter,
  GenerationHistogram,
  GenerationRepository,
  HistogramQuery,
  SortedPlace,
} from '@model-gateway/core';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { createPostgresStore } from '@model-gateway/postgres';
import { expect, onTestFinished, test } from 'vitest';

import { GENERATION_SORTS, SORT_ORDERS } from '../../packages/core/src/wire/generation-fields.ts';
import { toRecord } from '../support/stores/generation-records.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { eventually } from './support/eventually.ts';
import { runStatement } from './support/postgres-server.ts';
import { withWholeReads } from './support/whole-reads.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 2, 27);
const DAYS = 6;
/** More than of which percentiles are exact. */
const RECORDS = 5000;
const MOST_EXACT = 2000;
const ROUNDS = 100;
/** As long as what an index takes as it is. */
const LONG = `${'語'.repeat(130)}end`;

/** Numbers that look random and are the same in every run. */
function createDraw(seed: number) {
  let state = seed;
  const below = (end: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
  const pick = <Value>(...values: readonly Value[]): Value => values[below(values.length)] as Value;
  const some = <Value>(values: readonly Value[]): ReadonlySet<Value> => new Set([pick(...values), pick(...values)]);
  const maybe = <Value>(value: () => Value): Value | undefined => (below(4) === 0 ? value() : undefined);
  return { below, pick, some, maybe };
}
type Draw = ReturnType<typeof createDraw>;

const MODELS = ['a/one', 'a/two', `b/${LONG}`, 'b/%_\\', ''];
const PROVIDERS = ['Acme', 'Beta', LONG];
const KEYS = ['key-1', 'key\\2', 'key\u00003', 'key\uD8004'];
const USERS = ['ada', 'bob\uDC00'];
const ORIGINS = ['', 'https://a.example', `https://${'x'.repeat(250)}`];
const SESSIONS = ['s', 't', `u${LONG}`, ...Array.from({ length: 60 }, (_, at) => `v-${at}`)];

/** Calls that begin at the edges of hours and days, at the same moments, and with what is unknown, unlimited or nothing. */
function createRecords({ below, pick }: Draw) {
  const moments = Array.from({ length: RECORDS }, () => {
    const even = START_MS + below(DAYS * 48) * (HOUR_MS / 2);
    return even + pick(0, 0, -1, 1, 999, 1000, below(HOUR_MS / 2), below(HOUR_MS / 2));
  });
  return moments
    .toSorted((a, b) => a - b)
    .map((createdMs, index) => {
      // The id is made before a call begins, perhaps in the second or the day before.
      const second = Math.floor((createdMs - pick(0, 0, 400)) / 1000);
      const ending = below(12);
      return toRecord(`gen-${second}-${String(index).padStart(8, '0')}`, {
        principalId: pick(...KEYS),
        ...(below(3) > 0 && { userId: pick(...USERS) }),
        costNanoUsd: pick(0, below(5000), 4_000_000_000_000),
        generation: {
          created_at: new Date(createdMs).toISOString(),
          model: pick(...MODELS),
          provider_name: pick(null, ...PROVIDERS),
          session_id: pick(null, pick(...SESSIONS)),
          origin: pick(...ORIGINS),
          user_agent: pick(null, 'curl/8.1', 'Straße/1', ' x'),
          external_user: pick(null, 'someone'),
          workspace_id: pick(null, 'w1'),
          preset_id: pick(null, 'p1'),
          is_byok: below(4) === 0,
          streamed: below(5) > 0,
          cancelled: ending === 1,
          interrupted: ending === 2,
          finish_reason: ending === 0 ? 'error' : pick('stop', null),
          cost_known: below(10) > 0,
          latency: pick(null, 0, 0.25, 100 + below(4000)),
          generation_time: pick(null, 0, 5000 + below(20_000) / 4),
          tokens_prompt: pick(null, 0, below(100), 2_147_483_647),
          tokens_completion: pick(null, 0, 1, below(1000)),
          native_tokens_reasoning: pick(null, below(50)),
          native_tokens_cached: pick(null, 0, below(100)),
          cache_discount: pick(null, 0, below(1000) / 1e6, -below(1000) / 1e7),
          provider_responses: pick(
            null,
            [],
            [{ status: 200, endpoint_id: 'a:b' }],
            [{ status: 500 }, { status: 200, endpoint_id: 'c' }],
          ),
        },
      });
    });
}

function drawCondition({ below, pick }: Draw): GenerationCondition {
  const isNegated = below(2) === 0;
  const text = (field: string, ...values: readonly string[]) => ({
    field,
    sign: ':',
    values: [pick(...values)],
    isNegated,
  });
  const number = (field: string, ...values: readonly number[]) => ({
    field,
    sign: pick('>', '>=', '<', '<=', ':'),
    values: [pick(...values)],
    isNegated,
  });
  return pick<() => object>(
    () => text('model', 'a/*', '*e', '*%_\\', '', '*', LONG.toLowerCase()),
    () => text('provider', 'acme', '*a', '*'),
    () => text('agent', 'curl*', '*/*', 'straße*', ' x', '* *'),
    () => text('session', 's', 'v-1*', '*end'),
    () => text('key', 'key-1', 'key*'),
    () => text('member', 'ada', '*'),
    () => text('finish', 'stop', 'error'),
    () => text('status', 'ok', 'fail*'),
    () => text('preset', 'p1'),
    () => ({ field: pick('streamed', 'byok', 'fallback', 'priced'), sign: ':', values: [below(2) === 0], isNegated }),
    () => number('latency', 0, 0.25, 2000),
    () => number('duration', 0, 10_000.25),
    () => number('in', 0, 50, 2_147_483_647),
    () => number('out', 0, 1, 500.5),
    () => number('cost', 0, 0.000002, 4000),
    () => number('attempts', 0, 1, 2),
    () => number('speed', 10, 50),
    () => number('reasoning', 10),
  )() as GenerationCondition;
}

const drawMoment = ({ below, pick }: Draw): number =>
  START_MS - DAY_MS + below((DAYS + 2) * 48) * (HOUR_MS / 2) + pick(0, 0, 1, -1, below(HOUR_MS));

function drawFilter(draw: Draw): GenerationFilter {
  const { below, pick, some, maybe } = draw;
  return {
    createdFromMs: below(2) === 0 ? drawMoment(draw) : undefined,
    createdBeforeMs: below(2) === 0 ? drawMoment(draw) : undefined,
    models: maybe(() => some([...MODELS, 'none'])),
    providerNames: maybe(() => some(['', ...PROVIDERS])),
    principalIds: maybe(() => some(KEYS)),
    userIds: maybe(() => some(['', ...USERS])),
    apps: maybe(() => some(['', 'curl', 'https://a.example', `https://${'x'.repeat(192)}`])),
    statuses: maybe(() => some(['ok', 'failed', 'cancelled', 'interrupted'])),
    sessionId: below(10) === 0 ? pick('', ...SESSIONS) : undefined,
    minCostNanoUsd: below(8) === 0 ? pick(0, 1000, 999.5) : undefined,
    maxCostNanoUsd: below(8) === 0 ? pick(0, 2000, 2000.5) : undefined,
    conditions: below(3) === 0 ? Array.from({ length: 1 + below(2) }, () => drawCondition(draw)) : undefined,
  };
}

function drawChart(draw: Draw): HistogramQuery {
  const { below, pick, maybe } = draw;
  const bucketMs = pick(DAY_MS, 3 * HOUR_MS, HOUR_MS / 2, 7 * HOUR_MS + 1, 60_000, 86_400_001, 12_345_678);
  const by = pick(undefined, 'model', 'provider', 'key', 'member', 'app', 'session', 'session') as 'model' | undefined;
  return {
    filter: below(2) === 0 ? drawFilter(draw) : { statuses: maybe(() => new Set(['ok', 'failed'])) },
    startMs: drawMoment(draw),
    bucketMs,
    buckets: 1 + below(60),
    split: by && { by, rank: pick('cost', 'requests'), limit: pick(1, 3, 8) },
  };
}

const describeQuery = (query: object): string =>
  JSON.stringify(query, (_key, value: unknown) => (value instanceof Set ? [...value] : value));

async function openStores(draw: Draw): Promise<{ memory: GenerationRepository; postgres: GenerationRepository }> {
  const url = await openDatabase();
  const now = (): number => START_MS + DAYS * DAY_MS;
  const postgres = await createPostgresStore({ url, retentionDays: 100_000, now });
  onTestFinished(() => postgres.close());
  const memory = createMemoryStore({ maxGenerations: 10_000 });
  const records = createRecords(draw);
  const append = async (part: typeof records): Promise<void> => {
    for (const { generations } of [memory, postgres])
      await Promise.all(part.map((record) => generations.append(record, null)));
  };
  await append(records.slice(0, RECORDS - 300));
  await postgres.generations.page({ limit: 1 });
  await runStatement(url, 'select gateway.fold_generation_changes(100000)');
  await append(records.slice(RECORDS - 300));
  return { memory: memory.generations, postgres: withWholeReads(postgres.generations) };
}

async function listIds(generations: GenerationRepository, filter: GenerationFilter): Promise<string[]> {
  const ids: string[] = [];
  let before: string | undefined;
  do {
    const { records, next } = await generations.page({ limit: 333, before, filter });
    ids.push(...records.map(({ generation }) => generation.id));
    before = next ?? undefined;
  } while (before !== undefined);
  return ids;
}

async function sortIds(generations: GenerationRepository, query: Parameters<GenerationRepository['sorted']>[0]) {
  const ids: string[] = [];
  let after: SortedPlace | undefined;
  for (let page = 0; page < 3; page += 1) {
    const { records, next } = await generations.sorted({ ...query, after });
    ids.push(...records.map(({ generation }) => generation.id));
    if (next === null) break;
    after = next;
  }
  return ids;
}

/** Of many calls, percentiles are not exact. */
const toComparable = (histogram: GenerationHistogram): GenerationHistogram =>
  histogram.total.requests <= MOST_EXACT
    ? histogram
    : (JSON.parse(
        JSON.stringify(histogram, (key, value: unknown) => (/P\d\d/.test(key) ? value !== null : value)),
      ) as GenerationHistogram);

const compareTexts = (left: string, right: string): number => (left < right ? -1 : 1);

const sumsOf = async (generations: GenerationRepository, query: ActivityQuery): Promise<string[]> =>
  (await generations.activity(query))
    .map((sum) => JSON.stringify(sum, Object.keys(sum).toSorted(compareTexts)))
    .toSorted();

test.skipIf(missingPostgres)(
  'random lists, sessions, charts, counts and activity of PostgreSQL are those of memory',
  { timeout: 240_000 },
  async () => {
    const draw = createDraw(20_260_301);
    const { memory, postgres } = await openStores(draw);
    for (let round = 0; round < ROUNDS; round += 1) {
      const filter = drawFilter(draw);
      const name = `${round} ${describeQuery(filter)}`;
      const newestFirst = await listIds(memory, filter);
      expect((await listIds(postgres, filter)).toSorted(), name).toEqual(newestFirst.toSorted());
      expect(await postgres.facets(filter), name).toEqual(await memory.facets(filter));
      const sort = {
        limit: 25,
        sort: draw.pick(...GENERATION_SORTS),
        order: draw.pick(...SORT_ORDERS),
        filter,
      } as const;
      expect(await sortIds(postgres, sort), `${sort.sort} ${sort.order} ${name}`).toEqual(await sortIds(memory, sort));
      const sessions = { limit: 10, filter };
      expect(await postgres.sessions(sessions), name).toEqual(await memory.sessions(sessions));
      const since = new Date(drawMoment(draw)).toISOString().slice(0, 10);
      const activity = { since, principalIds: draw.maybe(() => draw.some(KEYS)) };
      expect(await sumsOf(postgres, activity), describeQuery(activity)).toEqual(await sumsOf(memory, activity));
      const chart = drawChart(draw);
      const exact = toComparable(await memory.histogram(chart));
      // Where a busy machine has no time to read the calls themselves, percentiles are those of the sums.
      await eventually(async () => {
        expect(toComparable(await postgres.histogram(chart)), describeQuery(chart)).toEqual(exact);
      });
    }
  },
);
