import { expect, test } from 'vitest';

import { createVirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
import { toContent, toRecord } from '../../../../test/support/stores/generation-records.ts';
import { createSharedMemoryStore } from '../../../../test/support/stores/shared-memory-store.ts';
import type { Alarm } from '../wire/alarms.ts';
import { createAlarmWatch } from './alarm-watch.ts';
// The watch imports it at its first round, which virtual time would not wait for.
import './judge-alarms.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NO_LOGGER = { info: () => undefined, warn: () => undefined, error: () => undefined };

const toAlarm = (id: string, threshold: number): Alarm => ({
  id,
  name: id,
  what: 'spend_usd',
  of: 'account',
  threshold,
  period: 'day',
  to: [{ type: 'webhook', url: `https://hooks.example/${id}` }],
  silenced_until: null,
  fired: null,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
});

/** Processes at one store. One that is killed does nothing any more: its next step, whichever it is, never comes. */
function createProcesses() {
  const platform = createVirtualPlatform();
  const store = createSharedMemoryStore(platform.now);
  const sent: { alarm: string; id: string; day: string }[] = [];
  const never = new Promise<never>(() => undefined);
  const start = (name: string, stepsToLive: number) => {
    const left = { steps: stepsToLive };
    const step = async <Result>(take: () => Result | Promise<Result>): Promise<Result> => {
      left.steps -= 1;
      if (left.steps < 0) return never;
      const result = await take();
      return left.steps <= 0 ? never : result;
    };
    createAlarmWatch({
      platform,
      store: {
        ...store,
        settings: {
          get: () => store.settings.get(),
          update: (change) => step(() => store.settings.update(change)),
        },
        entries: { ...store.entries, claim: (...given) => step(() => store.entries.claim(...given)) },
        generations: { ...store.generations, spent: (query) => step(() => store.generations.spent(query)) },
      },
      logger: NO_LOGGER,
      instanceId: () => name,
      creditsUsd: () => null,
      channels: {
        mailer: undefined,
        webhooks: {
          findUrlProblem: () => undefined,
          transport: {
            send: ({ url, headers }) =>
              step(() => {
                const day = new Date(platform.now()).toISOString().slice(0, 10);
                sent.push({ alarm: url.split('/').at(-1) ?? '', id: String(headers['webhook-id']), day });
                return { status: 200, headers: {}, body: (async function* () {})() };
              }),
          },
        },
      },
    }).start();
    return { isKilled: () => left.steps <= 0 };
  };
  return { platform, store, sent, start };
}

test('four instances and 100 kills: each threshold fires once a period, and its message arrives', async () => {
  const { platform, store, sent, start } = createProcesses();
  const alarms = Array.from({ length: 5 }, (_, index) => toAlarm(`a${index}`, index + 1));
  await store.settings.update((settings) => ({ ...settings, alarms }));
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((seed / 2 ** 32) * below);
  };
  let kills = 0;
  const running = Array.from({ length: 4 }, (_, index) => start(`i${index}`, 1 + random(12)));
  const firedIds = new Map<string, Set<string>>();
  let days = 0;
  for (let hour = 0; kills < 100 || days < 5; hour += 1) {
    if (hour % 24 === 0) days += 1;
    // Each day passes the thresholds one after the other.
    if (hour % 4 === 0)
      await store.generations.append(
        toRecord(`g${hour}`, {
          costNanoUsd: 1e9,
          generation: { created_at: new Date(platform.now()).toISOString() },
        }),
        toContent('x'),
      );
    for (let part = 0; part < 12; part += 1) {
      // Each started at a time of its own.
      await platform.advance(5 * MINUTE_MS - random(2000));
      for (const [index, process] of running.entries())
        if (process.isKilled()) {
          kills += 1;
          running[index] = start(`i${index}-${kills}`, 1 + random(12));
        }
      for (const { id, fired } of store.settings.get().alarms ?? []) {
        if (fired === null) continue;
        const ids = firedIds.get(`${id} ${fired.period}`) ?? new Set();
        firedIds.set(`${id} ${fired.period}`, ids.add(fired.id));
      }
    }
  }
  await platform.advance(HOUR_MS);
  // All five thresholds of each whole day; the last day may have ended before.
  expect(firedIds.size).toBeGreaterThanOrEqual(5 * (days - 1));
  for (const [threshold, ids] of firedIds) {
    expect([threshold, ids.size]).toEqual([threshold, 1]);
    for (const id of ids) expect([threshold, sent.some((each) => each.id === id)]).toEqual([threshold, true]);
  }
  // What arrived is nothing else: a message that came twice has its id.
  const known = new Set([...firedIds.values()].flatMap((ids) => [...ids]));
  expect(sent.filter(({ id }) => !known.has(id))).toEqual([]);
});

test('without alarms nothing is asked of the store, and no timer runs', async () => {
  const { platform, store, start } = createProcesses();
  start('one', 100);
  await platform.advance(HOUR_MS);
  expect(await store.entries.get('alarms')).toBeUndefined();
  expect(platform.pendingTimers).toBe(0);
});
