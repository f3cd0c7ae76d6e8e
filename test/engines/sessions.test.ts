import { expect, test } from 'vitest';

import { missingPostgres, openDatabase } from './support/engines.ts';
import { type GatewayProcess, startGateways } from './support/gateway-process.ts';

const startTwo = async (): Promise<[GatewayProcess, GatewayProcess]> =>
  (await startGateways(await openDatabase(), 2)) as [GatewayProcess, GatewayProcess];

async function isSignedIn(at: GatewayProcess, cookie: string): Promise<boolean> {
  const { json } = await at.ask('GET', '/admin/v1/session', undefined, { cookie });
  return (json.data as { readonly signed_in: boolean }).signed_in;
}

test.skipIf(missingPostgres)(
  'a session that was opened at one process holds at another at once, with its token for writes, until it ends anywhere',
  async () => {
    const [one, other] = await startTwo();
    const opened = await one.ask('POST', '/admin/v1/session', { key: 'sk-boss' }, {});
    const cookie = opened.headers['set-cookie']?.split(';')[0] ?? '';
    const { csrf_token: csrf } = opened.json.data as { readonly csrf_token: string };
    expect([opened.status, await isSignedIn(other, cookie)]).toEqual([201, true]);
    const write = (headers: Record<string, string>) => other.ask('POST', '/api/v1/keys', { name: 'k' }, headers);
    expect((await write({ cookie })).status).toBe(403);
    expect((await write({ cookie, 'x-csrf-token': csrf })).status).toBe(201);
    expect((await other.ask('DELETE', '/admin/v1/session', {}, { cookie, 'x-csrf-token': csrf })).status).toBe(200);
    await expect.poll(() => isSignedIn(one, cookie)).toBe(false);
    expect(await isSignedIn(other, cookie)).toBe(false);
  },
);

test.skipIf(missingPostgres)(
  'a sign-in link of one process is good at any, once, though all are asked at the same moment',
  async () => {
    const [one, other] = await startTwo();
    const body = { token: one.signInToken };
    const asked = [other, one, other, one].map((process) => process.ask('POST', '/admin/v1/session', body, {}));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 401, 401, 401]);
  },
);

test.skipIf(missingPostgres)(
  'a code that a user agreed to at one process is exchanged at any, once, though all are asked at the same moment',
  async () => {
    const [one, other] = await startTwo();
    const boss = { authorization: 'Bearer sk-boss' };
    const app = { callback_url: 'https://app.example/' };
    const agreed = await one.ask('POST', '/api/v1/auth/keys/code', app, boss);
    const body = { code: (agreed.json.data as { readonly id: string }).id };
    const responses = await Promise.all(
      [other, one, other, one].map((process) => process.ask('POST', '/api/v1/auth/keys', body, {})),
    );
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403, 403, 403]);
    const given = responses.find(({ status }) => status === 200)?.json as unknown as { readonly key: string };
    for (const process of [one, other]) {
      const headers = { authorization: `Bearer ${given.key}` };
      expect((await process.ask('GET', '/api/v1/key', undefined, headers)).status).toBe(200);
    }
  },
);
