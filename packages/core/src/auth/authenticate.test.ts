import { expect, test } from 'vitest';

import {
  createVirtualPlatform,
  VIRTUAL_EPOCH_MS,
  type VirtualPlatform,
} from '../../../../test/support/async/virtual-platform.ts';
import { createRecordingStore, type RecordingStore } from '../../../../test/support/stores/recording-store.ts';
import type { Principal } from '../http/principal.ts';
import type { GatewayRequest } from '../http/request.ts';
import type { GatewayOptions } from '../options.ts';
import type { KeyRecord } from '../stores/store.ts';
import { createKeyRecord, toKeyLabel } from './api-key.ts';
import { createAuthenticate } from './authenticate.ts';

const refuse = (): never => {
  throw new Error('the body must not be read');
};
const UNREAD = { readBody: refuse, openBody: refuse };

const requestWith = (headers: GatewayRequest['headers'], principal?: Principal): GatewayRequest => ({
  method: 'GET',
  path: '/api/v1/models',
  query: '',
  headers,
  baseUrl: '',
  principal,
  ...UNREAD,
  signal: new AbortController().signal,
});
const bearer = (key: string): GatewayRequest => requestWith({ authorization: `Bearer ${key}` });

interface Setup {
  readonly store: RecordingStore;
  readonly platform: VirtualPlatform;
  readonly key: string;
  readonly record: KeyRecord;
  readonly authenticate: ReturnType<typeof createAuthenticate>;
}

/** A store with one key in it, with the given changes. */
async function setUp(change: Partial<KeyRecord> = {}, options: Partial<GatewayOptions> = {}): Promise<Setup> {
  const platform = createVirtualPlatform();
  const store = createRecordingStore();
  const made = await createKeyRecord({ platform, name: 'dev', kind: 'api', limitUsd: 5, creatorUserId: 'user-1' });
  const record = { ...made.record, ...change };
  await store.keys.insert(record);
  return {
    store,
    platform,
    key: made.key,
    record,
    authenticate: createAuthenticate({ providers: [], store, ...options }, platform, null),
  };
}

test('makes keys of 256 random bits that are stored as a hash only', async () => {
  const { key, record, platform } = await setUp();
  expect(key).toMatch(/^sk-gw-v1-[0-9a-f]{64}$/);
  expect(record).toEqual({
    hash: await platform.sha256(key),
    kind: 'api',
    name: 'dev',
    label: `sk-gw-v1-${key.slice(9, 12)}...${key.slice(-3)}`,
    disabled: false,
    limitUsd: 5,
    limitReset: null,
    includeByokInLimit: false,
    creatorUserId: 'user-1',
    workspaceId: '00000000-0000-4000-8000-000000000000',
    createdAt: new Date(VIRTUAL_EPOCH_MS).toISOString(),
    updatedAt: null,
    expiresAt: null,
  });
  expect(JSON.stringify(record)).not.toContain(key);
  expect(toKeyLabel(key)).toHaveLength(18);
  const other = await createKeyRecord({
    platform,
    name: 'x',
    kind: 'management',
    limitUsd: null,
    expiresAt: '2030-01-01T00:00:00Z',
  });
  expect(other.key).not.toBe(key);
  expect(other.record).toMatchObject({
    kind: 'management',
    limitUsd: null,
    expiresAt: '2030-01-01T00:00:00Z',
    creatorUserId: null,
  });
});

test('knows the holder of a stored key', async () => {
  const { authenticate, key, record } = await setUp();
  expect(await authenticate(bearer(key))).toEqual({
    kind: 'api',
    id: record.hash,
    name: 'dev',
    userId: 'user-1',
    workspaceId: record.workspaceId,
    limitUsd: 5,
    limitReset: null,
    includeByokInLimit: false,
  });
});

test.each(['bearer', 'BEARER', 'Bearer  '])('takes the scheme written as "%s"', async (scheme) => {
  const { authenticate, key, record } = await setUp();
  expect(await authenticate(requestWith({ authorization: `${scheme} ${key} ` }))).toMatchObject({ id: record.hash });
});

test.each([
  ['no header', {}, 'Missing'],
  ['an empty header', { authorization: '' }, 'Missing'],
  ['no scheme', { authorization: 'sk-gw-v1-x' }, 'Malformed'],
  ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }, 'Malformed'],
  ['no key', { authorization: 'Bearer ' }, 'Malformed'],
  ['two keys', { authorization: 'Bearer a b' }, 'Malformed'],
  ['a key of 513 characters', { authorization: `Bearer ${'x'.repeat(513)}` }, 'Malformed'],
  ['a megabyte', { authorization: `Bearer ${'x'.repeat(1_000_000)}` }, 'Malformed'],
  ['a key of 512 characters', { authorization: `Bearer ${'x'.repeat(512)}` }, 'Unknown API key'],
  ['an unknown key', { authorization: 'Bearer sk-gw-v1-0000' }, 'Unknown API key'],
  ['a header sent twice, the first unknown', { authorization: ['Bearer nope', 'Bearer demo'] }, 'Unknown API key'],
])('responds with 401 to %s', async (_name, headers, message) => {
  const { authenticate } = await setUp({}, { bootstrapKeys: [{ key: 'demo', kind: 'api', name: 'demo' }] });
  await expect(authenticate(requestWith(headers))).rejects.toMatchObject({
    code: 'authentication',
    status: 401,
    message: expect.stringContaining(message) as string,
  });
});

test('responds with 401 to a key from the moment that it is disabled or expired', async () => {
  const disabled = await setUp({ disabled: true });
  await expect(disabled.authenticate(bearer(disabled.key))).rejects.toMatchObject({
    status: 401,
    message: 'This API key is disabled',
  });

  const expiring = await setUp({ expiresAt: new Date(VIRTUAL_EPOCH_MS + 1000).toISOString() });
  await expiring.platform.advance(999);
  expect(await expiring.authenticate(bearer(expiring.key))).toMatchObject({ kind: 'api' });
  await expiring.platform.advance(1);
  await expect(expiring.authenticate(bearer(expiring.key))).rejects.toMatchObject({
    status: 401,
    message: 'This API key has expired',
  });
});

test('notices at once that a key was removed', async () => {
  const { authenticate, key, record, store } = await setUp();
  await authenticate(bearer(key));
  await store.keys.remove(record.hash);
  await expect(authenticate(bearer(key))).rejects.toThrow('Unknown API key');
});

test('knows the keys of the configuration without asking the store', async () => {
  const { platform } = await setUp();
  const { authenticate } = await setUp({}, { bootstrapKeys: [{ key: 'sk-dev', kind: 'management', name: 'admin' }] });
  expect(await authenticate(bearer('sk-dev'))).toEqual({
    kind: 'management',
    id: await platform.sha256('sk-dev'),
    name: 'admin',
  });
});

test('believes a host that knows its caller already', async () => {
  const { authenticate } = await setUp({}, { authenticate: () => null });
  const principal: Principal = { kind: 'api', id: 'u1', name: 'Host user' };
  expect(await authenticate(requestWith({}, principal))).toBe(principal);
});

test('uses the embedder’s own authentication instead of keys', async () => {
  const principal: Principal = { kind: 'api', id: 'u1', name: 'Session user' };
  const { authenticate, key } = await setUp(
    {},
    { authenticate: async ({ headers }) => (headers['cookie'] === 'yes' ? principal : null) },
  );
  expect(await authenticate(requestWith({ cookie: 'yes' }))).toBe(principal);
  await expect(authenticate(bearer(key))).rejects.toMatchObject({ status: 401, message: 'Not authenticated' });
});
