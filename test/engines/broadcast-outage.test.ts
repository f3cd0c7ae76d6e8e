import { expect, test } from 'vitest';

import { missingPostgres } from './support/engines.ts';
import { type GatewayProcess, startGateways } from './support/gateway-process.ts';
import { startOwnPostgres } from './support/postgres-stores.ts';

const DESTINATION = { type: 'webhook', name: 'all', config: { url: 'https://receiver.example/', method: 'POST' } };
const CALL = { model: 'acme/chat', messages: [{ role: 'user', content: 'hello' }] };
const ORDER = { model: 'acme/film', prompt: 'a fox', duration: 4, callback_url: 'https://hooks.example/' };

const receivedBy = ({ events }: GatewayProcess): string[] =>
  events
    .filter(({ type }) => type === 'received')
    .flatMap(({ body }) => [...body.matchAll(/"gen_ai.response.id","value":\{"stringValue":"([^"]+)"/g)])
    .map(([, id = '']) => id);

async function call(at: GatewayProcess): Promise<string> {
  const { status, headers } = await at.ask('POST', '/api/v1/chat/completions', CALL);
  expect(status).toBe(200);
  return headers['x-generation-id'] ?? '';
}

test.skipIf(missingPostgres)(
  'destinations and video jobs go on by themselves after the database was away for longer than they are owned',
  { timeout: 120_000 },
  async () => {
    const { server, url } = await startOwnPostgres();
    const all = await startGateways(url, 2, 20);
    const [one, other] = all as [GatewayProcess, GatewayProcess];
    await one.ask('POST', '/api/v1/observability/destinations', DESTINATION);
    const { json } = await other.ask('POST', '/api/v1/videos', ORDER);
    const recorded = [await call(one), await call(other)];
    await expect.poll(() => all.flatMap(receivedBy).length, { timeout: 20_000 }).toBeGreaterThanOrEqual(2);
    await server.kill();
    const isLeft = (): boolean =>
      all.flatMap(({ events }) => events).some(({ message }) => message === 'a broadcast was left to other processes');
    await expect.poll(isLeft, { timeout: 30_000 }).toBe(true);
    await server.start();
    await expect
      .poll(async () => (await one.ask('GET', `/api/v1/videos/${String(json['id'])}`)).json['status'], {
        timeout: 60_000,
      })
      .toBe('completed');
    recorded.push(await call(one), await call(other));
    const missing = (): string[] => recorded.filter((id) => !all.flatMap(receivedBy).includes(id));
    await expect.poll(missing, { timeout: 40_000 }).toEqual([]);
    const announced = (): number =>
      all.flatMap(({ events }) => events).filter(({ id }) => id?.endsWith('-completed')).length;
    await expect.poll(announced, { timeout: 40_000 }).toBeGreaterThanOrEqual(1);
  },
);
