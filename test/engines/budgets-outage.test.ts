import { describe, expect, test } from 'vitest';

import { type BudgetInstance, budgetOf, CENT, holdOf } from './support/budget-instance.ts';
import { createSkewedPlatform, openClosingInstance } from './support/budget-instances.ts';
import { missingPostgres } from './support/engines.ts';
import { eventually } from './support/eventually.ts';
import { startOwnPostgres } from './support/own-servers.ts';
import { type PostgresServer, runStatement } from './support/postgres-server.ts';

interface Place {
  readonly server: PostgresServer;
  readonly refusals: unknown[];
  /** Lets time pass for the instance alone. */
  skip(ms: number): void;
  /** A value of the one row of a table, as text. */
  read(column: string, table: string): Promise<string | undefined>;
  readonly instance: BudgetInstance;
}

async function open(whenDown: 'refuse' | 'spool'): Promise<Place> {
  const { server, url } = await startOwnPostgres();
  const { platform, skip } = createSkewedPlatform();
  const refusals: unknown[] = [];
  const instance = await openClosingInstance({
    url,
    budgets: { whenDown, patienceMs: 0 },
    platform,
    onRefusal: (error) => refusals.push(error),
  });
  const read: Place['read'] = async (column, table) => {
    const [row] = await runStatement(url, `select ${column}::text as value from gateway.${table}`);
    return (row as { value: string } | undefined)?.value;
  };
  return { server, refusals, instance, skip, read };
}

let held = 0;

/** Only what a call does before it is made, because a record would wait for the database. */
async function isAdmitted({ instance, refusals }: Place, nanoUsd: number, limit = 1000 * CENT): Promise<boolean> {
  held += 1;
  try {
    await instance.ledger.reserve(holdOf(`gen-1-${held}`, nanoUsd), [budgetOf(limit)]);
    return true;
  } catch (error) {
    refusals.push(error);
    return false;
  }
}

const unavailable = expect.objectContaining({ code: 'provider_overloaded', retryAfterSeconds: 1 });

describe.skipIf(missingPostgres)('Budgets while the database is away', () => {
  test('calls pass that fit into the slice, until its life is over; others get a 503 at once', async () => {
    const place = await open('refuse');
    const { server, refusals } = place;
    expect(await isAdmitted(place, CENT)).toBe(true);
    await server.kill();
    expect(await isAdmitted(place, CENT)).toBe(true);
    // The last renewal was at most 5 seconds before the outage.
    place.skip(62_000);
    expect(await isAdmitted(place, CENT)).toBe(true);
    expect(await isAdmitted(place, 500 * CENT)).toBe(false);
    expect(refusals).toEqual([unavailable]);
    place.skip(6000);
    expect(await isAdmitted(place, CENT)).toBe(false);
    expect(refusals).toEqual([unavailable, unavailable]);
    expect(String(refusals[1])).toContain('The budgets of this call cannot be checked at the moment');
    await server.start();
    await eventually(async () => expect(await isAdmitted(place, 500 * CENT)).toBe(true));
  });

  test('a wide budget goes on for a minute at its pace, and not beyond what it was granted', async () => {
    const place = await open('refuse');
    const { server, refusals } = place;
    const wide = 100_000 * CENT;
    const granted = async (): Promise<number> => Number((await place.read('amount_nano', 'budget_slices')) ?? 0);
    let passed = 0;
    while ((await granted()) < 70 * CENT && passed < 20) {
      expect(await isAdmitted(place, CENT, wide)).toBe(true);
      passed += 1;
      place.skip(1000);
    }
    const before = await place.read('expires_at', 'budget_instances');
    await eventually(async () => expect(await place.read('expires_at', 'budget_instances')).not.toEqual(before));
    const most = await granted();
    await server.kill();
    for (let second = 0; second < 58; second += 1) {
      expect(await isAdmitted(place, CENT, wide), `in second ${second}`).toBe(true);
      passed += 1;
      place.skip(1000);
    }
    while (await isAdmitted(place, CENT, wide)) passed += 1;
    expect(passed * CENT).toBeLessThanOrEqual(most);
    expect(refusals).toEqual([unavailable]);
  });

  test('calls without budgets are not touched', async () => {
    const { server, instance } = await open('refuse');
    await server.kill();
    expect(instance.ledger.reserve(holdOf('gen-1-free', CENT), [])).toBeUndefined();
  });

  test('calls are let through where they may spool, up to twice the slice that was there last', async () => {
    const place = await open('spool');
    const { server, refusals } = place;
    expect(await isAdmitted(place, CENT)).toBe(true);
    await server.kill();
    place.skip(60_000);
    let passed = 0;
    while (await isAdmitted(place, CENT)) passed += 1;
    // The first call got a slice of four.
    expect(passed).toBe(7);
    expect(refusals).toEqual([unavailable]);
    await server.start();
    // All of it counts when the database is back.
    await eventually(async () => {
      refusals.length = 0;
      expect(await isAdmitted(place, 3 * CENT, 10 * CENT)).toBe(false);
      expect(refusals).toEqual([expect.objectContaining({ code: 'payment_required' })]);
    });
    expect(await isAdmitted(place, 2 * CENT, 10 * CENT)).toBe(true);
  });

  test('a database that says nothing holds calls up for three seconds at most', async () => {
    const place = await open('refuse');
    expect(await isAdmitted(place, CENT)).toBe(true);
    place.server.pause();
    const beganAt = performance.now();
    expect(await isAdmitted(place, 500 * CENT)).toBe(false);
    // A question about budgets has two and a half seconds; any other statement has six.
    expect(performance.now() - beganAt).toBeLessThan(5500);
    place.server.resume();
    await eventually(async () => expect(await isAdmitted(place, 500 * CENT)).toBe(true));
  });
});
