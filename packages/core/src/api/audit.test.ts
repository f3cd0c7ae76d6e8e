import { expect, test } from 'vitest';

import { type AdminGateway, createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import { API_KEY, jsonOf, MANAGEMENT_KEY, readFrames } from '../../../../test/support/gateways/core-gateway.ts';
import { createSetupGateway } from '../../../../test/support/gateways/setup-gateway.ts';
import { toContent, toRecord } from '../../../../test/support/stores/generation-records.ts';
import { createRecordingStore } from '../../../../test/support/stores/recording-store.ts';
import { createWebPlatform } from '../foundation/platform.ts';
import type { GatewayRequest } from '../http/request.ts';
import type { AuditRecord, AuditRepository } from '../stores/audit.ts';
import { verifyChain } from '../stores/kit/audit-chain.ts';

const PATH = '/admin/v1/audit';
const { sha256 } = createWebPlatform();

async function recordsOf(gateway: AdminGateway, query = ''): Promise<readonly AuditRecord[]> {
  return (await gateway.dataOf('GET', `${PATH}${query}`)) as unknown as readonly AuditRecord[];
}

/** Sends a request as a browser does, by default without a key. */
function send(
  { gateway }: AdminGateway,
  method: string,
  path: string,
  more: Partial<GatewayRequest> & { readonly sent?: unknown } = {},
) {
  const { sent = {}, ...request } = more;
  return gateway.handle({
    method,
    path,
    query: '',
    headers: {},
    baseUrl: 'http://127.0.0.1:8855',
    signal: new AbortController().signal,
    remoteAddress: '203.0.113.7',
    ...bodyOf(JSON.stringify(sent)),
    ...request,
  });
}

test('a change says who made it, from where, and what was there before and after', async () => {
  const gateway = createAdminGateway();
  const { hash } = await gateway.dataOf('POST', '/keys', { name: 'build', limit: 5 });
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}`, 'user-agent': 'curl/8.9' };
  await send(gateway, 'PATCH', `/api/v1/keys/${hash}`, { headers, sent: { limit: 7 } });
  const [changed, made] = await recordsOf(gateway);
  expect(changed).toMatchObject({
    sequence: 2,
    action: 'key.update',
    actor: { kind: 'key', id: await sha256(MANAGEMENT_KEY), name: 'admin' },
    from: { address: '203.0.113.7', user_agent: 'curl/8.9' },
    target: { kind: 'key', id: hash, name: 'build', workspace: expect.any(String) },
    before: { limitUsd: 5 },
    after: { limitUsd: 7 },
    outcome: 'done',
    previous_hash: made?.hash,
  });
  expect(changed?.after).not.toHaveProperty('name');
  expect(made).toMatchObject({ action: 'key.create', before: null, after: { name: 'build', limitUsd: 5 } });
  expect(await verifyChain((gateway.store.audit as AuditRepository).read(), sha256)).toMatchObject({
    count: 2,
    problem: null,
  });
});

test('what goes with a change has records of its own', async () => {
  const gateway = createAdminGateway();
  await gateway.dataOf('POST', '/admin/v1/members', { user_id: 'mo', name: 'Mo' });
  const { hash } = await gateway.dataOf('POST', '/keys', { name: 'k', creator_user_id: 'mo' });
  await gateway.call('DELETE', '/admin/v1/members/mo');
  const [gone, disabled] = await recordsOf(gateway, '?limit=2');
  expect(gone).toMatchObject({ action: 'member.delete', target: { kind: 'member', id: 'mo' }, after: null });
  expect(disabled).toMatchObject({
    action: 'key.update',
    target: { id: hash },
    before: { disabled: false },
    after: { disabled: true },
  });
});

test('a change of one of many members of a group is recorded as that', async () => {
  const gateway = createAdminGateway({ scimToken: 'scim-token-of-a-test' });
  const members = Array.from({ length: 2000 }, (_, index) => `member-number-${index}`);
  await gateway.store.scimGroups.insert({
    id: 'all',
    displayName: 'All',
    externalId: null,
    members,
    mappings: [],
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  });
  const Operations = [{ op: 'remove', path: 'members[value eq "member-number-7"]' }];
  const headers = { authorization: 'Bearer scim-token-of-a-test' };
  expect((await send(gateway, 'PATCH', '/scim/v2/Groups/all', { headers, sent: { Operations } })).status).toBe(200);
  expect((await recordsOf(gateway, '?limit=1'))[0]).toMatchObject({
    action: 'group.update',
    before: { members: ['member-number-7'] },
    after: { members: [] },
  });
});

test('requests that fail or only read change nothing in the log', async () => {
  const gateway = createAdminGateway();
  await gateway.call('GET', '/keys');
  await gateway.call('DELETE', '/keys/nobody');
  await gateway.call('POST', '/keys', { name: 5 });
  await gateway.call('POST', '/admin/v1/explain', { model: 'acme/chat', messages: [{ role: 'user', content: 'x' }] });
  expect(await recordsOf(gateway)).toEqual([]);
});

test('those who administer are named when they read what was said, and those who made the call are not', async () => {
  const gateway = createAdminGateway();
  const principalId = await sha256(API_KEY);
  await gateway.store.generations.append(toRecord('gen-1', { principalId }), toContent('The secret plan'));
  await gateway.call('GET', '/generation/content?id=gen-1', undefined, API_KEY);
  await gateway.call('GET', '/generation/content?id=gen-1');
  const records = await recordsOf(gateway);
  expect(records).toMatchObject([{ action: 'generation.read', target: { id: 'gen-1' }, actor: { name: 'admin' } }]);
  expect(JSON.stringify(records)).not.toContain('plan');
});

test('a sign-in, what is done by it, and its end name the session', async () => {
  const gateway = createAdminGateway();
  const response = await send(gateway, 'POST', '/admin/v1/session', { sent: { key: MANAGEMENT_KEY } });
  const cookie = response.headers['set-cookie']?.split(';')[0] ?? '';
  const { csrf_token: csrf } = jsonOf(response)['data'] as { csrf_token: string };
  const headers = { cookie, 'x-csrf-token': csrf };
  await send(gateway, 'POST', '/admin/v1/members', { headers, sent: { user_id: 'mo' } });
  await send(gateway, 'DELETE', '/admin/v1/session', { headers });
  const [out, made, signedIn] = await recordsOf(gateway);
  const actor = { kind: 'session', id: expect.stringMatching(/^sha256:/), key: await sha256(MANAGEMENT_KEY) };
  expect(signedIn).toMatchObject({ action: 'session.create', actor, target: { kind: 'session', id: made?.actor.id } });
  expect(made).toMatchObject({ action: 'member.create', actor });
  expect(out).toMatchObject({ action: 'session.delete', actor });
  expect(cookie.length).toBeGreaterThan(20);
  expect(JSON.stringify([out, made, signedIn])).not.toContain(cookie.split('=')[1]);
});

test('refused attempts are recorded once, and counted while they are repeated', async () => {
  const gateway = createAdminGateway();
  for (let times = 0; times < 50; times += 1) await gateway.call('POST', '/keys', { name: 'x' }, API_KEY);
  await send(gateway, 'POST', '/admin/v1/session', { sent: { key: 'sk-gw-v1-guessed-by-somebody-1' } });
  await send(gateway, 'GET', '/admin/v1/keys');
  const refused = await recordsOf(gateway, '?outcome=refused');
  expect(refused.toReversed()).toMatchObject([
    { action: 'key.create', reason: 'permission_denied', count: 1, actor: { kind: 'key', name: 'dev' } },
    {
      action: 'session.create',
      reason: 'authentication',
      actor: { kind: 'unknown' },
      from: { address: '203.0.113.7' },
    },
    { action: 'administration.read', reason: 'authentication', target: { id: 'GET /admin/v1/keys' } },
    { action: 'key.create', reason: 'permission_denied', count: 49 },
  ]);
});

test('a flood of refused attempts from everywhere stays a hundred records', async () => {
  const gateway = createAdminGateway();
  for (let from = 0; from < 300; from += 1) {
    await send(gateway, 'GET', '/admin/v1/keys', { remoteAddress: `198.51.100.${from}` });
  }
  const records = await recordsOf(gateway, '?limit=500');
  expect(records.length).toBe(102);
  expect(records.reduce((sum, { count }) => sum + count, 0)).toBe(300);
});

/** A store whose log can be written at times. */
function createMovedStore() {
  const store = createRecordingStore();
  const audit = store.audit as AuditRepository;
  const state = { isFull: false };
  const append: AuditRepository['append'] = async (entries) => {
    if (state.isFull) throw new Error('ENOSPC: no space left on device');
    return audit.append(entries);
  };
  return { state, store: { ...store, audit: { ...audit, append } } };
}

test('a change is not acknowledged before its record is durable, and none is made while the log takes no more', async () => {
  const { state, store } = createMovedStore();
  const gateway = createAdminGateway({ recordingStore: store });
  state.isFull = true;
  expect(await gateway.call('POST', '/keys', { name: 'first' })).toMatchObject({ status: 503 });
  expect(await gateway.call('POST', '/keys', { name: 'second' })).toMatchObject({ status: 503 });
  expect((await store.keys.list()).map(({ name }) => name)).toEqual(['first']);
  state.isFull = false;
  expect(await gateway.call('POST', '/keys', { name: 'third' })).toMatchObject({ status: 201 });
  expect((await recordsOf(gateway)).map(({ target }) => target.name)).toEqual(['third', 'first']);
});

test('a listener gets each record once it is durable, and its failure changes nothing', async () => {
  const told: (readonly [number, string])[] = [];
  const gateway = createAdminGateway({
    onAudit(records) {
      told.push(...records.map(({ sequence, action }) => [sequence, action] as const));
      throw new Error('out of order');
    },
  });
  await gateway.dataOf('POST', '/keys', { name: 'k' });
  await gateway.call('GET', '/admin/v1/keys', undefined, API_KEY);
  await recordsOf(gateway);
  expect(told).toEqual([
    [1, 'key.create'],
    [2, 'administration.read'],
  ]);
  expect(gateway.logged.map(({ line }) => line)).toContain('error a listener to the audit log failed');
});

test('the log is searched by who, what, where and when, a page at a time', async () => {
  const gateway = createAdminGateway();
  for (const name of ['one', 'two', 'Three %_"']) await gateway.dataOf('POST', '/keys', { name });
  await gateway.dataOf('POST', '/admin/v1/members', { user_id: 'mo' });
  const find = async (query: string): Promise<unknown> =>
    (await recordsOf(gateway, `?${query}`)).map((each) => each.sequence);
  expect(await find('action=key')).toEqual([3, 2, 1]);
  expect(await find('action=key.create&target=TWO')).toEqual([2]);
  expect(await find('action=ke')).toEqual([]);
  expect(await find('actor=admin')).toEqual([4, 3, 2, 1]);
  expect(await find(`actor=${await sha256(MANAGEMENT_KEY)}&action=member.create`)).toEqual([4]);
  expect(await find(`text=${encodeURIComponent('%_"')}`)).toEqual([3]);
  expect(await find('from=2100-01-01T00:00:00Z')).toEqual([]);
  expect(await find('outcome=refused')).toEqual([]);
  const { body } = await gateway.call('GET', `${PATH}?limit=3`);
  expect(body['next']).toBe('2');
  const rest = await gateway.call('GET', `${PATH}?limit=3&cursor=2`);
  expect(rest.body).toMatchObject({ data: [{ sequence: 1 }], next: null });
  expect(await gateway.call('GET', `${PATH}?cursor=x`)).toMatchObject({ status: 400 });
});

test('the log is exported whole, as lines whose chain can be checked and as a table without formulas', async () => {
  const gateway = createAdminGateway();
  await gateway.dataOf('POST', '/keys', { name: '=cmd()' });
  await gateway.dataOf('POST', '/keys', { name: 'b' });
  const lines = await readFrames(await gateway.get(`${PATH}/export`, MANAGEMENT_KEY)).rest();
  const texts = lines.trim().split('\n').toReversed();
  const stored = (async function* () {
    for (const text of texts) yield { text, place: 'export', isDamaged: false };
  })();
  // Whoever takes a copy away is in it.
  expect(JSON.parse(texts.at(-1) ?? '')).toMatchObject({ action: 'audit.export' });
  expect(await verifyChain(stored, sha256)).toMatchObject({ count: 3, problem: null });
  const csv = await readFrames(await gateway.get(`${PATH}/export?format=csv`, MANAGEMENT_KEY)).rest();
  expect(csv).toContain("'=cmd()");
});

test('none of 500 secrets is in the log, wherever they were sent', async () => {
  const gateway = await createSetupGateway();
  const secrets: string[] = [];
  const secret = (start = ''): string => {
    const made = `${start}${secrets.length}Zq${crypto.randomUUID().replaceAll('-', '')}`;
    secrets.push(made);
    return made;
  };
  const perRound = async (round: number): Promise<void> => {
    const { body } = await gateway.call('POST', '/keys', { name: `k${round} ${secret('sk-gw-v1-')}` });
    secrets.push(String(body['key']));
    await gateway.dataOf('POST', '/admin/v1/setup/providers', {
      slug: `p${round}`,
      wire: 'openai',
      baseUrl: `https://up.example/${secret()}/v1`,
      apiKey: secret('up-'),
      headers: { 'X-Team': secret() },
      query: { code: secret() },
    });
    await gateway.dataOf('PATCH', `/admin/v1/setup/providers/p${round}`, { apiKey: secret() });
    const webhook = { url: `https://hooks.example/${secret()}?t=${secret()}`, headers: { Authorization: secret() } };
    const { id } = await gateway.dataOf('POST', '/observability/destinations', {
      type: 'webhook',
      name: 'w',
      config: webhook,
    });
    await gateway.dataOf('PATCH', `/observability/destinations/${id}`, { config: { headers: { 'X-Key': secret() } } });
    const s3 = { bucketName: 'b', accessKeyId: secret(), secretAccessKey: secret(), sessionToken: secret() };
    const made = await gateway.dataOf('POST', '/observability/destinations', { type: 's3', name: 's', config: s3 });
    await gateway.call('DELETE', `/observability/destinations/${made.id}`);
    await gateway.call('DELETE', `/observability/destinations/${id}`);
    const langfuse = { publicKey: secret(), secretKey: secret() };
    const other = await gateway.dataOf('POST', '/observability/destinations', {
      type: 'langfuse',
      name: 'l',
      config: langfuse,
    });
    await gateway.call('DELETE', `/observability/destinations/${other.id}`);
    await gateway.dataOf('POST', '/workspaces', {
      name: `Bearer ${secret()}`,
      slug: `w${round}`,
      description: `postgres://user:${secret()}@db.example/x`,
    });
    // Keys that do not exist, in each place where one may be sent.
    const headers = { authorization: `Bearer ${secret()}`, 'user-agent': `x ${secret('sk-')}` };
    await send(gateway, 'GET', '/admin/v1/keys', { headers, query: `key=${secret()}` });
    await send(gateway, 'POST', '/admin/v1/session', { sent: { key: secret() } });
    await send(gateway, 'POST', '/admin/v1/session', { sent: { token: secret() } });
    await gateway.call('DELETE', `/keys/${secret('sk-gw-v1-')}`, undefined, API_KEY);
  };
  for (let round = 0; secrets.length < 500; round += 1) await perRound(round);
  const texts: string[] = [];
  for await (const { text } of (gateway.store.audit as AuditRepository).read()) texts.push(text);
  const log = texts.join('\n');
  expect(texts.length).toBeGreaterThan(150);
  expect(secrets.length).toBeGreaterThanOrEqual(500);
  // A piece of a secret is one, too.
  const found = secrets.filter(
    (one) => log.includes(one) || log.includes(one.slice(-16)) || log.includes(one.slice(0, 24)),
  );
  expect(found).toEqual([]);
  // One can still see that it was another.
  expect(log).toContain('"X-Key":"sha256:');
});
