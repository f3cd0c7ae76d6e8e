import { createGateway, type GatewayRequest } from '@model-gateway/core';
import { createNodePlatform } from '@model-gateway/node';
import { expect, test } from 'vitest';

import { createAuthenticate } from '../../packages/core/src/auth/authenticate.ts';
import { createKeyRecord } from '../../packages/core/src/auth/keys.ts';
import { createSessions, toSessionCookie } from '../../packages/core/src/auth/sessions.ts';
import { bodyOf } from '../support/gateways/body-of.ts';
import { SCIM_TOKEN, startDirectory } from '../support/scim/directory.ts';
import { missingPostgres } from './support/engines.ts';
import { openTwoStores } from './support/postgres-stores.ts';
import { tell } from './support/tell.ts';

const platform = createNodePlatform();
const BASE = 'https://gateway.example';

const toRequest = (headers: GatewayRequest['headers']): GatewayRequest => ({
  method: 'GET',
  path: '/api/v1/models/user',
  query: '',
  headers,
  baseUrl: BASE,
  signal: new AbortController().signal,
  ...bodyOf(),
});

test.skipIf(missingPostgres)(
  'a member who is deactivated or removed at one instance has no session and no key at another',
  async () => {
    const { one, other } = await openTwoStores();
    const directory = await startDirectory(
      createGateway({ providers: [], store: one, platform, scimToken: SCIM_TOKEN }),
    );
    const { id } = (await directory('POST', '/Users', { userName: 'mia@example.com' })).body;
    const { key, record } = await createKeyRecord({
      platform,
      name: 'k',
      kind: 'api',
      limitUsd: null,
      creatorUserId: id,
    });
    await one.keys.insert(record);

    const sessions = createSessions(platform, other.entries);
    const authenticate = createAuthenticate({ store: other, members: other.members }, platform, sessions);
    const session = await sessions.open({ keyHash: null, name: 'Mia', memberId: id }, toRequest({}));
    const bySession = toRequest({ cookie: toSessionCookie(session, BASE).split(';')[0] });
    const byKey = toRequest({ authorization: `Bearer ${key}` });
    const isTaken = async (request: GatewayRequest): Promise<boolean> => {
      try {
        await authenticate(request);
        return true;
      } catch {
        return false;
      }
    };
    /** Milliseconds until both are as they should be. */
    const until = async (wanted: boolean): Promise<number> => {
      const since = performance.now();
      await expect
        .poll(async () => [await isTaken(bySession), await isTaken(byKey)], { interval: 5 })
        .toEqual([wanted, wanted]);
      return Math.round(performance.now() - since);
    };
    await until(true);
    await directory('PATCH', `/Users/${id}`, { Operations: [{ op: 'replace', path: 'active', value: false }] });
    tell(`deactivated: session and key end at the other instance after ${await until(false)} ms`);
    await directory('PATCH', `/Users/${id}`, { Operations: [{ op: 'replace', path: 'active', value: true }] });
    tell(`activated: both are taken again after ${await until(true)} ms`);
    await directory('DELETE', `/Users/${id}`);
    tell(`removed: both end after ${await until(false)} ms`);
  },
);
