import { expect, test } from 'vitest';

import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import { createCoreGateway, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { toContent, toRecord } from '../../../../test/support/stores/generation-records.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';

const COMPLETION = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const HOUR_MS = 3_600_000;

function start() {
  const upstream = createReplayTransport({ headers: { 'content-type': 'application/json' }, pieces: [COMPLETION] });
  const core = createCoreGateway(upstream);
  const call = async (method: string, path: string, body?: unknown, key = MANAGEMENT_KEY) => {
    const response = await core.gateway.handle({
      method,
      path,
      query: '',
      headers: { authorization: `Bearer ${key}` },
      baseUrl: 'https://gateway.example',
      signal: new AbortController().signal,
      ...bodyOf(JSON.stringify(body)),
    });
    return { status: response.status, body: jsonOf(response) };
  };
  const createKey = async (body: object = {}) => {
    const made = await call('POST', '/api/v1/keys', { name: 'k', ...body });
    return { key: String(made.body['key']), hash: (made.body['data'] as { hash: string }).hash };
  };
  const ask = async (key: string) =>
    (
      await call(
        'POST',
        '/api/v1/chat/completions',
        { model: 'acme/chat', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] },
        key,
      )
    ).status;
  const raise = (of: string, more: object = {}) =>
    call('PUT', `/admin/v1/budget-raises/${encodeURIComponent(of)}`, {
      add_usd: 1,
      until: new Date(core.platform.now() + HOUR_MS).toISOString(),
      ...more,
    });
  return { ...core, call, createKey, ask, raise };
}

test('the limit of a key has more until a time, and then is as before', async () => {
  const { call, createKey, ask, raise, platform } = start();
  const { key, hash } = await createKey({ limit: 0 });
  expect(await ask(key)).toBe(402);
  expect((await raise(`key:${hash}`)).status).toBe(200);
  expect(await ask(key)).toBe(200);
  const detail = await call('GET', `/admin/v1/keys/${hash}`);
  const until = new Date(platform.now() + HOUR_MS).toISOString();
  expect(detail.body['data']).toMatchObject({ limit: 0, limit_raise: { add_usd: 1, until } });
  const { limit_remaining: rest } = detail.body['data'] as { limit_remaining: number };
  expect(rest).toBeGreaterThan(0.9);
  expect((await call('GET', '/api/v1/key', undefined, key)).body['data']).toMatchObject({ limit_remaining: rest });
  await platform.advance(HOUR_MS);
  expect(await ask(key)).toBe(402);
  const after = await call('GET', `/admin/v1/keys/${hash}`);
  expect(after.body['data']).toMatchObject({ limit_raise: null, limit_remaining: 0 });
  expect((await call('GET', '/admin/v1/budget-raises')).body).toEqual({ data: [] });
});

test('a raise of a workspace holds for its budgets, and one of a member for the budget of a guardrail', async () => {
  const { call, createKey, ask, raise } = start();
  const workspace = (await call('POST', '/api/v1/workspaces', { name: 'Team', slug: 'team' })).body['data'] as {
    id: string;
  };
  await call('PUT', `/api/v1/workspaces/${workspace.id}/budgets/monthly`, { limit_usd: 0.000001 });
  const ofTeam = await createKey({ workspace_id: workspace.id });
  expect(await ask(ofTeam.key)).toBe(403);
  await raise(`workspace:${workspace.id}`);
  expect(await ask(ofTeam.key)).toBe(200);

  await call('POST', '/admin/v1/members', { user_id: 'mo', role: 'member' });
  const rail = (await call('POST', '/api/v1/guardrails', { name: 'rail', limit_usd: 0.000001 })).body['data'] as {
    id: string;
  };
  await call('POST', `/api/v1/guardrails/${rail.id}/assignments/members`, { member_user_ids: ['mo'] });
  const ofMo = await createKey({ creator_user_id: 'mo' });
  expect(await ask(ofMo.key)).toBe(403);
  await raise('member:mo');
  expect(await ask(ofMo.key)).toBe(200);
});

test('an alarm on a share of the limit counts with what it is raised to', async () => {
  const { call, createKey, raise, store, platform, gateway } = start();
  await gateway.start();
  const { hash } = await createKey({ limit: 1 });
  await raise(`key:${hash}`, { add_usd: 3 });
  await store.generations.append(
    toRecord('g', {
      principalId: hash,
      costNanoUsd: 2e9,
      generation: { created_at: new Date(platform.now()).toISOString() },
    }),
    toContent('x'),
  );
  const alarm = { name: 'a', what: 'spend_share', of: `key:${hash}`, threshold: 50, to: [] };
  expect((await call('POST', '/admin/v1/alarms', alarm)).status).toBe(201);
  await import('../alarms/judge-alarms.ts');
  await platform.advance(60_000);
  const alarms = (await call('GET', '/admin/v1/alarms')).body['data'] as { fired: { message: string } | null }[];
  expect(alarms[0]?.fired?.message).toBe('The key k has spent 50 % of its budget of $4.00 (threshold: 50 %).');
  await gateway.close();
});

test('a raise is replaced and ended, both are in the audit log, and what there is not is refused', async () => {
  const { call, createKey, ask, raise } = start();
  const { key, hash } = await createKey({ limit: 0 });
  const of = `key:${hash}`;
  await raise(of);
  await raise(of, { add_usd: 2 });
  expect((await call('GET', '/admin/v1/budget-raises')).body['data']).toMatchObject([{ of, add_usd: 2 }]);
  expect((await call('DELETE', `/admin/v1/budget-raises/${of}`)).status).toBe(200);
  expect(await ask(key)).toBe(402);
  expect((await call('DELETE', `/admin/v1/budget-raises/${of}`)).status).toBe(404);
  const records = (await call('GET', '/admin/v1/audit')).body['data'] as { action: string; target: object }[];
  expect(records.filter(({ action }) => action.startsWith('budget.'))).toMatchObject([
    { action: 'budget.end_raise', target: { kind: 'budget', id: of } },
    { action: 'budget.raise', target: { kind: 'budget', id: of } },
    { action: 'budget.raise' },
  ]);
  for (const unknown of ['key:nobody', 'member:nobody', 'workspace:nowhere', 'account', 'key:'])
    expect([unknown, (await raise(unknown)).status]).toEqual([unknown, 404]);
  expect((await raise(of, { until: '2026-01-01T00:00:00Z' })).body).toMatchObject({
    error: { message: expect.stringContaining('until: must be in the future') },
  });
  expect((await raise(of, { add_usd: 0 })).status).toBe(400);
});
