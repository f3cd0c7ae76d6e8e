import { expect, test } from 'vitest';

import { missingPostgres, openDatabase } from './support/engines.ts';
import { VIDEO_ORDER } from './support/gateway-calls.ts';
import { type GatewayProcess, startGateways } from './support/gateway-process.ts';
import { openStore } from './support/postgres-stores.ts';

const AUTHORIZED = { authorization: 'Bearer sk-api' };

const eventsOf = (all: readonly GatewayProcess[], type: string) =>
  all
    .flatMap(({ events }, place) => events.map((event) => ({ ...event, place })))
    .filter((event) => event.type === type)
    .toSorted((a, b) => a.at - b.at);

const statusesOf = async (at: GatewayProcess, ids: readonly string[]): Promise<unknown[]> =>
  Promise.all(ids.map(async (id) => (await at.ask('GET', `/api/v1/videos/${id}`)).json['status']));

test.skipIf(missingPostgres)(
  '195: jobs go on when their process is killed: one poller each, one generation, and a webhook that says the same',
  async () => {
    const url = await openDatabase();
    const all = await startGateways(url, 3, 20);
    const ids: string[] = [];
    for (let count = 0; count < 24; count += 1) {
      const body = { ...VIDEO_ORDER, callback_url: `https://hooks.example/${count}` };
      const { status, json } = await (all[count % 3] as GatewayProcess).ask('POST', '/api/v1/videos', body);
      expect(status).toBe(202);
      ids.push(json['id'] as string);
    }
    await expect.poll(() => new Set(eventsOf(all, 'poll').map(({ upstreamId }) => upstreamId)).size).toBe(24);
    // Each is seen on all at once.
    for (const process of all) expect(await statusesOf(process, ids)).not.toContain(undefined);
    const [dead, ...left] = all as [GatewayProcess, GatewayProcess, GatewayProcess];
    await dead.kill();
    await expect
      .poll(() => statusesOf(left[0], ids), { timeout: 60_000, interval: 200 })
      .toEqual(ids.map(() => 'completed'));
    await expect.poll(() => new Set(eventsOf(all, 'received').map(({ address }) => address)).size).toBe(24);

    for (const id of new Set(eventsOf(all, 'poll').map(({ upstreamId }) => upstreamId))) {
      const places = eventsOf(all, 'poll').flatMap((event) => (event.upstreamId === id ? [event.place] : []));
      const changes = places.filter((place, index) => place !== places[index - 1]);
      expect(changes).toHaveLength(new Set(changes).size);
    }
    const received = eventsOf(all, 'received');
    for (const { address, id, body } of received) {
      const same = received.filter((other) => other.address === address);
      expect([new Set(same.map((other) => other.id)).size, new Set(same.map((other) => other.body)).size]).toEqual([
        1, 1,
      ]);
      expect([id, JSON.parse(body)]).toEqual([expect.stringContaining('-completed'), expect.any(Object)]);
    }
    const store = await openStore(url);
    const { records } = await store.generations.page({ limit: 100 });
    expect(records.map(({ costNanoUsd }) => costNanoUsd)).toEqual(ids.map(() => 400_000_000));
    expect((await store.generations.spent({})).creditsNanoUsd).toBe(24 * 400_000_000);
  },
);

test.skipIf(missingPostgres)('195: a process that closes leaves its jobs to the others at once', async () => {
  const [closing, other] = (await startGateways(await openDatabase(), 2)) as [GatewayProcess, GatewayProcess];
  for (let count = 0; count < 5; count += 1) await closing.ask('POST', '/api/v1/videos', VIDEO_ORDER);
  await closing.stop();
  await expect.poll(() => new Set(eventsOf([other], 'poll').map(({ upstreamId }) => upstreamId)).size).toBe(5);
});

test.skipIf(missingPostgres)(
  '198: an Idempotency-Key on three processes at the same moment makes one job, and refuses another body everywhere',
  async () => {
    const all = await startGateways(await openDatabase(), 3);
    for (let round = 0; round < 5; round += 1) {
      const headers = { ...AUTHORIZED, 'idempotency-key': `once-${round}` };
      const submitted = eventsOf(all, 'submitted').length;
      const answers = await Promise.all(
        [...all, ...all].map((process) => process.ask('POST', '/api/v1/videos', VIDEO_ORDER, headers)),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
      expect(new Set(answers.map(({ json }) => json['id'])).size).toBe(1);
      expect(eventsOf(all, 'submitted')).toHaveLength(submitted + 1);
      const other = all.map((process) =>
        process.ask('POST', '/api/v1/videos', { ...VIDEO_ORDER, prompt: 'a bear' }, headers),
      );
      expect((await Promise.all(other)).map(({ status }) => status)).toEqual([409, 409, 409]);
    }
  },
);

test.skipIf(missingPostgres)(
  '168: an announcement is sent again by a process that did not send it, with the same id and body',
  async () => {
    const [one, other] = (await startGateways(await openDatabase(), 2, 20)) as [GatewayProcess, GatewayProcess];
    const { json } = await one.ask('POST', '/api/v1/videos', {
      ...VIDEO_ORDER,
      callback_url: 'https://hooks.example/a',
    });
    await expect.poll(() => eventsOf([one, other], 'received').length).toBe(1);
    const { status } = await other.ask('POST', `/admin/v1/webhooks/deliveries/${String(json['id'])}/resend`);
    expect(status).toBe(202);
    await expect.poll(() => eventsOf([one, other], 'received').length).toBe(2);
    const [first, second] = eventsOf([one, other], 'received');
    expect([second?.id, second?.body]).toEqual([first?.id, first?.body]);
  },
);
