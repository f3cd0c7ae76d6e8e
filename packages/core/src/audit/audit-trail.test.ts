import { setImmediate } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { createVirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
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

/** A trail whose store takes nothing, or says so, while it is away. */
function createFailing() {
  const repository = createMemoryAudit();
  const platform = createVirtualPlatform();
  const logged: string[] = [];
  const told: string[] = [];
  const state: { away: 'no' | 'before' | 'after' } = { away: 'no' };
  const note = (message: string): void => void logged.push(message);
  const trail = createAuditTrail({
    repository: {
      ...repository,
      async append(entries) {
        if (state.away === 'before') throw new Error('away');
        const records = await repository.append(entries);
        if (state.away === 'after') throw new Error('away');
        return records;
      },
    },
    platform,
    logger: { info: note, warn: note, error: note },
    sessions: null,
    isCommand: () => Promise.resolve(false),
    onAudit: (records) => void told.push(...records.map(({ action }) => action)),
  });
  const by = {
    actor: { kind: 'key', id: 'k', name: 'k', member: null, key: null } as const,
    request: REQUEST,
  };
  const target = { kind: 'key', id: 'x', name: null, workspace: null } as const;
  return {
    trail,
    platform,
    state,
    logged,
    told,
    record: (...actions: string[]) =>
      trail.record(
        by,
        actions.map((action) => ({ action, target })),
      ),
    written: async () =>
      (await repository.page({ filter: {}, limit: 5000 })).records.toReversed().map(({ action }) => action),
  };
}

test('what the store did not take is tried again by itself, also after the log was read', async () => {
  const { record, written, state, platform, trail, logged } = createFailing();
  // A reader of the log waits for what is counted.
  await trail.settled();
  state.away = 'before';
  await expect(record('key.create')).rejects.toMatchObject({ code: 'provider_overloaded' });
  await platform.advance(6000);
  state.away = 'no';
  await trail.settled();
  expect(logged.join()).not.toContain('lost');
  expect(await written()).toEqual([]);
  await platform.advance(5000);
  // A change waits for the try that is under way.
  await trail.requireWritable();
  expect(await written()).toEqual(['key.create']);
  expect(platform.pendingTimers).toBe(0);
});

test('what waits for the store is written at the end, and what it does not take then is told', async () => {
  const { record, written, state, trail, logged, platform } = createFailing();
  state.away = 'before';
  await expect(record('key.create')).rejects.toThrow('could not be written');
  state.away = 'no';
  await trail.close();
  expect(await written()).toEqual(['key.create']);
  state.away = 'before';
  await expect(record('key.delete')).rejects.toThrow('could not be written');
  await trail.close();
  expect(logged.at(-1)).toBe('records of the audit log are lost, as the store takes none');
  expect(platform.pendingTimers).toBe(0);
});

test('a store that fails after it has written has each record once, and listeners hear of it', async () => {
  const { record, written, state, told } = createFailing();
  state.away = 'after';
  await expect(record('key.create', 'key.update')).rejects.toThrow('could not be written');
  state.away = 'no';
  await record('key.delete');
  expect(await written()).toEqual(['key.create', 'key.update', 'key.delete']);
  expect(told).toEqual(['key.create', 'key.update', 'key.delete']);
});

test('records that are too many to wait are told', async () => {
  const { record, written, state, logged } = createFailing();
  state.away = 'before';
  await expect(record('key.first', ...Array.from({ length: 1000 }, () => 'key.create'))).rejects.toThrow('written');
  expect(logged.filter((message) => message.includes('is lost'))).toHaveLength(1);
  state.away = 'no';
  await record('key.delete');
  expect(await written()).toHaveLength(1001);
  expect(await written()).not.toContain('key.first');
});
