import { expect, test } from 'vitest';

import { missingPostgres } from './support/engines.ts';
import { addDestination, callChat, sentBy, VIDEO_ORDER } from './support/gateway-calls.ts';
import { type GatewayProcess, startGateways } from './support/gateway-process.ts';
import { startOwnPostgres } from './support/own-servers.ts';

const ORDER = { ...VIDEO_ORDER, callback_url: 'https://hooks.example/' };

test.skipIf(missingPostgres)(
  'destinations and video jobs go on by themselves after the database was away for longer than they are owned',
  async () => {
    const { server, url } = await startOwnPostgres();
    const all = await startGateways(url, 2, 20);
    const [one, other] = all as [GatewayProcess, GatewayProcess];
    await addDestination(one);
    const { json } = await other.ask('POST', '/api/v1/videos', ORDER);
    const recorded = [await callChat(one), await callChat(other)];
    await expect.poll(() => all.flatMap(sentBy).length).toBeGreaterThanOrEqual(2);
    await server.kill();
    const isLeft = (): boolean =>
      all.flatMap(({ events }) => events).some(({ message }) => message === 'a broadcast was left to other processes');
    await expect.poll(isLeft).toBe(true);
    await server.start();
    await expect
      .poll(async () => (await one.ask('GET', `/api/v1/videos/${String(json['id'])}`)).json['status'], {
        timeout: 60_000,
      })
      .toBe('completed');
    recorded.push(await callChat(one), await callChat(other));
    const missing = (): string[] => recorded.filter((id) => !all.flatMap(sentBy).includes(id));
    await expect.poll(missing).toEqual([]);
    const announced = (): number =>
      all.flatMap(({ events }) => events).filter(({ id }) => id?.endsWith('-completed')).length;
    await expect.poll(announced).toBeGreaterThanOrEqual(1);
  },
);
