import process from 'node:process';

import { migrateDatabase } from '@model-gateway/postgres';
import { expect, test } from 'vitest';

import { missingPostgres } from '../support/engines.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { fillGenerations } from './fill-generations.ts';
import { type Measured, measureQueries } from './measure.ts';

const MINUTE_MS = 60_000;
const END_MS = Date.UTC(2026, 2, 31, 20, 47, 13);
const RUNS = 20;
const FAST_MS = 50;
const SLOW_MS = 1000;
/** What is as quick as this may differ by more. */
const INSTANT_MS = 15;
const MOST_TIMES = 1.5;

const missing = process.env['TEST_FULL'] === undefined ? 'it takes some ten minutes: TEST_FULL=1' : missingPostgres;

const toLine = ({ name, p50Ms, p95Ms, isCut }: Measured, small: Measured): string =>
  `${name}: p50 ${small.p50Ms.toFixed(1)} and ${p50Ms.toFixed(1)} ms, p95 ${p95Ms.toFixed(1)} ms${isCut ? ', cut' : ''}`;

test.skipIf(missing)(
  'lists, charts and counts of 1,000,000 generations take as long as those of 10,000',
  { timeout: 40 * MINUTE_MS },
  async ({ annotate }) => {
    const server = await startPostgres({ shared_buffers: '256MB', max_wal_size: '4GB' });
    try {
      const measureAt = async (rows: number): Promise<Measured[]> => {
        const url = await server.createDatabase();
        await migrateDatabase({ url });
        await fillGenerations({ url, rows, endMs: END_MS });
        return measureQueries(url, END_MS, RUNS);
      };
      const small = await measureAt(10_000);
      const large = await measureAt(1_000_000);
      const pairs = large.map((measured, place) => [measured, small[place] as Measured] as const);
      await annotate(pairs.map(([measured, one]) => toLine(measured, one)).join('\n'));
      const tooSlow = pairs.filter(
        ([{ isFast, grows, isCut, p50Ms, p95Ms }, one]) =>
          p95Ms > (isFast ? FAST_MS : SLOW_MS) ||
          (isFast && (isCut || (grows === undefined && p50Ms > INSTANT_MS && p50Ms > MOST_TIMES * one.p50Ms))),
      );
      expect(tooSlow.map(([measured, one]) => toLine(measured, one))).toEqual([]);
    } finally {
      await server.remove();
    }
  },
);
