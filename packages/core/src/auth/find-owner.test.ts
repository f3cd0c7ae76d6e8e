import { setImmediate } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { until } from '../../../../test/support/async/until.ts';
import { jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createFileGateway } from '../../../../test/support/gateways/file-gateway.ts';
import { createTokenKey, signToken, startTokenIssuer } from '../../../../test/support/sign-in/start-token-issuer.ts';
import { createRecordingStore } from '../../../../test/support/stores/recording-store.ts';
import {
  createScriptedTransport,
  type ScriptedExchange,
} from '../../../../test/support/upstreams/scripted-transport.ts';
import { createVideoGateway } from '../../../../test/support/videos/video-gateway.ts';
import type { Principal } from '../http/request.ts';
import type { Batch, BatchResult } from '../wire/batches.ts';
import { findOwnerPrincipal, toJobOwner } from './find-owner.ts';

const KEY = await createTokenKey('first');
const CLAIMS = {
  member: 'member',
  workspace: 'team',
  limitUsd: 'budget',
  externalUser: 'customer',
  allowedModels: 'models',
  guardrail: 'rules',
};
const LIMIT_USD = 0.003;

/** Answers for 1 prompt token and 100 completion tokens: at Acme 0.000201 dollars. */
function answer(exchange: ScriptedExchange): void {
  exchange.respond(200, { 'content-type': 'application/json' });
  exchange.push(
    JSON.stringify({
      id: 'c',
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 100, total_tokens: 101 },
    }),
  );
  exchange.end();
}

/** A batch of 30 lines that somebody with a token has begun in a process that died with its first calls under way. */
async function beginAndDie(claims: object, models: readonly string[] = ['acme/chat']) {
  const { url } = await startTokenIssuer([KEY]);
  const tokens = { issuers: [{ issuer: url, audience: 'gateway', claims: CLAIMS }] };
  const held: ScriptedExchange[] = [];
  const first = createFileGateway(
    {},
    createScriptedTransport((exchange) => void held.push(exchange)),
    { tokens },
  );
  const administer = async (method: string, path: string, body: object = {}): Promise<{ data: { id: string } }> => {
    const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
    const response = await (method === 'POST'
      ? first.post(path, body, { headers })
      : first.call(method, path, { key: MANAGEMENT_KEY }));
    return (response.status === 204 ? {} : jsonOf(response)) as { data: { id: string } };
  };
  await administer('POST', '/admin/v1/members', { user_id: 'mo', email: 'mo@example.com' });
  const { data: workspace } = await administer('POST', '/api/v1/workspaces', { name: 'Lab', slug: 'lab' });
  const { data: guardrail } = await administer('POST', '/api/v1/guardrails', { name: 'Machines' });
  const given = { member: 'mo', team: 'lab', rules: 'Machines', customer: 'c1', budget: LIMIT_USD, ...claims };
  const token = await signToken(url, KEY, first.platform.now(), given);
  const requests = Array.from({ length: 30 }, (_, at) => {
    const messages = [{ role: 'user', content: 'Hi' }];
    const model = models[at % models.length];
    return { custom_id: `line ${at}`, body: { model, messages, max_tokens: 100, provider: { sort: 'price' } } };
  });
  const body = { endpoint: '/v1/chat/completions', requests };
  const headers = { authorization: `Bearer ${token}` };
  const { id } = jsonOf(await first.post('/api/beta/batches', body, { headers })) as Batch;
  // That process is gone with its calls: only its store and its files are left.
  while (held.length === 0) await setImmediate();

  /** Lets another process go on with it, after the token has expired. */
  const goOn = async (): Promise<Batch & { results: BatchResult[] | null }> => {
    const options = { tokens, recordingStore: first.store };
    const second = createFileGateway({ storage: first.storage }, createScriptedTransport(answer), options);
    Object.assign(second.platform, { randomBytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) });
    await second.platform.advance(600_000);
    expect((await second.get('/api/v1/models/user', token)).status).toBe(401);
    await second.gateway.start();
    const later = await signToken(url, KEY, second.platform.now(), { team: 'lab' });
    const find = async () => {
      const batch = jsonOf(await second.get(`/api/beta/batches/${id}`, later)) as Batch & {
        results: BatchResult[] | null;
      };
      return batch.status === 'completed' || batch.status === 'failed' ? batch : undefined;
    };
    return until(find, () => `The batch ${id} does not end`);
  };
  return { goOn, administer, store: first.store, workspace, guardrail };
}

const statusesOf = ({ results }: { readonly results: BatchResult[] | null }): readonly (number | undefined)[] =>
  (results ?? []).map(({ response }) => response?.status_code);

test('a batch keeps the limit of its token in another process, after the token has expired', async () => {
  const { goOn, store } = await beginAndDie({});
  const batch = await goOn();
  const statuses = statusesOf(batch);
  expect(statuses).toHaveLength(30);
  expect(new Set(statuses)).toEqual(new Set([200, 402]));
  expect(batch.cost).toBeGreaterThan(0);
  expect(batch.cost).toBeLessThanOrEqual(LIMIT_USD);
  const users = store.appended.map(({ record: { generation } }) => generation.external_user);
  expect(new Set(users)).toEqual(new Set(['c1']));
});

test('a batch keeps the models and the guardrail of its token', async () => {
  const both = ['acme/chat', 'acme/other'];
  const { goOn } = await beginAndDie({ models: ['acme/chat'], budget: 1 }, both);
  expect(statusesOf(await goOn())).toEqual(Array.from({ length: 30 }, (_, at) => (at % 2 === 0 ? 200 : 404)));
  const other = await beginAndDie({ budget: 1 });
  await other.administer('DELETE', `/api/v1/guardrails/${other.guardrail.id}`);
  expect(new Set(statusesOf(await other.goOn()))).toEqual(new Set([403]));
});

test('a batch ends with the member and the workspace of its token', async () => {
  const member = await beginAndDie({});
  await member.administer('DELETE', '/admin/v1/members/mo');
  expect((await member.goOn()).errors?.data[0]?.message).toBe(
    'The member of "robot", as which the calls are made, is gone or deactivated',
  );
  const workspace = await beginAndDie({});
  await workspace.store.workspaces.remove(workspace.workspace.id);
  const owner = (await workspace.store.batches.list()).flatMap((row) => (row.kind === 'batch' ? [row.owner] : []));
  const parts = { ...workspace, members: workspace.store.members, platform: { now: () => 0 } };
  await expect(findOwnerPrincipal(owner[0] ?? { id: '', name: '', isKey: false }, parts)).rejects.toThrow(
    'The workspace of "robot", as which the calls are made, has been deleted',
  );
});

test('what is kept of a caller is all that bounds its calls', async () => {
  const store = createRecordingStore();
  const parts = { store, members: store.members, platform: { now: () => 0 } };
  const caller: Principal = {
    kind: 'api',
    id: 'app',
    name: 'App',
    userId: 'somebody of the host',
    workspaceId: 'one of the host',
    limitUsd: 0,
    limitReset: 'daily',
    includeByokInLimit: true,
    externalUser: 'c1',
    allowedModels: [],
    guardrailId: 'g',
  };
  const kept = JSON.parse(JSON.stringify(await toJobOwner(caller, parts))) as Awaited<ReturnType<typeof toJobOwner>>;
  expect(await findOwnerPrincipal(kept, parts)).toEqual(caller);
});

test('what a video of a token may cost is held against its limit after a restart', async () => {
  const { url } = await startTokenIssuer([KEY]);
  const tokens = { issuers: [{ issuer: url, audience: 'gateway', limitUsd: 0.7 }] };
  const script = { progress: () => ({ status: 'in_progress' as const }) };
  const first = createVideoGateway(script, { tokens });
  const submit = async (gateway: ReturnType<typeof createVideoGateway>, jti: string) => {
    const token = await signToken(url, KEY, gateway.platform.now(), { jti });
    return gateway.submit({}, { authorization: `Bearer ${token}` });
  };
  expect((await submit(first, 'a')).status).toBe(202);
  const second = createVideoGateway(script, { tokens, recordingStore: first.store });
  await second.platform.advance(600_000);
  await second.gateway.start();
  expect((await submit(second, 'b')).status).toBe(402);
});
