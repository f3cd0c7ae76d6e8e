import { setTimeout as delay } from 'node:timers/promises';

import { expect } from 'vitest';

import { runStatement } from './postgres-server.ts';
import type { Outcome } from './steady-load.ts';

interface Sums {
  readonly generations: number;
  readonly distinct_ids: number;
  /** In nano-dollars, as text. */
  readonly cost: string;
  readonly spent: string;
}

/** Waits until every call that has succeeded is in the database. Throws with what is missing when it takes too long. */
export async function untilRecorded(
  database: string,
  outcomes: readonly Pick<Outcome, 'id' | 'status'>[],
  limitMs = 60_000,
): Promise<void> {
  const giveUpAt = performance.now() + limitMs;
  const acknowledged = outcomes.flatMap(({ id, status }) => (status === 200 && id !== null ? [id] : []));
  for (;;) {
    const rows = (await runStatement(database, 'select id from gateway.generations')) as { id: string }[];
    const recorded = new Set(rows.map(({ id }) => id));
    const lost = acknowledged.filter((id) => !recorded.has(id));
    if (lost.length === 0) return;
    if (performance.now() > giveUpAt) {
      throw new Error(`${lost.length} of ${acknowledged.length} acknowledged calls are lost, the first is ${lost[0]}`);
    }
    await delay(100);
  }
}

/** Expects each generation once, and that spending is their sum to the nano-dollar. */
export async function expectExactSums(database: string): Promise<void> {
  const [sums] = (await runStatement(
    database,
    `select count(*)::int as generations, count(distinct id)::int as distinct_ids,
       coalesce(sum(cost_nano), 0)::text as cost,
       (select coalesce(sum(credits_nano + byok_nano), 0)::text from gateway.spending where kind = 'account') as spent
     from gateway.generations`,
  )) as [Sums];
  expect(sums.distinct_ids).toBe(sums.generations);
  expect(sums.spent).toBe(sums.cost);
}

/** Number of outcomes of each status, for people. */
export function tally(outcomes: readonly Outcome[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status, text } of outcomes) {
    const message = /"message":"([^"]*)/.exec(text)?.[1] ?? (text.includes('data: ') ? 'a stream was cut off' : text);
    const what = status === 200 ? '200' : `${status} ${message}`;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
}
