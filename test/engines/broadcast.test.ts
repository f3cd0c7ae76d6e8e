import { expect, test } from 'vitest';

import { missingPostgres, openDatabase } from './support/engines.ts';
import { addDestination, callChat, sentBy } from './support/gateway-calls.ts';
import { type GatewayProcess, startGateways } from './support/gateway-process.ts';

test.skipIf(missingPostgres)(
  'a destination gets what all processes record, and loses nothing when the one that sends is killed again and again',
  async () => {
    const url = await openDatabase();
    let alive = await startGateways(url, 3, 10);
    const all = [...alive];
    const [first] = alive as [GatewayProcess];
    await addDestination(first);
    const recorded: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      for (let count = 0; count < 40; count += 1) {
        recorded.push(...(await Promise.all(alive.map((process) => callChat(process)))));
      }
      const latest = recorded.at(-1) ?? '';
      await expect.poll(() => all.some((one) => sentBy(one).includes(latest))).toBe(true);
      const sender = alive.find((one) => sentBy(one).includes(latest)) as GatewayProcess;
      if (round === 2) break;
      // Some are recorded and not yet sent, some are under way.
      recorded.push(...(await Promise.all(Array.from({ length: 30 }, () => callChat(sender)))));
      await sender.kill();
      alive = alive.filter((process) => process !== sender);
    }
    const missing = (): string[] => {
      const received = new Set(all.flatMap(sentBy));
      return recorded.filter((id) => !received.has(id));
    };
    // These processes have no journals: what was acknowledged is in the database.
    await expect.poll(missing).toEqual([]);
    const received = all.flatMap(sentBy);
    expect(received.length - new Set(received).size).toBeLessThanOrEqual(2 * 550);
  },
);

test.skipIf(missingPostgres)(
  'one process at a time sends to a destination, and each tells how that stands',
  async () => {
    const all = await startGateways(await openDatabase(), 3, 10);
    const [one, other] = all as [GatewayProcess, GatewayProcess];
    await addDestination(one);
    const recorded: string[] = [];
    for (let count = 0; count < 50; count += 1) recorded.push(...(await Promise.all(all.map(callChat))));
    await expect.poll(() => all.flatMap(sentBy).length).toBe(150);
    expect(all.flatMap(sentBy).toSorted()).toEqual(recorded.toSorted());
    expect(all.filter((process) => sentBy(process).length > 0)).toHaveLength(1);
    const stands = async (at: GatewayProcess): Promise<unknown> => {
      const { json } = await at.ask('GET', '/admin/v1/destinations/deliveries');
      return (json['destinations'] as { queued: number; last_delivered_at: string | null }[]).map(
        ({ queued, last_delivered_at: last }) => [queued, last !== null],
      );
    };
    for (const process of all) await expect.poll(() => stands(process)).toEqual([[0, true]]);
    const { json } = await other.ask('GET', '/api/v1/observability/destinations');
    const [destination] = json['data'] as { id: string }[];
    await other.ask('DELETE', `/api/v1/observability/destinations/${destination?.id}`);
    for (const process of all) await expect.poll(() => stands(process)).toEqual([]);
    await Promise.all(all.map(callChat));
    expect(all.flatMap(sentBy)).toHaveLength(150);
  },
);
