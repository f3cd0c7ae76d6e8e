import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import type { Alarm } from '@model-gateway/core/wire';
import { createPostgresStore } from '@model-gateway/postgres';
import { expect, onTestFinished, test } from 'vitest';

import { toRecord } from '../../packages/core/testing/rows.ts';
import { createRandom } from './support/create-random.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { eventually } from './support/eventually.ts';

const PROGRAM = fileURLToPath(new URL('support/alarm-process.ts', import.meta.url));
const PROCESSES = 4;
const THRESHOLDS = 10;
const KILLS = process.env['TEST_FULL'] === undefined ? 50 : 100;
/** A minute of theirs is half a second. */
const SPEED = 120;
const USD = 1e9;

/** A receiver that takes its time, so that processes die while they send. Ends with the test. */
async function startReceiver() {
  const received: { readonly alarm: string; readonly id: string }[] = [];
  const server = createServer((request, response) => {
    text(request).then(
      (body) => {
        const { id, data } = JSON.parse(body) as { id: string; data: { alarm: { id: string } } };
        received.push({ alarm: data.alarm.id, id });
        setTimeout(() => response.end(), 100);
      },
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

const toAlarm = (threshold: number, url: string, at: string): Alarm => ({
  id: `alarm-${threshold}`,
  name: `${threshold} USD`,
  what: 'spend_usd',
  of: 'account',
  threshold,
  period: 'month',
  to: [{ type: 'webhook', url }],
  silenced_until: null,
  fired: null,
  created_at: at,
  updated_at: at,
});

test.skipIf(missingPostgres)(
  'each threshold fires once, and its message arrives, while four gateways are killed again and again',
  async () => {
    const database = await openDatabase();
    const store = await createPostgresStore({ url: database });
    onTestFinished(() => store.close());
    const { received, url } = await startReceiver();
    const startedMs = Date.now();
    // Early in this month, so that it is not over before the test is.
    const begin = `${new Date(startedMs).toISOString().slice(0, 8)}01T00:00:00.000Z`;
    const alarms = Array.from({ length: THRESHOLDS }, (_, index) => toAlarm(index + 1, url, begin));
    await store.settings.update((settings) => ({ ...settings, alarms }));

    const running = new Set<ChildProcess>();
    onTestFinished(() => running.forEach((child) => child.kill('SIGKILL')));
    const start = async (): Promise<ChildProcess> => {
      const child = fork(PROGRAM, [database, String(Date.parse(begin)), String(startedMs), String(SPEED)], {
        stdio: 'inherit',
      });
      running.add(child);
      await once(child, 'message');
      return child;
    };
    const random = createRandom(7);
    const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
    let kills = 0;
    let passed = 0;
    const runSlot = async (): Promise<void> => {
      while (kills < KILLS) {
        const child = await start();
        // Anywhere in the second round of judging, or before it.
        await pause(random() * 1200);
        if (kills >= KILLS) return;
        child.kill('SIGKILL');
        running.delete(child);
        kills += 1;
        if (passed < THRESHOLDS && kills % (KILLS / THRESHOLDS) === 0) {
          passed += 1;
          const generation = { created_at: new Date(Date.parse(begin) + passed * 1000).toISOString() };
          await store.generations.append(toRecord(`gen-${passed}`, { costNanoUsd: USD, generation }), null);
        }
      }
      // The last ones live.
      await start();
    };
    await Promise.all(Array.from({ length: PROCESSES }, runSlot));
    await eventually(() =>
      expect(new Set(received.map(({ alarm }) => alarm))).toEqual(new Set(alarms.map(({ id }) => id))),
    );
    expect(kills).toBe(KILLS);
    const idsOf = new Map(alarms.map(({ id }) => [id, new Set<string>()]));
    for (const { alarm, id } of received) idsOf.get(alarm)?.add(id);
    expect([...idsOf].map(([alarm, ids]) => [alarm, ids.size])).toEqual(alarms.map(({ id }) => [id, 1]));
    const fired = await eventually(() => {
      const ids = store.settings.get().alarms?.map((alarm) => alarm.fired?.id);
      expect(ids).toEqual([...idsOf.values()].map(([id]) => id));
      return ids;
    });
    expect(fired).toHaveLength(THRESHOLDS);
    // A message comes again only where its sender may have died.
    expect(received.length).toBeLessThanOrEqual(THRESHOLDS + KILLS);
  },
  180_000,
);
