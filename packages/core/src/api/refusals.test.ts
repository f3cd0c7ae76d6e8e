import { expect, test } from 'vitest';

import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { API_KEY, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createLocalChannels } from '../../../../test/support/shared/local-channels.ts';

const HELLO = { messages: [{ role: 'user', content: 'Hello!' }] };

interface Row {
  readonly path: string;
  readonly status: number;
  readonly message: string;
  readonly key_hash: string | null;
  readonly model: string | null;
}

function createScene() {
  const admin = createAdminGateway();
  const list = async (query = ''): Promise<readonly Row[]> =>
    (await admin.dataOf('GET', `/admin/v1/refusals${query}`)) as unknown as readonly Row[];
  const makeKey = async (name: string): Promise<{ readonly key: string; readonly hash: string }> => {
    const { body } = await admin.call('POST', '/keys', { name });
    return { key: String(body['key']), hash: (body['data'] as { hash: string }).hash };
  };
  return { ...admin, list, makeKey };
}

test('tells management of refused calls, newest first, with the key and the reason', async () => {
  const { call, list, makeKey } = createScene();
  const { key, hash } = await makeKey('tool');
  await call('POST', '/chat/completions', { ...HELLO, model: 'acme/nothing' }, key);
  await call('POST', '/chat/completions', { ...HELLO, model: 'acme/chat' }, 'sk-unknown');
  const [wrongKey, unknownModel] = await list();
  expect(wrongKey).toMatchObject({ path: '/api/v1/chat/completions', status: 401, key_hash: null });
  expect(unknownModel).toMatchObject({ method: 'POST', status: 400, error_type: 'invalid_request', key_hash: hash });
  expect(unknownModel?.message).toContain('acme/nothing');
});

test('tells of addresses that are not there, as tools with another base URL call them', async () => {
  const { call, list } = createScene();
  await call('POST', '/v1/chat/completions', HELLO, API_KEY);
  expect(await list()).toMatchObject([{ path: '/api/v1/v1/chat/completions', status: 404, key_hash: null }]);
});

test('can be narrowed to one key and to those without any, and to what came since', async () => {
  const { call, list, makeKey, platform } = createScene();
  const [one, other] = [await makeKey('one'), await makeKey('other')];
  await call('POST', '/chat/completions', { ...HELLO, model: 'acme/first' }, one.key);
  await platform.advance(1000);
  const since = new Date(platform.now()).toISOString();
  await call('POST', '/chat/completions', { ...HELLO, model: 'acme/second' }, one.key);
  await call('POST', '/chat/completions', { ...HELLO, model: 'acme/third' }, other.key);
  await call('GET', '/models', undefined, 'sk-unknown');
  const ofOne = await list(`?key=${one.hash}&since=${since}`);
  expect(ofOne.map(({ key_hash: hash }) => hash)).toEqual([null, one.hash]);
  expect(ofOne[1]?.message).toContain('acme/second');
});

test('leaves out mistakes of those who administer, and never holds a key', async () => {
  const { call, list } = createScene();
  await call('POST', '/keys', { name: 7 }, MANAGEMENT_KEY);
  await call('POST', '/chat/completions', HELLO, MANAGEMENT_KEY);
  await call('GET', '/models', undefined, 'sk-somebody-elses-secret');
  const rows = await list();
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain('secret');
});

test('keeps the last thousand, cut to a length that a page can show', async () => {
  const { call, list } = createScene();
  for (let at = 0; at < 1001; at += 1) {
    await call('POST', '/chat/completions', { ...HELLO, model: `acme/${at}${'x'.repeat(300)}` }, API_KEY);
  }
  const rows = await list();
  expect(rows).toHaveLength(1000);
  expect(rows[0]?.message).toContain('acme/1000x');
  expect(Math.max(...rows.map(({ message }) => message.length))).toBeLessThanOrEqual(500);
});

test('tells which model was asked for, where that was known, and can be narrowed to one', async () => {
  const { call, dataOf, list, makeKey } = createScene();
  const { key } = await makeKey('tool');
  await call('POST', '/chat/completions', { ...HELLO, model: 'acme/nothing' }, key);
  await call('POST', '/embeddings', { model: 'acme/vectors', input: 'Hello' }, key);
  await call('POST', '/chat/completions', { ...HELLO, model: 'acme/chat' }, 'sk-unknown');
  await dataOf('PUT', '/workspaces/default/budgets/daily', { limit_usd: 0.000001 });
  await call('POST', '/chat/completions', { ...HELLO, model: 'acme/chat', max_tokens: 1000 }, key);
  expect((await list()).map(({ status, model }) => [status, model])).toEqual([
    [403, 'acme/chat'],
    [401, null],
    [400, 'acme/vectors'],
    [400, 'acme/nothing'],
  ]);
  expect((await list('?model=acme/nothing')).map(({ model }) => model)).toEqual(['acme/nothing']);
});

test('lists what every process refused, and of a flood at another one the latest', async () => {
  const shared = { openChannel: createLocalChannels().open };
  const [here, there] = [createAdminGateway({ shared }), createAdminGateway({ shared })];
  const ask = (admin: typeof here, model: string) =>
    admin.call('POST', '/chat/completions', { ...HELLO, model }, API_KEY);
  const listOf = async ({ dataOf }: typeof here) =>
    ((await dataOf('GET', '/admin/v1/refusals')) as unknown as readonly Row[]).map(({ model }) => model);
  await ask(here, 'acme/first');
  await here.platform.advance(100);
  await ask(here, 'acme/second');
  await here.platform.advance(100);
  expect(await listOf(here)).toEqual(['acme/second', 'acme/first']);
  expect(await listOf(there)).toEqual(['acme/second', 'acme/first']);
  await there.platform.advance(300);
  for (let call = 0; call < 150; call += 1) await ask(there, `acme/${call}`);
  await there.platform.advance(100);
  const told = await listOf(here);
  // The first goes out at once, and the latest hundred of the others after it.
  expect([told.length, told[0], told[99], ...told.slice(100)]).toEqual([
    103,
    'acme/149',
    'acme/50',
    'acme/0',
    'acme/second',
    'acme/first',
  ]);
});
