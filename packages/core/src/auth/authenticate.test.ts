import { describe, expect, test } from 'vitest';

import { failureOf } from '../../../../test/support/async/failure-of.ts';
import {
  createVirtualPlatform,
  VIRTUAL_EPOCH_MS,
  type VirtualPlatform,
} from '../../../../test/support/async/virtual-platform.ts';
import { createRecordingStore, type RecordingStore } from '../../../../test/support/stores/recording-store.ts';
import { toNewWorkspace } from '../account/workspaces.ts';
import type { GatewayError } from '../foundation/errors.ts';
import type { GatewayRequest, OrganizationRole, Principal } from '../http/request.ts';
import type { GatewayOptions } from '../options.ts';
import type { KeyRecord, WorkspaceRecord } from '../stores/store.ts';
import { createAuthenticate } from './authenticate.ts';
import { createKeyRecord, DEFAULT_WORKSPACE_ID, toKeyLabel } from './keys.ts';
import { createSessions } from './sessions.ts';

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
    authenticate: createAuthenticate({ providers: [], store, ...options, members: store.members }, platform, null),
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

test.each([
  ['at once', (principal: Principal | null) => principal],
  ['later', async (principal: Principal | null) => principal],
])('asks the host of a request, which responds %s, before all else', async (_, toResult) => {
  const principal: Principal = { kind: 'api', id: 'u1', name: 'Host user' };
  const { authenticate, key } = await setUp({}, { authenticate: () => ({ ...principal, id: 'another' }) });
  const asked = (result: Principal | null): GatewayRequest => ({
    ...bearer(key),
    authenticate: () => toResult(result),
  });
  expect(await authenticate(asked(principal))).toBe(principal);
  await expect(authenticate(asked(null))).rejects.toMatchObject({ status: 401, message: 'Not authenticated' });
});

test('takes a host that returns nothing for one that refuses', async () => {
  const { authenticate, key } = await setUp();
  const nothing = new Map<string, Principal>().get('nobody') as unknown as null;
  const request = { ...bearer(key), authenticate: () => nothing };
  await expect(authenticate(request)).rejects.toMatchObject({ status: 401, message: 'Not authenticated' });
});

describe('the key of a member', () => {
  const WORKSPACE_ID = '11111111-1111-4111-8111-111111111111';
  const MEMBER = { id: 'user-1', email: '', first_name: null, last_name: null, role: 'org:member' } as const;
  const toWorkspace = (role?: 'admin' | 'member' | 'viewer'): WorkspaceRecord => ({
    ...toNewWorkspace({ id: WORKSPACE_ID, name: 'Finance', slug: 'finance', created_at: '', created_by: null }),
    members: role === undefined ? [] : [{ user_id: 'user-1', role, created_at: '' }],
  });

  /** A member whose role in the organization and in the workspace of the key can be changed. */
  async function setUpMember(workspaceId = WORKSPACE_ID) {
    const made = await setUp({ workspaceId });
    const { store, authenticate, key } = made;
    await store.members.insert({ ...MEMBER, organization_role: 'developer' });
    await store.workspaces.insert(toWorkspace('member'));
    return {
      ...made,
      call: () => Promise.resolve(authenticate(bearer(key))),
      setRole: (role: OrganizationRole) =>
        store.members.update('user-1', (member) => ({ ...member, organization_role: role })),
      join: (role?: 'admin' | 'member' | 'viewer') => store.workspaces.update(WORKSPACE_ID, () => toWorkspace(role)),
    };
  }

  test('stops with the membership of its workspace, and works again when that returns', async () => {
    const { call, join } = await setUpMember();
    expect(await call()).toMatchObject({ userId: 'user-1' });
    await join();
    await expect(call()).rejects.toMatchObject({
      code: 'authentication',
      message: 'The member whose API key this is does not belong to its workspace; ask an administrator',
    });
    await join('viewer');
    await expect(call()).rejects.toMatchObject({ message: expect.stringContaining('viewer in its workspace') });
    await join('member');
    expect(await call()).toMatchObject({ userId: 'user-1' });
  });

  test.each([
    ['owner', true, true],
    ['administrator', true, true],
    ['developer', true, false],
    ['billing', false, false],
    ['viewer', false, false],
  ] as const)(
    'of a %s calls in the default workspace: %s, and where they do not belong: %s',
    async (role, ...calls) => {
      const problem = { code: 'authentication', message: expect.stringContaining('The member whose API key this is') };
      for (const [at, workspaceId] of [undefined, WORKSPACE_ID].entries()) {
        const { call, setRole, join } = await setUpMember(workspaceId ?? DEFAULT_WORKSPACE_ID);
        await setRole(role);
        await join();
        const outcome = await call().catch((error: unknown) => error);
        expect(outcome).toMatchObject(calls[at] === true ? { kind: 'api' } : problem);
      }
    },
  );

  test('of billing calls in a workspace that they administer', async () => {
    const { call, setRole, join } = await setUpMember();
    await setRole('billing');
    await join('admin');
    expect(await call()).toMatchObject({ kind: 'api' });
    await setRole('viewer');
    await expect(call()).rejects.toMatchObject({ message: expect.stringContaining('role viewer') });
  });

  test('needs no membership where the store does not know its creator, or it has none', async () => {
    for (const creatorUserId of ['somebody', null]) {
      const { authenticate, key, store } = await setUp({ creatorUserId, workspaceId: WORKSPACE_ID });
      await store.workspaces.insert(toWorkspace());
      expect(await authenticate(bearer(key))).toMatchObject({ kind: 'api' });
    }
  });

  test('is known without a promise', async () => {
    const { authenticate, key, call } = await setUpMember();
    await call();
    expect(authenticate(bearer(key))).not.toBeInstanceOf(Promise);
  });
});

describe('wrong keys', () => {
  const from = (remoteAddress: string | undefined, key = 'sk-wrong'): GatewayRequest => ({
    ...bearer(key),
    remoteAddress,
  });
  const refusalOf = async (authenticate: Setup['authenticate'], address: string | undefined): Promise<GatewayError> =>
    (await failureOf((async () => authenticate(from(address)))())) as GatewayError;
  const statusesOf = async (
    authenticate: Setup['authenticate'],
    addresses: readonly (string | undefined)[],
  ): Promise<number[]> => {
    const statuses: number[] = [];
    for (const address of addresses) {
      statuses.push((await refusalOf(authenticate, address)).status);
    }
    return statuses;
  };
  const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value);

  test('of one address are slowed from the eleventh on, each time for twice as long', async () => {
    const { authenticate } = await setUp();
    expect(await statusesOf(authenticate, times(10, '192.0.2.1'))).toEqual(times(10, 401));
    const waits: (number | undefined)[] = [];
    for (let i = 0; i < 11; i += 1) {
      const { status, retryAfterSeconds } = await refusalOf(authenticate, '192.0.2.1');
      expect(status).toBe(429);
      waits.push(retryAfterSeconds);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  });

  test('slow down neither right keys from the same address nor other addresses', async () => {
    const { authenticate, key } = await setUp();
    await statusesOf(authenticate, times(30, '192.0.2.1'));
    expect((await authenticate(from('192.0.2.1', key))).name).toBe('dev');
    expect(await statusesOf(authenticate, ['192.0.2.2'])).toEqual([401]);
  });

  test('are counted again after ten quiet minutes of steady time', async () => {
    const { authenticate, platform } = await setUp();
    await statusesOf(authenticate, times(30, '192.0.2.1'));
    await platform.advance(9 * 60_000);
    expect(await statusesOf(authenticate, ['192.0.2.1'])).toEqual([429]);
    await platform.advance(10 * 60_000 + 1);
    expect(await statusesOf(authenticate, ['192.0.2.1'])).toEqual([401]);
  });

  test.each([undefined, '127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1', 'unknown'])(
    'are not slowed from %s',
    async (address) => {
      const { authenticate } = await setUp();
      expect(await statusesOf(authenticate, times(30, address))).toEqual(times(30, 401));
    },
  );

  test('count together for all addresses of one IPv6 network, and for both ways of writing an IPv4 address', async () => {
    const { authenticate } = await setUp({}, { wrongKeysPerAddress: 1 });
    expect(await statusesOf(authenticate, ['2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6'])).toEqual([401, 429]);
    expect(await statusesOf(authenticate, ['2001:db8:1:3::1', '2001:db8::1', '2001:db8::2'])).toEqual([401, 401, 429]);
    expect(await statusesOf(authenticate, ['192.0.2.1', '::ffff:192.0.2.1'])).toEqual([401, 429]);
  });

  test('may be allowed without limit, or not at all', async () => {
    const unlimited = await setUp({}, { wrongKeysPerAddress: null });
    expect(await statusesOf(unlimited.authenticate, times(30, '192.0.2.1'))).toEqual(times(30, 401));
    const strict = await setUp({}, { wrongKeysPerAddress: 0 });
    expect(await statusesOf(strict.authenticate, ['192.0.2.1'])).toEqual([429]);
  });

  test('take memory for 10,000 addresses; the one that has been quiet for longest is forgotten', async () => {
    const { authenticate } = await setUp({}, { wrongKeysPerAddress: 1 });
    const others = Array.from({ length: 9_999 }, (_, i) => `10.1.${i >> 8}.${i & 255}`);
    await statusesOf(authenticate, ['192.0.2.1', '192.0.2.2', ...others]);
    expect(await statusesOf(authenticate, ['192.0.2.2', '192.0.2.1'])).toEqual([429, 401]);
  });

  test('are only those that have the form of a key', async () => {
    const { authenticate } = await setUp({}, { wrongKeysPerAddress: 0 });
    const malformed = requestWith({ authorization: 'Basic x' });
    await expect(authenticate({ ...malformed, remoteAddress: '192.0.2.1' })).rejects.toMatchObject({ status: 401 });
  });
});

describe('A member who has signed in', () => {
  const MEMBER = { id: 'user-1', email: '', first_name: null, last_name: null, role: 'org:member' } as const;

  /** What becomes of a call in a session of the member, as the key of a user. */
  async function actAs(role: OrganizationRole, creatorUserId: string): Promise<Principal | GatewayError> {
    const { store, platform, record } = await setUp({ creatorUserId });
    await store.members.insert({ ...MEMBER, organization_role: role });
    const sessions = createSessions(platform);
    const authenticate = createAuthenticate({ store, members: store.members }, platform, sessions);
    const opened = requestWith({ host: 'gateway' });
    const { secret, csrfToken } = await sessions.open({ keyHash: null, name: 'A', memberId: 'user-1' }, opened);
    const cookie = `gateway_session_default=${secret}`;
    const headers = { host: 'gateway', cookie, 'x-csrf-token': csrfToken, 'x-act-as-key': record.hash };
    try {
      return await authenticate(requestWith(headers));
    } catch (error) {
      return error as GatewayError;
    }
  }

  test.each([
    ['owner', 'user-2', { kind: 'api', userId: 'user-2' }],
    ['administrator', 'user-2', { kind: 'api', userId: 'user-2' }],
    ['developer', 'user-1', { kind: 'api', userId: 'user-1' }],
    ['developer', 'user-2', { code: 'authentication', message: expect.stringMatching('Unknown API key') }],
    ['billing', 'user-1', { code: 'permission_denied' }],
    ['viewer', 'user-1', { code: 'permission_denied', message: expect.stringMatching('yours is viewer') }],
  ] as const)('as %s calls by a key of %s, or is refused', async (role, creatorUserId, expected) => {
    expect(await actAs(role, creatorUserId)).toMatchObject(expected);
  });
});
