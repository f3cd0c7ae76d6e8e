import { expect, test } from 'vitest';

import { toContent, toRecord } from '../../../../test/support/stores/generation-records.ts';
import { createRecordingStore } from '../../../../test/support/stores/recording-store.ts';
import { expectDays, KNOWN_DAYS, readForecast } from './forecast.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const FIRST = Date.parse('2026-01-01');

/** The same numbers between 0 and 1 for the same seed. */
function createNoise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const SHAPES = {
  steady: () => 100,
  growing: (day: number) => 50 + 2 * day,
  'with quiet weekends': (day: number) => ([0, 6].includes(new Date(FIRST + day * DAY_MS).getUTCDay()) ? 30 : 120),
};

/** Looks at the end of the month on each of 90 days, from the tenth on. */
function lookDaily(shape: (day: number) => number, seed: number) {
  const noise = createNoise(seed);
  const days = Array.from({ length: 90 }, (_, day) => shape(day) * (0.8 + 0.4 * noise()));
  let [within, inRange, looks] = [0, 0, 0];
  for (let today = 9; today < 90; today += 1) {
    const date = new Date(FIRST + today * DAY_MS);
    const monthStart = today - (date.getUTCDate() - 1);
    const monthEnd = monthStart + new Date(Date.UTC(2026, date.getUTCMonth() + 1, 0)).getUTCDate();
    const sum = (from: number, until: number): number => days.slice(from, until).reduce((total, usd) => total + usd, 0);
    const expected = expectDays(
      days.slice(Math.max(0, today - KNOWN_DAYS), today),
      date.getUTCDay(),
      monthEnd - today,
      0,
    );
    if (expected === null || monthEnd > 90) throw new Error('no forecast');
    const rest = expected.usd.reduce((total, usd) => total + usd, 0);
    const actual = sum(monthStart, monthEnd);
    looks += 1;
    if (Math.abs(sum(monthStart, today) + rest - actual) <= 0.1 * actual) within += 1;
    if (Math.abs(rest - sum(today, monthEnd)) <= 1.28 * expected.deviation) inRange += 1;
  }
  return { within: within / looks, inRange: inRange / looks };
}

test.each(Object.entries(SHAPES))(
  'of 90 %s days the end of the month is within a tenth from the tenth day on',
  (_, shape) => {
    const looks = Array.from({ length: 20 }, (_unused, seed) => lookDaily(shape, seed + 1));
    const shares = looks.map(({ within }) => within);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.8);
    const inRange = looks.reduce((sum, look) => sum + look.inRange, 0) / looks.length;
    expect(inRange).toBeGreaterThanOrEqual(0.75);
  },
);

async function createScene(nowText: string) {
  const store = createRecordingStore();
  const record = (
    id: string,
    day: string,
    usd: number,
    changes: { principalId?: string; model?: string; workspace?: string } = {},
  ) =>
    store.generations.append(
      toRecord(id, {
        costNanoUsd: usd * 1e9,
        ...(changes.principalId !== undefined && { principalId: changes.principalId }),
        generation: {
          created_at: `${day}T10:00:00.000Z`,
          ...(changes.model !== undefined && { model: changes.model }),
          ...(changes.workspace !== undefined && { workspace_id: changes.workspace }),
        },
      }),
      toContent('x'),
    );
  const platform = { now: () => Date.parse(nowText) };
  return {
    record,
    forecast: (of: string, period: 'day' | 'month' = 'month') => readForecast(of, period, { store, platform }),
  };
}

test('adds what is expected of the rest of the month to what was spent', async () => {
  const { record, forecast } = await createScene('2026-03-11T12:00:00Z');
  for (let day = 1; day <= 10; day += 1) await record(`d${day}`, `2026-03-${String(day).padStart(2, '0')}`, 10);
  await record('today', '2026-03-11', 5);
  const found = await forecast('account');
  expect(found).toMatchObject({ from: '2026-03-01', until: '2026-04-01', spent_usd: 105, known_days: 10 });
  expect(found.projected_usd).toBeCloseTo(105 + 5 + 200, 6);
  expect(found.days).toHaveLength(31);
  expect(found.days[10]).toEqual({ date: '2026-03-11', spent_usd: 5, expected_usd: expect.closeTo(5, 6) as number });
});

test('expects nothing before three whole days are known', async () => {
  const { record, forecast } = await createScene('2026-03-03T12:00:00Z');
  await record('a', '2026-03-01', 1);
  await record('b', '2026-03-02', 1);
  expect(await forecast('account')).toMatchObject({ spent_usd: 2, projected_usd: null, low_usd: null, known_days: 2 });
});

test('looks at the calls of a key, a workspace or a model alone', async () => {
  const { record, forecast } = await createScene('2026-03-05T00:00:00Z');
  for (const day of ['01', '02', '03', '04']) {
    await record(`a${day}`, `2026-03-${day}`, 1, { principalId: 'one' });
    await record(`b${day}`, `2026-03-${day}`, 2, { principalId: 'two', workspace: 'w' });
    await record(`c${day}`, `2026-03-${day}`, 4, { principalId: 'two', model: 'acme/dear' });
  }
  const spent = async (of: string) => (await forecast(of)).spent_usd;
  expect([
    await spent('account'),
    await spent('key:one'),
    await spent('workspace:w'),
    await spent('model:acme/dear'),
  ]).toEqual([28, 4, 8, 16]);
});
