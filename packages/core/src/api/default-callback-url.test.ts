import { expect, test } from 'vitest';

import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { toBody } from '../../../../test/support/videos/scripted-videos.ts';
import { createVideoGateway } from '../../../../test/support/videos/video-gateway.ts';
import type { TransportRequest } from '../foundation/transport.ts';
import type { WebhookOptions } from '../webhooks/webhooks.ts';

const GATEWAY_URL = 'https://hooks.example/gateway';

/** Takes every webhook. Like that of a host, its rule knows more than the scheme. */
const receiver = (sent: TransportRequest[] = [], rest: Partial<WebhookOptions> = {}): WebhookOptions => ({
  findUrlProblem: (url) => (url.includes('127.0.0.1') ? 'must lead to a public address' : undefined),
  transport: {
    async send(request) {
      sent.push(request);
      return { status: 200, headers: {}, body: toBody('') };
    },
  },
  ...rest,
});

test("tells of a video at the request's address, else at its workspace's, else at the gateway's", async () => {
  const sent: TransportRequest[] = [];
  const gateway = createVideoGateway({}, { webhooks: receiver(sent, { defaultCallbackUrl: GATEWAY_URL }) });
  const authorization = `Bearer ${MANAGEMENT_KEY}`;
  const change = async (method: string, path: string, body: object) =>
    JSON.parse((await gateway.post(path, body, { method, headers: { authorization } })).body as string);
  const tellOf = async (body: object = {}, headers = {}): Promise<string | undefined> => {
    await gateway.submit(body, headers);
    await gateway.platform.advance(60_000);
    return sent.pop()?.url;
  };
  expect(await tellOf()).toBe(GATEWAY_URL);

  const set = await change('PATCH', '/api/v1/workspaces/default', {
    default_callback_url: 'https://hooks.example/ours',
  });
  expect(set.data.default_callback_url).toBe('https://hooks.example/ours');
  expect(await tellOf()).toBe('https://hooks.example/ours');
  expect(await tellOf({ callback_url: 'https://hooks.example/own' })).toBe('https://hooks.example/own');

  const team = { name: 'Team', slug: 'team', default_callback_url: 'https://hooks.example/team' };
  const { id } = (await change('POST', '/api/v1/workspaces', team)).data;
  const { key } = await change('POST', '/api/v1/keys', { name: 'theirs', workspace_id: id });
  expect(await tellOf({}, { authorization: `Bearer ${key}` })).toBe('https://hooks.example/team');

  await change('PATCH', '/api/v1/workspaces/default', { default_callback_url: null });
  expect(await tellOf()).toBe(GATEWAY_URL);
});

test.each([
  ['http://hooks.example/', 'must begin with https://'],
  ['nonsense', 'must begin with https://'],
  ['', 'must begin with https://'],
  ['https://127.0.0.1/', 'must lead to a public address'],
])('refuses %j as the default address of a workspace, as it does in a request', async (url, problem) => {
  const { call } = createAdminGateway({ webhooks: receiver() });
  const refusal = { error: { metadata: { issues: [{ path: 'default_callback_url', message: problem }] } } };
  const changed = await call('PATCH', '/workspaces/default', { default_callback_url: url });
  expect(changed).toMatchObject({ status: 400, body: refusal });
  const created = await call('POST', '/workspaces', { name: 'Team', slug: 'team', default_callback_url: url });
  expect(created).toMatchObject({ status: 400, body: refusal });
  expect(await call('GET', '/workspaces')).toMatchObject({
    body: { total_count: 1, data: [{ default_callback_url: null }] },
  });
  const { submit } = createVideoGateway({}, { webhooks: receiver() });
  expect((await submit({ callback_url: url })).body.error?.message).toBe(`callback_url: ${problem}`);
});

test('takes addresses in plain http where the host lets requests name them', async () => {
  const { call } = createAdminGateway({
    webhooks: receiver([], { allowsHttp: true, findUrlProblem: () => undefined }),
  });
  const body = { default_callback_url: 'http://127.0.0.1:8080/hook' };
  expect(await call('PATCH', '/workspaces/default', body)).toMatchObject({ status: 200, body: { data: body } });
});

test('refuses a default address where no webhooks are sent, and takes none away', async () => {
  const { call } = createAdminGateway();
  const refused = await call('PATCH', '/workspaces/default', { default_callback_url: 'https://hooks.example/' });
  expect(refused).toMatchObject({
    status: 400,
    body: { error: { message: 'default_callback_url: cannot be used: this gateway sends no webhooks' } },
  });
  expect(await call('PATCH', '/workspaces/default', { default_callback_url: null })).toMatchObject({ status: 200 });
});

test('shows no default address for a workspace that was stored before there was one', async () => {
  const { call, dataOf, store } = createAdminGateway();
  const { id } = await dataOf('POST', '/workspaces', { name: 'Old', slug: 'old' });
  await store.workspaces.update(id, ({ workspace: { default_callback_url: _, ...workspace }, ...record }) => ({
    ...record,
    workspace,
  }));
  expect(await call('GET', '/workspaces/old')).toMatchObject({ body: { data: { default_callback_url: null } } });
  expect(await dataOf('PATCH', '/workspaces/old', { name: 'Older' })).toMatchObject({ default_callback_url: null });
});

test.each(['http://hooks.example/', 'https://127.0.0.1/'])(
  'a gateway is not made with %s as its default address',
  (defaultCallbackUrl) => {
    const make = () => createVideoGateway({}, { webhooks: receiver([], { defaultCallbackUrl }) });
    expect(make).toThrow(/^webhooks\.defaultCallbackUrl must (begin with https|lead to a public address)/);
    expect(make).toThrow(RangeError);
  },
);
