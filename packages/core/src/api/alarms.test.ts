import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { VIRTUAL_EPOCH_MS } from '../../../../test/support/async/virtual-platform.ts';
import { createBroadcastOptions } from '../../../../test/support/broadcast/broadcast-options.ts';
import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { toContent, toKey, toRecord } from '../../../../test/support/stores/generation-records.ts';
import type { AlarmMail } from '../alarms/send-alarm.ts';
import type { TransportRequest } from '../foundation/transport.ts';
import { verifyWebhook, type WebhookOptions } from '../webhooks/webhooks.ts';
import type { Alarm } from '../wire/alarms.ts';

const PATH = '/admin/v1/alarms';
const SECRET = 'a secret of at least 24 characters';
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const HOOK = { type: 'webhook', url: 'https://hooks.example/alarms' };
const RULE = { name: 'Spend', what: 'spend_usd', threshold: 10, to: [HOOK] };

/** A gateway whose messages arrive here; a status other than 200 makes them fail. */
async function start(options: Parameters<typeof createAdminGateway>[0] = {}) {
  const sent: TransportRequest[] = [];
  const receiver = { status: 200 };
  const webhooks: WebhookOptions = {
    signingSecrets: [SECRET],
    findUrlProblem: createBroadcastOptions(false).findUrlProblem,
    transport: {
      async send(request) {
        sent.push(request);
        return { status: receiver.status, headers: {}, body: (async function* () {})() };
      },
    },
  };
  const admin = createAdminGateway({ webhooks, timeouts: { drainMs: 0 }, ...options });
  onTestFinished(() => admin.gateway.close());
  await admin.gateway.start();
  let calls = 0;
  const spend = async (
    usd: number,
    changes: { principalId?: string; userId?: string; workspace?: string; model?: string } = {},
  ) => {
    calls += 1;
    await admin.store.generations.append(
      toRecord(`g${calls}`, {
        costNanoUsd: usd * 1e9,
        ...(changes.principalId !== undefined && { principalId: changes.principalId }),
        ...(changes.userId !== undefined && { userId: changes.userId }),
        generation: {
          created_at: new Date(admin.platform.now()).toISOString(),
          ...(changes.workspace !== undefined && { workspace_id: changes.workspace }),
        },
      }),
      toContent('x'),
    );
  };
  const create = async (rule: object = {}) =>
    (await admin.dataOf('POST', PATH, { ...RULE, ...rule })) as unknown as Alarm;
  const only = async (): Promise<Alarm> => ((await admin.dataOf('GET', PATH)) as unknown as [Alarm])[0];
  // What judges is loaded late, from the disk.
  const pass = async (ms = MINUTE_MS): Promise<void> => {
    await import('../alarms/judge-alarms.ts');
    await admin.platform.advance(ms);
  };
  return { ...admin, sent, receiver, spend, create, only, pass };
}

test('an alarm fires once when its threshold is reached, and again in the next period', async () => {
  const { spend, create, pass, sent, only, platform } = await start();
  await create({ period: 'day' });
  await spend(9);
  await pass();
  expect(sent).toHaveLength(0);
  await spend(1);
  await pass(10 * MINUTE_MS);
  expect(sent).toHaveLength(1);
  const { fired } = await only();
  expect(fired).toMatchObject({
    period: '2026-01-02',
    value: 10,
    message: 'The account has spent $10.00 today (threshold: $10.00).',
    deliveries: [{ attempts: 1, next_at: null, result: 'HTTP 200' }],
  });
  platform.oversleep(DAY_MS);
  await pass();
  expect(sent).toHaveLength(1);
  await spend(11);
  await pass();
  expect(sent).toHaveLength(2);
  expect((await only()).history).toMatchObject([{ period: '2026-01-02', value: 10 }]);
});

test('a webhook is signed as all are, and has the id of the message', async () => {
  const { spend, create, pass, sent, platform, only } = await start();
  const { id } = await create();
  await spend(12);
  await pass();
  const [request] = sent;
  const body = String(request?.body);
  const signature = request?.headers['x-service-signature'];
  const parsed = (await verifyWebhook({ body, signature, secrets: [SECRET], platform })) as Record<string, unknown>;
  expect(parsed).toMatchObject({
    type: 'alarm.fired',
    data: { alarm: { id, name: 'Spend', what: 'spend_usd' }, value: 12, period_from: '2026-01-01' },
  });
  expect([parsed['id'], request?.headers['webhook-id']]).toEqual([(await only()).fired?.id, (await only()).fired?.id]);
});

test('a receiver that fails gets the same message again, five times at most', async () => {
  const { spend, create, pass, sent, receiver, only, logged } = await start();
  await create();
  await spend(12);
  receiver.status = 503;
  await pass(2 * MINUTE_MS);
  expect((await only()).fired?.deliveries).toMatchObject([{ attempts: 2, result: 'HTTP 503', delivered_at: null }]);
  await pass(60 * MINUTE_MS);
  expect(sent).toHaveLength(5);
  expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(logged.map(({ line }) => line)).toContain('error an alarm could not be delivered');
});

test('what was not delivered before a restart is delivered after it, and is not fired again', async () => {
  const first = await start();
  await first.create();
  await first.spend(12);
  first.receiver.status = 503;
  await first.pass();
  await first.gateway.close();
  const second = await start({ recordingStore: first.store });
  await second.pass(5 * MINUTE_MS);
  expect(second.sent).toHaveLength(1);
  expect(second.sent[0]?.headers['webhook-id']).toBe(first.sent[0]?.headers['webhook-id']);
});

test('a silenced alarm waits, an acknowledged one is sent no more, and a changed one may fire again', async () => {
  const { spend, create, pass, sent, receiver, platform, dataOf } = await start();
  const until = new Date(platform.now() + 30 * MINUTE_MS).toISOString();
  const { id } = await create({ silenced_until: until });
  await spend(12);
  await pass(29 * MINUTE_MS);
  expect(sent).toHaveLength(0);
  receiver.status = 503;
  await pass(2 * MINUTE_MS);
  const before = sent.length;
  expect(before).toBeGreaterThan(0);
  const acknowledged = await dataOf('PATCH', `${PATH}/${id}`, { acknowledged: true });
  expect(acknowledged['fired']).toMatchObject({ acknowledged_at: new Date(platform.now()).toISOString() });
  await pass(60 * MINUTE_MS);
  expect(sent).toHaveLength(before);
  receiver.status = 200;
  await dataOf('PATCH', `${PATH}/${id}`, { threshold: 11 });
  await pass();
  expect(sent).toHaveLength(before + 1);
});

test('an alarm that is deleted fires no more, and an unknown one is 404', async () => {
  const { spend, create, pass, sent, call } = await start();
  const { id } = await create();
  expect(await call('DELETE', `${PATH}/${id}`)).toMatchObject({ status: 200, body: { deleted: true } });
  await spend(12);
  await pass();
  expect(sent).toHaveLength(0);
  for (const [method, path] of [
    ['DELETE', ''],
    ['PATCH', ''],
    ['POST', '/test'],
  ] as const)
    expect((await call(method, `${PATH}/${id}${path}`, {})).status).toBe(404);
});

test('a share is that of the budget: of the account, a key or a workspace', async () => {
  const { spend, create, pass, store, dataOf } = await start({ account: { creditsUsd: 100 } });
  await store.keys.insert(toKey('k1', { limitUsd: 10, limitReset: 'daily' }));
  const { id: workspace } = await dataOf('POST', '/workspaces', { name: 'Team', slug: 'team' });
  await dataOf('PUT', `/workspaces/${workspace}/budgets/monthly`, { limit_usd: 20 });
  await spend(8, { principalId: 'k1' });
  await spend(16, { workspace });
  for (const of of ['account', 'key:k1', `workspace:${workspace}`])
    await create({ what: 'spend_share', of, threshold: 24 });
  await pass();
  const alarms = (await dataOf('GET', PATH)) as unknown as Alarm[];
  expect(alarms.map(({ fired }) => fired?.message)).toEqual([
    'The account has spent 24 % of its budget of $100.00 (threshold: 24 %).',
    'The key Key k1 has spent 80 % of its budget of $10.00 (threshold: 24 %).',
    'The workspace Team has spent 80 % of its budget of $20.00 (threshold: 24 %).',
  ]);
});

test('an expected sum fires before the money is gone', async () => {
  const { spend, create, pass, only, platform } = await start();
  await create({ what: 'projected_usd', threshold: 100 });
  for (let day = 0; day < 4; day += 1) {
    await spend(5);
    platform.oversleep(DAY_MS);
  }
  await pass();
  expect((await only()).fired?.message).toMatch(
    /^The account is expected to spend \$1\d\d\.\d\d this month, between \$\d+\.\d\d and \$\d+\.\d\d \(threshold: \$100\.00\)\.$/,
  );
});

test('an hour that costs a multiple of the same hour of the last days fires, and a usual one does not', async () => {
  const { spend, create, pass, only, dataOf, platform } = await start();
  await create({ what: 'spend_spike', threshold: 3, min_usd: 2 });
  await create({ what: 'spend_spike', threshold: 3, min_usd: 2, window_minutes: 1440 });
  for (let day = 0; day < 5; day += 1) {
    await spend(4);
    platform.oversleep(DAY_MS);
    // What another hour of the day costs says nothing of this one.
    await spend(0);
  }
  await spend(11);
  await pass();
  expect((await only()).fired).toBe(null);
  await spend(1);
  await pass();
  const alarms = (await dataOf('GET', PATH)) as unknown as Alarm[];
  expect(alarms.map(({ fired }) => [fired?.value, fired?.message])).toEqual([
    [3, 'The account has spent $12.00 in the last hour; $4.00 is usual (threshold: 3 times that).'],
    [3, 'The account has spent $12.00 in the last 24 hours; $4.00 is usual (threshold: 3 times that).'],
  ]);
});

test('a spike is nothing without a past of three days, nor below its floor', async () => {
  const { spend, create, pass, only, platform } = await start();
  await create({ what: 'spend_spike', threshold: 3, min_usd: 5 });
  await spend(0.1);
  platform.oversleep(DAY_MS);
  await spend(100);
  await pass();
  expect((await only()).fired).toBe(null);
  for (let day = 0; day < 2; day += 1) {
    platform.oversleep(DAY_MS);
    await spend(0.1);
  }
  platform.oversleep(DAY_MS + 2 * 60 * MINUTE_MS);
  await spend(4.9);
  await pass();
  expect((await only()).fired).toBe(null);
  await spend(0.1);
  await pass();
  expect((await only()).fired).toMatchObject({ value: 3 });
});

test('slow first tokens and slow calls fire, from a number of calls on', async () => {
  const { create, pass, store, platform, dataOf } = await start();
  await create({ what: 'first_token_ms', threshold: 900, min_calls: 3 });
  await create({ what: 'duration_ms', threshold: 4000, min_calls: 5, window_minutes: 15 });
  const append = (id: string, streamed: boolean) =>
    store.generations.append(
      toRecord(id, {
        generation: {
          created_at: new Date(platform.now()).toISOString(),
          streamed,
          latency: 950,
          tokens_completion: 5,
          generation_time: 5000,
        },
      }),
      toContent('x'),
    );
  const read = async () =>
    ((await dataOf('GET', PATH)) as unknown as Alarm[]).map(({ fired }) => fired?.message ?? null);
  for (const id of ['w1', 'w2']) await append(id, false);
  for (const id of ['s1', 's2']) await append(id, true);
  await pass();
  expect(await read()).toEqual([null, null]);
  await append('s3', true);
  await pass();
  expect(await read()).toEqual([
    'The account: the first token came after 950 ms in 95 of 100 calls of the last hour (threshold: 900 ms).',
    'The account: calls were over after 5.0 s in 95 of 100 calls of the last 15 minutes (threshold: 4.0 s).',
  ]);
});

test('failed calls, a provider that is down, a refused key and guardrails that act fire', async () => {
  const { create, pass, store, platform, dataOf } = await start();
  for (const [what, threshold] of [
    ['error_rate', 50],
    ['provider_down', 5],
    ['key_refused', 3],
    ['guardrail_hits', 4],
  ] as const)
    await create({ what, threshold });
  const created_at = new Date(platform.now()).toISOString();
  const attempt = (provider_name: string, status: number) => [
    { provider_name, endpoint_id: 'e', status, is_byok: false, error_code: 502, error_type: 'provider_unavailable' },
  ];
  for (let call = 0; call < 12; call += 1) {
    await store.generations.append(
      toRecord(`f${call}`, {
        generation: {
          created_at,
          finish_reason: 'error',
          provider_responses: call < 6 ? attempt('Acme', 503) : attempt('Beta', 401),
        },
      }),
      toContent('x'),
    );
  }
  await store.guardrailHits.insert({
    id: 'r 2026-01-02',
    guardrailId: 'r',
    day: '2026-01-02',
    hours: { 3: { blocked: 3, redacted: 1 } },
    refusals: [],
  });
  await pass();
  const alarms = (await dataOf('GET', PATH)) as unknown as Alarm[];
  expect(alarms.map(({ fired }) => fired?.message)).toEqual([
    'The account: 12 of 12 calls of the last hour failed, 100 % (threshold: 50 %).',
    'Acme has answered none of its last 6 calls.',
    'Beta has refused its key or its account in 6 calls of the last 15 minutes.',
    'The account: guardrails have acted 4 times this month (threshold: 4).',
  ]);
});

test.each([
  ['408', [408], true],
  ['502', [502], true],
  ['503', [503], true],
  ['499, as its clients left', [499], false],
  ['403, as the operator ended them', [403], false],
  ['429, by a limit of the gateway', [429], false],
  ['500, by a fault of the gateway', [500], false],
  ['502 or 499', [502, 499], true],
  ['503, as the gateway had no place for them', [503], false, 'provider_overloaded'],
] as const)(
  'attempts without a response fire for a provider by what they say of it (%s)',
  async (_name, codes, isDown, error_type: string = 'x') => {
    const { create, pass, store, platform, dataOf } = await start();
    await create({ what: 'provider_down', threshold: 5 });
    const created_at = new Date(platform.now()).toISOString();
    for (let call = 0; call < 12; call += 1) {
      const error = { code: codes[call % codes.length] ?? 0, message: 'x', error_type };
      await store.generations.append(
        toRecord(`f${call}`, {
          generation: {
            created_at,
            finish_reason: 'error',
            provider_responses: [{ provider_name: 'Acme', endpoint_id: 'e', status: null, is_byok: false, error }],
          },
        }),
        null,
      );
    }
    await pass();
    const alarms = (await dataOf('GET', PATH)) as unknown as Alarm[];
    expect(alarms.map(({ fired }) => fired !== null)).toEqual([isDown]);
  },
);

test.each([
  [{ to: [{ type: 'slack', url: 'https://169.254.169.254/latest' }] }, 'to.0.url: must lead to a public address'],
  [{ to: [HOOK, { type: 'discord', url: 'http://hooks.example/' }] }, 'to.1.url: must begin with https://'],
  [{ to: Array.from({ length: 6 }, () => HOOK) }, 'to: '],
  [{ to: [{ type: 'mail', url: 'mailto:ops@example.com' }] }, 'to.0.url: cannot be used: this gateway sends no mail'],
  [{ what: 'provider_down', of: 'key:k1' }, 'of: must be account for provider_down'],
  [{ of: 'member:mo' }, 'of: must be account, or an id after key: or workspace:'],
  [{ threshold: 0 }, 'threshold: '],
  [{ what: 'spend_spike', window_minutes: 90 }, 'window_minutes: must be 60 or 1440 for spend_spike'],
  [{ what: 'duration_ms', min_calls: 0 }, 'min_calls: '],
])('refuses %j', async (change, message) => {
  const { call } = await start();
  const { status, body } = await call('POST', PATH, { ...RULE, ...change });
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(message)]);
});

test('a change and what it was are in the audit log, without the address of a receiver', async () => {
  const { create, dataOf, call } = await start();
  const { id } = await create();
  await call('PATCH', `${PATH}/${id}`, { threshold: 20 });
  await call('DELETE', `${PATH}/${id}`);
  const records = (await dataOf('GET', '/admin/v1/audit')) as unknown as { action: string; target: { id: string } }[];
  expect(records.map(({ action }) => action)).toEqual(['alarm.delete', 'alarm.update', 'alarm.create']);
  expect(records[1]?.target.id).toBe(id);
  expect(JSON.stringify(records)).not.toContain('hooks.example/alarms');
});

/** A server that accepts what Slack, Discord or a webhook's receiver accepts, and says no to everything else. */
async function startReceivers() {
  const seen: { path: string; headers: IncomingMessage['headers']; body: Record<string, unknown> }[] = [];
  const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = JSON.parse(Buffer.concat(pieces).toString()) as Record<string, unknown>;
    const path = request.url ?? '';
    seen.push({ path, headers: request.headers, body });
    const isGood =
      path === '/slack'
        ? isText(body['text']) && Array.isArray(body['blocks'])
        : path === '/discord'
          ? isText(body['content']) && Array.isArray(body['embeds'])
          : isText(body['type']);
    response.writeHead(isGood ? (path === '/discord' ? 204 : 200) : 400).end();
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test('a test reaches each receiver in its own form', async () => {
  const { seen, url } = await startReceivers();
  const webhooks: WebhookOptions = {
    signingSecrets: [SECRET],
    allowsHttp: true,
    ...createBroadcastOptions(),
  };
  const { create, dataOf } = await start({ webhooks });
  const to = ['webhook', 'slack', 'discord'].map((type) => ({ type, url: `${url}/${type}` }));
  const { id } = await create({ name: 'Spend <of> @everyone', to });
  expect(await dataOf('POST', `${PATH}/${id}/test`)).toEqual([
    { type: 'webhook', success: true, result: 'HTTP 200' },
    { type: 'slack', success: true, result: 'HTTP 200' },
    { type: 'discord', success: true, result: 'HTTP 204' },
  ]);
  const of = (path: string) => seen.find((each) => each.path === path);
  expect(of('/webhook')?.body).toMatchObject({ type: 'alarm.test', data: { alarm: { id }, value: null } });
  expect(of('/webhook')?.headers['webhook-signature']).toMatch(/^v1,/);
  expect(of('/slack')?.body['text']).toBe('Spend &lt;of&gt; @everyone: This is a test. Nothing has happened.');
  expect(of('/slack')?.headers['webhook-signature']).toBeUndefined();
  expect(of('/discord')?.body).toMatchObject({
    content: 'Spend <of> @everyone: This is a test. Nothing has happened.',
    embeds: [{ title: 'Spend <of> @everyone' }],
    allowed_mentions: { parse: [] },
  });
});

test('a mail is sent by the mailer of the host, under the id of the message; a bad address is refused', async () => {
  const mails: AlarmMail[] = [];
  const fired: string[] = [];
  const { create, spend, pass, only, call } = await start({
    mailer: {
      send(mail) {
        mails.push(mail);
        return Promise.resolve({ isDelivered: true, result: 'sent' });
      },
    },
    onAlarm: ({ name }) => void fired.push(name),
  });
  for (const url of ['ops@example.com', 'mailto:a@example.com,b@example.com', 'mailto:', 'https://hooks.example/'])
    expect(await call('POST', PATH, { ...RULE, to: [{ type: 'mail', url }] })).toMatchObject({ status: 400 });
  await create({ to: [{ type: 'mail', url: 'mailto:ops@example.com' }] });
  await create({ name: 'Shown alone', to: [] });
  await spend(12);
  await pass();
  expect(mails).toMatchObject([{ id: (await only()).fired?.id, to: 'ops@example.com', subject: 'Spend' }]);
  expect(mails[0]?.text).toContain('The account has spent $12.00 this month (threshold: $10.00).');
  expect((await only()).fired?.deliveries).toMatchObject([{ attempts: 1, next_at: null, result: 'sent' }]);
  expect(fired).toEqual(['Spend', 'Shown alone']);
});

test('the forecast of a key, or of a member, is that of its calls', async () => {
  const { spend, dataOf, platform } = await start();
  for (let day = 0; day < 4; day += 1) {
    await spend(1, { principalId: 'one' });
    await spend(2, { userId: 'mo' });
    await spend(5);
    platform.oversleep(DAY_MS);
  }
  expect(await dataOf('GET', '/admin/v1/forecast?of=member:mo&period=month')).toMatchObject({ spent_usd: 8 });
  expect(await dataOf('GET', '/admin/v1/forecast?of=key:one&period=month')).toMatchObject({
    of: 'key:one',
    from: new Date(VIRTUAL_EPOCH_MS).toISOString().slice(0, 8) + '01',
    spent_usd: 4,
    known_days: 4,
  });
});
