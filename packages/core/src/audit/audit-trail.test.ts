import { setImmediate } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { GatewayError } from '../foundation/errors.ts';
import { createWebPlatform } from '../foundation/platform.ts';
import type { GatewayRequest } from '../http/request.ts';
import { createMemoryAudit } from '../stores/kit/memory-audit.ts';
import { createAuditTrail } from './audit-trail.ts';

const REQUEST: GatewayRequest = {
  method: 'GET',
  path: '/admin/v1/keys',
  query: '',
  headers: {},
  baseUrl: 'http://127.0.0.1:8855',
  signal: new AbortController().signal,
  readBody: () => Promise.resolve(new Uint8Array()),
  async *openBody() {},
};

test('refusals stand in the log in the order in which they happened, however long it takes to know who asked', async () => {
  const repository = createMemoryAudit();
  /** Others are looked up and written meanwhile. */
  const lookUpSlowly = async (): Promise<boolean> => {
    for (let turn = 0; turn < 50; turn += 1) await setImmediate();
    return false;
  };
  const trail = createAuditTrail({
    repository,
    platform: createWebPlatform(),
    logger: console,
    sessions: { find: () => Promise.resolve(undefined) },
    isCommand: (keyHash) => (keyHash === 'slow' ? lookUpSlowly() : Promise.resolve(false)),
  });
  const error = new GatewayError('permission_denied', 'no');
  for (const id of ['slow', 'quick', 'slow', 'last'])
    trail.noteRefused(
      {
        request: REQUEST,
        action: null,
        place: 'GET /admin/v1/keys',
        params: {},
        principal: { id, name: id, kind: 'api', workspaceId: 'default' },
      },
      error,
    );
  await trail.settled();
  const { records } = await repository.page({ filter: {}, limit: 10 });
  expect(records.toReversed().map(({ actor }) => actor.name)).toEqual(['slow', 'quick', 'last', 'slow']);
});
