import { migrateDatabase } from '@model-gateway/postgres';
import { expect, test } from 'vitest';

import { fillGenerations } from './million/fill-generations.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { runStatement } from './support/postgres-server.ts';

test.skipIf(missingPostgres)('cells stay few, however often they are added to', async () => {
  const url = await openDatabase();
  await migrateDatabase({ url });
  const [row] = await runStatement(
    url,
    `with recursive steps as (
       select 0 as step, ''::bytea as cells
       union all
       select step + 1, gateway.add_sketches(cells, gateway.to_sketch(step % 7 - 200, 3) || gateway.to_sketch(90, case
         when step % 2 = 0 then 5 else -5 end)) from steps where step < 1000
     )
     select length(cells) as bytes, gateway.add_sketches(cells, decode(repeat('000800', 200), 'hex')) as compact
     from steps where step = 1000`,
  );
  const { bytes, compact } = row as { bytes: number; compact: Buffer };
  expect(bytes).toBeLessThanOrEqual(600);
  const counts = Array.from({ length: compact.length / 3 }, (_, at) => {
    const entry = compact.readUIntBE(at * 3, 3);
    return [entry >> 14, (entry & 4095) - 2048];
  });
  expect(counts.toSorted(([one = 0], [two = 0]) => one - two)).toEqual([
    [0, 429],
    [1, 429],
    [2, 429],
    [3, 429],
    [4, 429],
    [5, 429],
    [6, 426],
  ]);
});

test.skipIf(missingPostgres)('sums of the days before are forgotten in all tables, and no others', async () => {
  const url = await openDatabase();
  await migrateDatabase({ url });
  await fillGenerations({ url, rows: 300, endMs: Date.UTC(2026, 2, 31) });
  const count = (): Promise<unknown[]> =>
    runStatement(
      url,
      `select name, first_ms, rows::integer from (
         select 'activity' as name, min(day_ms) as first_ms, count(*) as rows from gateway.generation_activity
         union all select 'days', min(day_ms), count(*) from gateway.generation_days
         union all select 'sums', min(start_ms), count(*) from gateway.generation_sums where grain_ms = 86400000
         union all select 'sketches', min(start_ms), count(*) from gateway.generation_sketches where grain_ms = 86400000
       ) as tables order by name`,
    );
  const before = await count();
  await runStatement(url, "select gateway.forget_generation_sums('2026-01-01')");
  expect(await count()).toEqual(before);
  await runStatement(url, "select gateway.forget_generation_sums('2026-03-21')");
  const firstMs = String(Date.UTC(2026, 2, 21));
  expect(await count()).toEqual(
    ['activity', 'days', 'sketches', 'sums'].map((name) => ({
      name,
      first_ms: firstMs,
      rows: expect.any(Number) as unknown,
    })),
  );
});
